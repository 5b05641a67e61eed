import { createReadStream, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { FrozenWeb, serveFrozenWeb } from '../../src/lab/index.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeFolder, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-recording-'));
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

function workspace(name: string): string {
  return bikeFolder(root, name, web);
}

/** Returns the pages of a crawl with their verdicts. */
async function pagesOf(dir: string): Promise<unknown[]> {
  const { out } = await run(['export', dir, '--format', 'jsonl']);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map(({ finalUrl, topic, confidence, title }) => [finalUrl, topic, confidence, title]);
}

/** Returns the targets of the responses, read by an independent library. */
async function recordedUrls(path: string): Promise<string[]> {
  const urls: string[] = [];
  for await (const { warcType, warcTargetURI } of WARCParser.iterRecords(createReadStream(path)))
    if (warcType === 'response' || warcType === 'revisit') urls.push(warcTargetURI ?? '');
  return urls;
}

describe('bingo crawl --warc', () => {
  it('records every answer with robots.txt; replaying it gives the same pages', async () => {
    const live = workspace('live');
    const file = join(root, 'live.warc.gz');
    const before = web.requests.length;

    const { code, err } = await run(['crawl', live, '--budget', '16', '--learn', '4', '--warc', file]);

    expect(code).toBe(0);
    expect(err).toContain(`bingo lab serve ${file}`);
    const asked = web.requests.slice(before);
    expect((await recordedUrls(file)).length).toBe(asked.length);
    expect((await recordedUrls(file)).some((url) => url.endsWith('/robots.txt'))).toBe(true);

    const frozen = await FrozenWeb.open(file);
    const server = await serveFrozenWeb({ web: frozen, port: 0 });
    const again = workspace('again');
    const proxy = `http://127.0.0.1:${server.port}`;
    expect((await run(['crawl', again, '--budget', '16', '--learn', '4', '--proxy', proxy])).code).toBe(0);
    await server.close();
    frozen.close();

    expect(await pagesOf(again)).toEqual(await pagesOf(live));
    expect(web.requests.length).toBe(before + asked.length);
  });

  it('continues an earlier recording, even if its last record is truncated', async () => {
    const dir = workspace('resumed');
    const file = join(root, 'resumed.warc.gz');
    await run(['crawl', dir, '--budget', '4', '--learn', '2', '--warc', file]);
    const first = await recordedUrls(file);
    truncateSync(file, statSync(file).size - 3);

    const { code, err } = await run(['crawl', dir, '--budget', '8', '--learn', '2', '--warc', file]);

    expect(code).toBe(0);
    expect(err).toContain('the last record was cut off');
    const urls = await recordedUrls(file);
    expect(urls.slice(0, first.length)).toEqual(first);
    expect(urls.length).toBeGreaterThan(first.length);
  });

  it('rejects a name without a known extension, and a file with other contents', async () => {
    const dir = workspace('refused');
    const letter = join(root, 'letter.warc');
    writeFileSync(letter, 'Dear Sir');

    const named = await run(['crawl', dir, '--warc', join(root, 'crawl.zip')]);
    const foreign = await run(['crawl', dir, '--warc', letter]);

    expect([named.code, foreign.code]).toEqual([2, 1]);
    expect(named.err).toContain('.warc.gz');
    expect(foreign.err).toContain('holds no WARC records');
  });
});
