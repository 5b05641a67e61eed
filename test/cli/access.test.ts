import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-access-'));
  dir = join(root, 'bikes');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  writeFileSync(join(dir, 'cookies.txt'), 'bikes.test\tFALSE\t/\tFALSE\t0\tlogin\tsecret-cookie\n');
  writeFileSync(join(dir, 'access.txt'), `${web.origin('bikes.test')} basic me:secret-password\n`);
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

describe('cookies and passwords of the user', () => {
  it('are in no recording, export, log, or store', async () => {
    const warc = join(root, 'bikes.warc.gz');
    const flags = ['--set', 'network.cookies=cookies.txt', '--set', 'network.access=access.txt', '--warc', warc];

    const { code, err, out } = await run(['crawl', dir, '--budget', '8', '--learn', '2', '--json', ...flags]);

    expect(code).toBe(0);
    const exported = (await run(['export', dir, '--format', 'jsonl', '--text'])).out;
    const settings = (await run(['settings', dir, '--all'])).out;
    const secrets = /secret-(?:cookie|password)|c2VjcmV0|bWU6c2VjcmV0/;
    expect([err, out, exported, settings].filter((text) => secrets.test(text))).toEqual([]);
    expect(gunzipSync(readFileSync(warc)).toString('latin1')).not.toMatch(secrets);
    for (const name of readdirSync(dir).filter((file) => !/^(?:cookies|access)\.txt$/.test(file)))
      expect([name, secrets.test(readFileSync(join(dir, name)).toString('latin1'))]).toEqual([name, false]);
  });

  it('are reported with file and line if they are malformed, before anything is fetched', async () => {
    const before = web.requests.length;
    writeFileSync(join(dir, 'bad.txt'), '# Netscape\nbikes.test TRUE / login secret-cookie\n');
    const cookies = await run(['crawl', dir, '--set', 'network.cookies=bad.txt']);
    const access = await run(['crawl', dir, '--set', 'network.access=bad.txt']);
    const missing = await run(['crawl', dir, '--set', 'network.cookies=none.txt']);
    const proxy = await run(['crawl', dir, '--proxy', 'socks4://127.0.0.1:9']);
    const silent = await run(['crawl', dir, '--proxy', 'socks5://127.0.0.1:9']);
    expect([cookies.code, access.code, missing.code, proxy.code, silent.code]).toEqual([2, 2, 2, 2, 1]);
    expect(cookies.err).toContain('bad.txt, line 2: Expected 7 fields separated by tabs');
    expect(access.err).toContain('bad.txt, line 2: Expected HOST basic');
    expect(missing.err).toContain('Cannot read none.txt');
    expect(proxy.err).toContain('socks5:// URL');
    expect(silent.err).toContain('The proxy socks5://127.0.0.1:9 does not answer');
    expect(cookies.err + access.err).not.toContain('secret-cookie');
    expect(web.requests.length).toBe(before);
  });
});
