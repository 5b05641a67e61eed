import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer } from '../../src/server/index.ts';
import { openWorkspace } from '../../src/workbench/index.ts';
import { page } from '../contracts/store-records.ts';
import { run } from './support/captured-io.ts';
import { type MadeWorkspace, makeWorkspace } from './support/made-workspace.ts';

const YAML = `topics:
  - name: databases
    examples: [https://a.example/]
others: [https://o.example/]
`;

let made: MadeWorkspace;

beforeAll(async () => {
  made = await makeWorkspace(YAML, [
    (n) => page(n, 'https://a.example/', { topic: 'databases', stems: { databas: 3 } }),
    (n) => page(n, 'https://b.example/', { topic: 'databases', stems: { recoveri: 4, log: 1 } }),
  ]);
});
afterAll(() => rmSync(made.dir, { recursive: true, force: true }));

it('says how to turn the log on while it is off', async () => {
  await run(['search', made.dir, 'recovery']);
  const { code, out, err } = await run(['queries', made.dir]);
  expect([code, out]).toEqual([0, '']);
  expect(err).toContain('search.log true');
});

it('logs searches of the command line, the page and programs, with opened results', async () => {
  const env = { BINGO_SEARCH_LOG: 'true' };
  await run(['search', made.dir, 'recovery'], { env });
  const workspace = await openWorkspace(made.dir, { env: {}, settings: { 'search.log': true } });
  const server = await startServer({ workspaces: [workspace], port: 0 });
  try {
    const shown = await (await fetch(`${server.url}?q=recovery`)).text();
    const [, link = ''] = /href="(\/open\?[^"]+)"/.exec(shown) ?? [];
    const opened = await fetch(new URL(link.replaceAll('&amp;', '&'), server.url), { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, 'https://b.example/']);
    const strange = await fetch(`${server.url}open?q=recovery&url=https%3A%2F%2Fevil.example%2F`, {
      redirect: 'manual',
    });
    expect(strange.status).toBe(404);
    await fetch(`${server.url}search.json?q=log`);
  } finally {
    await server.close();
    await workspace.close();
  }
  const { out } = await run(['queries', made.dir, '--json']);
  expect(JSON.parse(out)).toEqual([
    expect.objectContaining({ query: 'log', from: ['api'], times: 1, matches: 1 }),
    expect.objectContaining({ query: 'recovery', from: ['search', 'serve'], times: 2, opened: ['https://b.example/'] }),
  ]);
  const listed = await run(['queries', made.dir], { env });
  const shown = listed.out.trim().split('\n').slice(2);
  expect(shown.map((line) => line.split(/\s+/).at(-1))).toEqual(['log', 'recovery']);
});

it('exports the log, deletes a query and deletes all', async () => {
  const file = join(made.dir, 'out.jsonl');
  expect((await run(['queries', made.dir, '--export', file])).err).toContain('4 entries');
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(4);
  const unknown = await run(['queries', made.dir, '--delete', 'saddle']);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('saddle')]);
  expect((await run(['queries', made.dir, '--delete', 'Recovery', '--json'])).out).toBe('{"removed":3}\n');
  expect((await run(['queries', made.dir, '--delete-all'])).err).toContain('1 entry');
  expect((await run(['queries', made.dir, '--json'])).out).toBe('[]\n');
});
