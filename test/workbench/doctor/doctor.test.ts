import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkMachine, nodeCheck } from '../../../src/workbench/doctor/doctor.ts';

let dir: string;
const well = { env: {}, freeBytes: async () => 2 ** 40, resolveName: async () => '192.0.2.1' };
const TOPICS = 'topics: [{ name: a, examples: [http://a.test/] }]\nothers: everyday\n';
const write = (settings = ''): void => writeFileSync(join(dir, 'bingo.yaml'), TOPICS + settings);
const stateOf = async (name: string, options: object = {}) =>
  (await checkMachine({ dir, ...well, ...options })).find((check) => check.name === name);

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-doctor-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

it('finds no fault in a new workspace except for the contact', async () => {
  write();
  const checks = await checkMachine({ dir, ...well });
  expect(checks.filter(({ state }) => state !== 'ok').map(({ name }) => name)).toEqual(['contact']);
  expect(checks.map(({ name }) => name)).toEqual([
    ...['Node.js', 'workspace', 'store', 'contact', 'disk', 'DNS', 'Chromium'],
  ]);
});

it('checks only the machine outside of a workspace', async () => {
  const checks = await checkMachine({ ...well, dir: '' });
  expect(checks.map(({ name }) => name)).toEqual(['Node.js', 'disk', 'DNS', 'Chromium']);
});

it('says what to do about old Node.js, full disk, silent name servers and damaged store', async () => {
  write();
  expect(nodeCheck('20.1.0')).toMatchObject({ state: 'failed', hint: expect.stringContaining('22.19') });
  expect(await stateOf('disk', { freeBytes: async () => 10 })).toMatchObject({ state: 'warning' });
  const resolveName = async () => Promise.reject(new Error('no answer'));
  expect(await stateOf('DNS', { resolveName })).toMatchObject({ state: 'failed', message: 'no answer' });
  writeFileSync(join(dir, 'store.db'), 'not a database at all, but long enough to be read as one'.repeat(50));
  expect(await stateOf('store')).toMatchObject({ state: 'failed', hint: expect.any(String) });
  rmSync(join(dir, 'store.db'));
});

it('reports mistakes in bingo.yaml, and a silent database server without its password', async () => {
  write('network: { delayMs: soon }\n');
  expect(await stateOf('workspace')).toMatchObject({ state: 'failed' });
  write('store: mysql://me:secret@127.0.0.1:1/x\n');
  const check = await stateOf('MariaDB');
  expect([check?.state, JSON.stringify(check).includes('secret')]).toEqual(['failed', false]);
});

it('names the browser that would be used, or how to get one', async () => {
  write(`network: { browser: ${process.execPath} }\n`);
  expect(await stateOf('Chromium')).toMatchObject({ state: 'ok', message: expect.stringContaining(process.execPath) });
  write('network: { browser: /no/such/browser }\n');
  expect(await stateOf('Chromium')).toMatchObject({
    state: 'warning',
    hint: expect.stringContaining('bingo settings set network.browser'),
  });
  write('network: { render: never }\n');
  expect((await stateOf('Chromium'))?.message).toContain('never');
});
