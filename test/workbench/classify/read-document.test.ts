import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/core/index.ts';
import { namedDocument } from '../../../src/workbench/index.ts';
import { startTinyWeb, type TinyWeb } from '../../support/tiny-web.ts';

let web: TinyWeb;
let dir: string;
beforeAll(async () => {
  web = await startTinyWeb();
  dir = mkdtempSync(join(tmpdir(), 'bingo-document-'));
});
afterAll(async () => {
  await web.close();
  rmSync(dir, { recursive: true });
});

it('sends the passwords of the workspace', async () => {
  writeFileSync(join(dir, 'access.txt'), `${web.origin('own.test')} basic me:pass\n`);
  const network = { ...DEFAULTS.network, allowPrivate: true, dnsServers: [web.dnsServer], access: 'access.txt' };
  await namedDocument(`${web.origin('own.test')}/`, { dir, config: { ...DEFAULTS, network } });
  const at = web.requests.lastIndexOf('own.test/');
  expect(web.headers[at]?.authorization).toBe(`Basic ${Buffer.from('me:pass').toString('base64')}`);
});

it('asks no server for a page if pages are from archive files', async () => {
  const archive = { ...DEFAULTS.archive, source: 'archive' };
  const before = web.requests.length;
  await expect(
    namedDocument(`${web.origin('own.test')}/`, { dir, config: { ...DEFAULTS, archive } }),
  ).rejects.toMatchObject({ code: expect.any(String) });
  expect(web.requests).toHaveLength(before);
});
