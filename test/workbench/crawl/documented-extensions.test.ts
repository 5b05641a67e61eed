import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkspaceCrawlEvent } from '../../../src/workbench/crawl/crawl-events.ts';
import { type OpenWorkspace, openWorkspace } from '../../../src/workbench/library/open-workspace.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../../cli/support/bike-web.ts';
import { run } from '../../cli/support/captured-io.ts';

const TEXT = readFileSync(new URL('../../../docs/extensions.md', import.meta.url), 'utf8');
/** The modules of the document, by the file name in their first line. */
const MODULES: ReadonlyMap<string, string> = new Map(
  [...TEXT.matchAll(/^```js\n(\/\/ (\S+\.js)\n[\s\S]*?)^```$/gm)].map(([, code = '', name = '']) => [name, code]),
);

let web: BikeWeb;
let dir: string;
let workspace: OpenWorkspace;
const events: WorkspaceCrawlEvent[] = [];

beforeAll(async () => {
  web = await startBikeWeb();
  dir = mkdtempSync(join(tmpdir(), 'bingo-documented-'));
  const line = `extensions: [${[...MODULES.keys()].map((name) => `./${name}`).join(', ')}]\n`;
  writeFileSync(join(dir, 'bingo.yaml'), `${bikeWorkspace(web)}${line}`);
  for (const [name, code] of MODULES) writeFileSync(join(dir, name), code);
  workspace = await openWorkspace(dir, { env: {} });
  for await (const event of workspace.crawl({ budget: 20, ordering: 'anchor-words' })) events.push(event);
});

afterAll(async () => {
  await workspace.close();
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

test('the documented extensions run without a failure', () => {
  expect(events.filter((event) => event.kind === 'alarm' && event.code.startsWith('extension'))).toEqual([]);
  expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 20 });
});

test('the documented extractor adds fields that are exported, searched and queried', async () => {
  const rows = [];
  for await (const row of workspace.pages({ relevant: true })) rows.push(row);
  expect(rows.length).toBeGreaterThan(5);
  for (const { fields, title } of rows)
    expect(fields).toEqual({ hasTable: false, minutes: expect.any(Number), opening: title.split(' ')[0] });
  const [first] = rows;
  const csv = [];
  for await (const piece of workspace.export('csv', { relevant: true })) csv.push(piece);
  expect(csv.join('').split(/\r?\n/)[0]).toMatch(/,field\.hasTable,field\.minutes,field\.opening$/);
  const opening = String(first?.fields?.['opening']);
  const found = await workspace.search('saddle', { field: [`opening=${opening}`, 'minutes>0'] });
  expect(found.results.length).toBeGreaterThan(0);
  expect(found.results.every(({ title }) => title.startsWith(opening))).toBe(true);
  expect((await workspace.search('saddle', { field: ['minutes>100000'] })).matches).toBe(0);
  expect((await workspace.search('saddle field:hasTable=false')).matches).toBeGreaterThan(0);
  await expect(workspace.search('saddle', { field: ['minutes>many'] })).rejects.toThrow(/condition on a field/);
  const { rows: counted } = await workspace.sql(
    "select count(*) from page_field where name = 'minutes' and number > 0",
  );
  expect(Number(counted[0]?.[0])).toBeGreaterThan(20);
});

test('the documented page classifier votes on every page that has a title', async () => {
  const { rows } = await workspace.sql(
    "select title, page_vote.confidence from page_vote join page on page = sequence where voter = 'title-words' and page_vote.topic = 'cycling'",
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const [title, confidence] of rows) expect(confidence).toBe(/bicycle|bike/.test(String(title)) ? 1 : -0.5);
  const [url] = (await workspace.sql("select url from page where title = 'bicycle page 1'")).rows[0] ?? [];
  const { out } = await run(['why', dir, String(url)]);
  expect(out).toMatch(/title-words +yes +confidence 1\.000, calibrated 1\.00/);
});

test('the documented ordering gives every link a priority, by which links wait', async () => {
  const { rows } = await workspace.sql(
    "select count(*), sum(priority is not null and ordering = 'anchor-words') from link left join link_priority using (page, n)",
  );
  const [[links, ordered] = []] = rows;
  expect(Number(links)).toBeGreaterThan(50);
  expect(ordered).toBe(links);
  const { rows: taken } = await workspace.sql(
    "select count(*) from page where via = 'link' and priority in (select priority from link_priority)",
  );
  expect(Number(taken[0]?.[0])).toBeGreaterThan(5);
});

test('the documented event sink writes a line per accepted page', () => {
  const accepted = events.flatMap((event) => (event.kind === 'page' && event.topic !== null ? [event] : []));
  const lines = readFileSync(join(dir, 'pages.log'), 'utf8').trim().split('\n');
  expect(lines).toEqual(accepted.map(({ topic, url }) => `${topic} ${url}`));
});
