import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeWacz } from '../../src/warc/index.ts';
import { ZipWriter } from '../../src/warc/zip-writer.ts';
import { gzippedWarc, plainWarc } from '../lab/support/warc-writer.ts';
import { archivedUrl, archiveWorkspace, bikeArchive } from '../support/bike-archive.ts';
import { run } from './support/captured-io.ts';

let root: string;
let warc: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bingo-archive-'));
  warc = join(root, 'bikes.warc.gz');
  writeFileSync(warc, gzippedWarc(bikeArchive()));
});
afterAll(() => rmSync(root, { recursive: true }));

function workspace(name: string, settings: string): string {
  const dir = join(root, name);
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), archiveWorkspace(settings));
  return dir;
}

interface Row {
  readonly url: string;
  readonly topic: string | null;
  readonly provenance?: { readonly archive: string; readonly captured: string };
}

async function rowsOf(dir: string): Promise<readonly Row[]> {
  const { out } = await run(['export', dir, '--format', 'jsonl']);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

async function packed(name: string): Promise<string> {
  const path = join(root, name);
  await writeWacz(path, { warc, title: 't', software: 'x', createdAt: 0, pages: [] });
  return path;
}

describe('a crawl of archive files', () => {
  it('fetches, judges and finds the archived pages without a network, and says where each is from', async () => {
    const dir = workspace('file', `archive: { source: archive, files: [../bikes.warc.gz] }`);

    const { code, err } = await run(['crawl', dir]);

    expect([code, err]).toEqual([0, expect.stringContaining('Indexed 24 captures in 1 file of the archive')]);
    const rows = await rowsOf(dir);
    expect(rows.length).toBeGreaterThan(14);
    for (const { provenance } of rows)
      expect(provenance).toMatchObject({ archive: 'bikes.warc.gz', captured: '2020-05-04T03:02:01.000Z' });
    const judged = rows.filter(({ url }) => !/\/[012]$/.test(url));
    expect(judged.some(({ topic }) => topic === 'bikes')).toBe(true);
    for (const { url, topic } of judged) if (topic === 'bikes') expect(url).toContain('bikes.example.org');
    const why = await run(['why', dir, archivedUrl('bikes', 3)]);
    expect(why.out).toMatch(/archive +bikes\.warc\.gz, captured 2020-05-04 03:02 UTC/);
    const sql = await run([
      'sql',
      dir,
      "select count(*) as pages from page_field where name = 'archive.captured'",
      '--json',
    ]);
    expect(JSON.parse(sql.out)).toMatchObject([{ pages: rows.length }]);
    const csv = (await run(['export', dir, '--format', 'csv'])).out;
    expect(csv.split('\r\n')[0]).toContain('archive.captured');
  });

  it('uses the index again, and makes it again if a file has changed', async () => {
    const own = join(root, 'own.warc.gz');
    writeFileSync(own, gzippedWarc(bikeArchive()));
    const dir = workspace('again', `archive: { source: archive, files: [${own}] }`);
    await run(['crawl', dir, '--budget', '4', '--learn', '2']);

    const second = await run(['crawl', dir, '--budget', '6', '--learn', '2']);
    writeFileSync(own, gzippedWarc([...bikeArchive(), { url: 'https://new.example.org/', body: 'x' }]));
    const third = await run(['crawl', dir, '--budget', '8', '--learn', '2']);

    expect(second.err).not.toContain('Indexed');
    expect(third.err).toContain('Indexed 25 captures');
  });

  it('gives the same pages from a WACZ file and from a folder, read in place', async () => {
    const folder = join(root, 'folder');
    mkdirSync(join(folder, 'deep'), { recursive: true });
    const [half, rest] = [bikeArchive().slice(0, 10), bikeArchive().slice(10)];
    writeFileSync(join(folder, 'a.warc.gz'), gzippedWarc(half));
    writeFileSync(join(folder, 'deep', 'b.warc'), plainWarc(rest));
    const wacz = await packed('bikes.wacz');
    const dirs = [
      workspace('of-file', `archive: { source: archive, files: [${warc}] }`),
      workspace('of-wacz', `archive: { source: archive, files: [${wacz}] }`),
      workspace('of-folder', `archive: { source: archive, files: [${folder}] }`),
    ];

    for (const dir of dirs) expect((await run(['crawl', dir])).code).toBe(0);

    const [one, two, three] = await Promise.all(
      dirs.map(async (dir) => (await rowsOf(dir)).map(({ url, topic }) => `${url} ${topic}`).sort()),
    );
    expect(two).toEqual(one);
    expect(three).toEqual(one);
    expect(existsSync(join(dirs[1]!, 'archive.cdxj'))).toBe(true);
  });

  it('skips damaged parts, reports them, and uses the rest', async () => {
    const cut = join(root, 'cut.warc.gz');
    writeFileSync(cut, readFileSync(warc));
    truncateSync(cut, statSync(cut).size - 20);
    const dir = workspace('cut', `archive: { source: archive, files: [${cut}] }`);

    const { code, err } = await run(['crawl', dir, '--plain']);

    expect(code).toBe(0);
    expect(err).toMatch(
      /Skipped a damaged part of the archive\. .*cut\.warc\.gz: the file ends within a gzip member at byte \d+; 23 records/,
    );
  });

  it.each([
    ['a missing file', async () => join(root, 'nowhere.warc.gz'), /does not exist/],
    [
      'an empty folder',
      async () => {
        mkdirSync(join(root, 'nothing'));
        return join(root, 'nothing');
      },
      /has no WARC or WACZ file/,
    ],
    [
      'no page',
      async () => {
        writeFileSync(join(root, 'none.warc'), plainWarc([{ url: 'dns:x', type: 'resource', body: 'x' }]));
        return join(root, 'none.warc');
      },
      /no record is a response/,
    ],
    [
      'another format',
      async () => {
        writeFileSync(join(root, 'text.warc'), 'hello, this is text');
        return join(root, 'text.warc');
      },
      /not a WARC record/,
    ],
    [
      'a WACZ file that is cut off',
      async () => {
        const path = await packed('cut.wacz');
        truncateSync(path, statSync(path).size - 200);
        return path;
      },
      /Cannot read .*cut\.wacz as a WACZ file/,
    ],
    [
      'a zip file without WARC files',
      async () => {
        const zip = await ZipWriter.open(join(root, 'plain.wacz'));
        await zip.add('readme.txt', [Buffer.from('x')]);
        await zip.finish();
        return join(root, 'plain.wacz');
      },
      /no record is a response/,
    ],
  ])('names the trouble of %s, and fetches nothing', async (name, make, message) => {
    const path = await make();
    const dir = workspace(`bad ${name}`, `archive: { source: archive, files: ["${path}"] }`);

    const { code, err } = await run(['crawl', dir]);

    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('names a source that it cannot read', async () => {
    const dir = workspace('sources', '');
    const wrong = ['wayback@2020-13-01', 'wayback@soon', 'commoncrawl@latest', 'archives'];
    for (const source of wrong) {
      const { code, err } = await run(['crawl', dir, '--source', source]);
      expect([source, code]).toEqual([source, 2]);
      expect(err).toContain('Expected live, archive, wayback@DATE or commoncrawl@ID');
    }
    const fileless = await run(['crawl', dir, '--source', 'archive']);
    expect([fileless.code, fileless.err]).toEqual([2, expect.stringContaining('archive.files names no file')]);
  });
});

/** Serves the archived pages by the protocols of a Wayback Machine and of Common Crawl. */
async function startService(): Promise<{ readonly origin: string; readonly asked: string[]; close(): void }> {
  const asked: string[] = [];
  const members = bikeArchive().map((page) => ({ ...page, bytes: gzippedWarc([page]) }));
  const file = Buffer.concat(members.map(({ bytes }) => bytes));
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const wanted = searchParams.get('url') ?? /^\/web\/\d+id_\/(.*)$/.exec(request.url ?? '')?.[1];
    const at = members.findIndex(({ url }) => url === wanted);
    const member = members[at];
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (from !== undefined) return void response.writeHead(206).end(file.subarray(Number(from), Number(to) + 1));
    if (member === undefined) return void response.writeHead(404).end();
    if (pathname.startsWith('/web/'))
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(member.body);
    const time = '20200504030201';
    if (pathname.startsWith('/cdx')) {
      const head = ['timestamp', 'original', 'mimetype', 'statuscode', 'digest', 'length'];
      return void response.end(JSON.stringify([head, [time, wanted, 'text/html', '200', 'D', '9']]));
    }
    const offset = members.slice(0, at).reduce((sum, { bytes }) => sum + bytes.length, 0);
    const place = { filename: 'a.warc.gz', offset: String(offset), length: String(member.bytes.length) };
    response.end(`${JSON.stringify({ url: wanted, timestamp: time, status: '200', ...place })}\n`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('a crawl of an archive service', () => {
  it.each(['wayback@2020-05', 'commoncrawl@CC-MAIN-2020-24'])(
    '%s finds the same pages as one of the files',
    async (source) => {
      const service = await startService();
      const { origin } = service;
      const dir = workspace(
        source,
        `archive: { pauseMs: 1, wayback: "${origin}", commoncrawl: "${origin}", commoncrawlData: "${origin}" }`,
      );
      const files = workspace(`${source} files`, `archive: { source: archive, files: [${warc}] }`);

      const nameless = await run(['crawl', dir, '--source', source]);
      const { code, err } = await run(['crawl', dir, '--source', source, '--contact', 'me@example.org']);
      await run(['crawl', files]);
      service.close();

      expect([nameless.code, nameless.err]).toEqual([2, expect.stringContaining('network.contact is empty')]);
      expect([code, err]).toEqual([0, expect.stringContaining('pages')]);
      const [served, held] = await Promise.all(
        [dir, files].map(async (each) => (await rowsOf(each)).map(({ url, topic }) => `${url} ${topic}`)),
      );
      expect(served).toEqual(held);
      expect((await run(['why', dir, archivedUrl('bikes', 3)])).out).toContain(
        `archive     ${origin}, captured 2020-05-04 03:02 UTC`,
      );
      expect(service.asked.filter((url) => url.includes('robots.txt'))).toEqual([]);
    },
  );
});

describe('bingo init --archive', () => {
  it('makes a workspace that starts at pages of the archive', async () => {
    const dir = join(root, 'made');

    const { code, err } = await run(['init', dir, '--query', 'bicycle wheel saddle', '--archive', warc]);

    expect([code, err]).toEqual([0, expect.stringContaining('Starts at 10 pages of the archive')]);
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toMatch(
      /archive:\n {2}source: "archive".*\n {2}files: \["\.\.\/bikes\.warc\.gz"\]/,
    );
    const crawled = await run(['crawl', dir, '--budget', '12', '--learn', '4']);
    expect(crawled.code).toBe(0);
    expect((await rowsOf(dir)).length).toBeGreaterThan(10);
  });

  it('leaves no folder behind if the archive cannot be read', async () => {
    const dir = join(root, 'unmade');
    const { code, err } = await run(['init', dir, '--query', 'bicycle', '--archive', join(root, 'nowhere.wacz')]);
    expect([code, existsSync(dir)]).toEqual([2, false]);
    expect(err).toContain('does not exist');
  });
});

describe('bingo export --format wacz', () => {
  it('writes the accepted pages with redirects, parts and repeated bodies, and nothing else', async () => {
    const body =
      '<title>wheel</title><link rel=stylesheet href=/s.css><img src="/p.png"><p>bicycle wheel saddle pedal chain gear frame rider touring';
    const at = { 'WARC-Date': '2020-05-04T03:02:01Z', 'WARC-Payload-Digest': 'sha1:PIC' };
    const own = join(root, 'parts.warc');
    writeFileSync(
      own,
      plainWarc([
        ...bikeArchive(),
        { url: 'https://bikes.example.org/old', status: 302, headers: { Location: '/extra' } },
        { url: 'https://bikes.example.org/extra', body },
        {
          url: 'https://bikes.example.org/s.css',
          headers: { 'Content-Type': 'text/css' },
          body: 'p{background:url(bg.png)}',
        },
        { url: 'https://bikes.example.org/bg.png', headers: { 'Content-Type': 'image/png' }, body: 'PNG' },
        {
          url: 'https://cdn.example.org/p.png',
          headers: { 'Content-Type': 'image/png' },
          body: 'PIC',
          warcHeaders: at,
        },
        {
          url: 'https://bikes.example.org/p.png',
          type: 'revisit',
          warcHeaders: {
            ...at,
            'WARC-Refers-To-Target-URI': 'https://cdn.example.org/p.png',
            'WARC-Refers-To-Date': '2020-05-04T03:02:01Z',
          },
        },
        { url: 'https://bikes.example.org/unused.png', body: 'x' },
      ]),
    );
    const dir = workspace('chosen', `archive: { source: archive, files: [${own}] }`);
    writeFileSync(
      join(dir, 'bingo.yaml'),
      archiveWorkspace(`archive: { source: archive, files: [${own}] }`).replace(
        'examples: [',
        'seeds: [https://bikes.example.org/old]\n    examples: [',
      ),
    );
    expect((await run(['crawl', dir, '--budget', '30'])).code).toBe(0);
    const out = join(root, 'best.wacz');

    const { code, err } = await run(['export', dir, '--out', out]);

    expect(code).toBe(0);
    expect(err).toMatch(/\d+ pages and \d+ records written to/);
    const check = workspace('of-best', `archive: { source: archive, files: [${out}] }`);
    await run(['crawl', check, '--budget', '4', '--learn', '2']);
    const urls =
      readFileSync(join(check, 'archive.cdxj'), 'utf8')
        .match(/"url":"[^"]+"/g)
        ?.map((text) => text.slice(7, -1)) ?? [];
    expect(urls).toEqual(
      expect.arrayContaining(
        ['/old', '/extra', '/s.css', '/bg.png', '/p.png', '/0'].map((path) => `https://bikes.example.org${path}`),
      ),
    );
    expect(urls).toContain('https://cdn.example.org/p.png');
    expect(urls.filter((url) => /unused|food/.test(url))).toEqual([]);
  });

  it('names a missing recording, and a format without one', async () => {
    const dir = workspace('unrecorded', `archive: { source: archive, files: [${warc}] }`);
    await run(['crawl', dir, '--budget', '4', '--learn', '2']);
    writeFileSync(join(dir, 'bingo.yaml'), archiveWorkspace(''));
    const nameless = await run(['export', dir, '--out', join(root, 'no.wacz')]);
    const textual = await run(['export', dir, '--archive', warc]);
    const unnamed = await run(['export', dir, '--format', 'wacz']);
    expect([nameless.code, textual.code, unnamed.code]).toEqual([2, 2, 2]);
    expect(nameless.err + textual.err + unnamed.err).toMatch(
      /no recording is named.*--archive is for wacz.*Name it with --out/s,
    );
  });
});
