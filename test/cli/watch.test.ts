import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StandingQuery } from '../../src/workbench/index.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

const SQL = "select final_url, title from page where role = 'crawled'";

let web: TinyWeb;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
  dir = join(mkdtempSync(join(tmpdir(), 'bingo-watch-')), 'bikes');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
});
afterAll(async () => {
  await web.close();
  rmSync(join(dir, '..'), { recursive: true });
});

async function list(): Promise<readonly StandingQuery[]> {
  const { out } = await run(['watch', dir, 'list', '--json']);
  return JSON.parse(out) as readonly StandingQuery[];
}

it('suggests to add a query, and rejects wrong input', async () => {
  expect(await run(['watch', dir, 'list'])).toMatchObject({ code: 0, out: '', err: expect.stringContaining('watch') });
  const wrong = [['hub gears'], ['add'], ['remove', 'nothing'], ['list', 'words']];
  for (const words of wrong) expect((await run(['watch', dir, ...words])).code).toBe(2);
  const unknown = await run(['watch', dir, 'hub gears']);
  expect(unknown.err).toContain("add 'hub gears'");
});

it('asks a query that was added before the first crawl', async () => {
  expect((await run(['watch', dir, 'add', 'saddle', 'pedal'])).err).toContain('first crawl');
  const again = await run(['watch', dir, 'add', 'saddle pedal']);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('already')]);
  const { err } = await run(['crawl', dir, '--budget', '6', '--learn', '2', '--plain']);
  const [, found = ''] = /(\d+) new for "saddle pedal"/.exec(err) ?? [];
  expect(Number(found)).toBeGreaterThan(0);
  const [query] = await list();
  expect(query?.news).toHaveLength(Number(found));
});

it('does not count as new what a query finds when it is added', async () => {
  await run(['watch', dir, 'add', SQL]);
  expect(await list()).toMatchObject([{ kind: 'search' }, { kind: 'sql', news: [] }]);
});

it('keeps what a crawl found until it is marked as seen', async () => {
  const { out } = await run(['crawl', dir, '--budget', '10', '--json']);
  const summary = JSON.parse(out.trim().split('\n').at(-1)!) as {
    readonly standing: readonly { readonly query: string; readonly found: readonly unknown[] }[];
  };
  const sql = summary.standing.find(({ query }) => query === SQL);
  expect(sql?.found).toHaveLength(4);
  const shown = await run(['watch', dir, 'list']);
  expect(shown.out).toContain(`2. ${SQL}: 4 new`);
  expect(shown.out).toContain('bikes.test');
  expect((await run(['watch', dir, 'ask'])).out).toContain(': 4 new');
  expect((await run(['watch', dir, 'seen'])).err).toMatch(/^Marked \d+ findings as seen/);
  expect((await list()).map(({ news }) => news)).toEqual([[], []]);
});

it('reports a statement that fails, and still ends the crawl well', async () => {
  await run(['watch', dir, 'remove', '2']);
  const invalid = await run(['watch', dir, 'add', 'select nothing from page']);
  expect(invalid.code).not.toBe(0);
  expect(await list()).toHaveLength(1);
});

it('says where the list is damaged', async () => {
  writeFileSync(join(dir, 'standing.json'), '{"queries":[{"query":1}]}');
  const { code, err } = await run(['watch', dir, 'list']);
  expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('standing.json is damaged')]);
});

it('runs what a schedule made due, in a process of its own', async () => {
  rmSync(join(dir, 'standing.json'));
  const none = await run(['watch', dir]);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('has no schedule')]);
  await run(['settings', 'set', dir, 'schedule.portal', '0 0 1 1 *']);
  const planned = JSON.parse((await run(['watch', dir, '--plan', '--limit', '2', '--json'])).out) as readonly unknown[];
  expect(planned).toMatchObject([{ job: 'portal', when: '0 0 1 1 *' }, { job: 'portal' }]);
  expect((await run(['watch', dir, '--once'])).err).toMatch(/^Next: portal of .+ at \d{4}-01-01 00:00\.\n$/);
  writeFileSync(join(dir, 'watch/state.json'), '{"done":{"portal":0}}');
  const due = await run(['watch', dir, '--once'], { env: process.env });
  expect([due.code, due.err]).toEqual([0, expect.stringContaining('portal ended')]);
  expect(readFileSync(join(dir, 'site/index.html'), 'utf8')).toContain('<html');
  expect(readFileSync(join(dir, 'watch/portal.txt'), 'utf8')).toContain('open');
});

it('refuses words that are neither a workspace nor an action', async () => {
  expect((await run(['watch', dir, 'run'])).err).toContain('ask asks the standing queries');
  expect((await run(['watch', dir, 'hub gears'])).err).toContain("add 'hub gears'");
});
