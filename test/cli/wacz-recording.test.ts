import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Open } from 'unzipper';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { ZipWriter } from '../../src/warc/zip-writer.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeFolder, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-wacz-'));
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

function workspace(name: string): string {
  return bikeFolder(root, name, web);
}

interface Opened {
  readonly names: readonly string[];
  readonly bytes: (name: string) => Promise<Buffer>;
  readonly lines: readonly { readonly url: string; readonly offset: string; readonly length: string }[];
}

/** Opens a WACZ file with an independent reader of zip files. */
async function opened(path: string): Promise<Opened> {
  const zip = await Open.file(path);
  const bytes = async (name: string): Promise<Buffer> => {
    const member = zip.files.find(({ path: listed }) => listed === name);
    const pieces: Uint8Array[] = [];
    for await (const piece of member?.stream() ?? []) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  const index = gunzipSync(await bytes('indexes/index.cdx.gz')).toString();
  const lines = index
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Opened['lines'][number]);
  return { names: zip.files.map(({ path: name }) => name), bytes, lines };
}

describe('bingo crawl --wacz', () => {
  it('packs records, index, pages and digests that other readers accept', async () => {
    const dir = workspace('packed');
    const file = join(root, 'packed.wacz');

    const { code, err } = await run(['crawl', dir, '--budget', '10', '--learn', '4', '--wacz', file]);

    expect([code, existsSync(`${file}.warc.gz`)]).toEqual([0, false]);
    expect(err).toContain('ReplayWeb.page');
    const { names, bytes, lines } = await opened(file);
    expect(names).toEqual([
      ...['archive/data.warc.gz', 'indexes/index.cdx.gz', 'indexes/index.idx', 'pages/pages.jsonl'],
      ...['datapackage.json', 'datapackage-digest.json'],
    ]);
    // ReplayWeb.page finds the content of small members only without extra fields.
    expect(readFileSync(file).readUInt16LE(28)).toBe(0);
    const description = JSON.parse((await bytes('datapackage.json')).toString()) as {
      readonly resources: readonly { readonly path: string; readonly hash: string; readonly bytes: number }[];
    };
    expect(description).toMatchObject({ profile: 'data-package', wacz_version: '1.1.1' });
    for (const { path, hash, bytes: size } of description.resources) {
      const content = await bytes(path);
      expect([path, content.length, `sha256:${sha256(content)}`]).toEqual([path, size, hash]);
    }
    const digest = JSON.parse((await bytes('datapackage-digest.json')).toString()) as { readonly hash: string };
    expect(digest.hash).toBe(`sha256:${sha256(await bytes('datapackage.json'))}`);
    const warc = await bytes('archive/data.warc.gz');
    for (const { url, offset, length } of lines) {
      const part = warc.subarray(Number(offset), Number(offset) + Number(length));
      const record = await new WARCParser([part]).parse();
      expect(record?.warcTargetURI).toBe(url);
    }
    const [head, ...pages] = (await bytes('pages/pages.jsonl'))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly url: string });
    expect(head).toMatchObject({ format: 'json-pages-1.0' });
    expect(pages.length).toBeGreaterThanOrEqual(10);
    for (const { url } of pages) expect(lines.some((line) => line.url === url)).toBe(true);
  });

  it('continues a file in the next run, and keeps the records of both', async () => {
    const dir = workspace('continued');
    const file = join(root, 'continued.wacz');
    await run(['crawl', dir, '--budget', '4', '--learn', '2', '--wacz', file]);
    const first = (await opened(file)).lines.map(({ url }) => url);

    expect((await run(['crawl', dir, '--budget', '8', '--learn', '2', '--wacz', file])).code).toBe(0);

    const both = (await opened(file)).lines.map(({ url }) => url);
    expect(both.length).toBeGreaterThan(first.length);
    expect(both).toEqual(expect.arrayContaining(first));
  });

  it('leaves a file of another program unchanged', async () => {
    const dir = workspace('foreign');
    const other = join(root, 'other.wacz');
    const zip = await ZipWriter.open(other);
    await zip.add('datapackage.json', [Buffer.from('{"software":"x"}')]);
    await zip.finish();
    const before = readFileSync(other);
    const broken = join(root, 'broken.wacz');
    writeFileSync(broken, 'not a zip');

    const foreign = await run(['crawl', dir, '--budget', '4', '--wacz', other]);
    const damaged = await run(['crawl', dir, '--budget', '4', '--wacz', broken]);

    expect([foreign.code, damaged.code]).toEqual([1, 2]);
    expect(foreign.err).toContain('another program wrote it');
    expect(damaged.err).toContain('Cannot read');
    expect(readFileSync(other)).toEqual(before);
  });

  it('names wrong combinations of flags', async () => {
    const dir = workspace('flags');
    const errors = await Promise.all(
      [
        ['--wacz', 'a.zip'],
        ['--wacz', 'a.wacz', '--warc', 'a.warc'],
        ['--cdxj', 'a.cdxj'],
        ['--warc', 'a.warc', '--cdxj', 'a.txt'],
      ].map((flags) => run(['crawl', dir, ...flags])),
    );
    expect(errors.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    expect(errors.map(({ err }) => err).join()).toMatch(
      /ends in \.wacz.*cannot be combined.*Add --warc.*ends in \.cdxj/s,
    );
  });
});

describe('bingo crawl --cdxj', () => {
  it('indexes the recording', async () => {
    const dir = workspace('indexed');
    const [warc, cdxj] = [join(root, 'indexed.warc.gz'), join(root, 'indexed.cdxj')];

    const { code, err } = await run(['crawl', dir, '--budget', '4', '--learn', '2', '--warc', warc, '--cdxj', cdxj]);

    expect(code).toBe(0);
    const lines = readFileSync(cdxj, 'utf8').trim().split('\n');
    expect(err).toContain(`Indexed ${lines.length} captures`);
    expect(lines).toEqual([...lines].sort());
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
