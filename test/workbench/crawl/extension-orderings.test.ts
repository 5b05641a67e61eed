import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WorkspaceCrawlEvent } from '../../../src/workbench/crawl/crawl-events.ts';
import { openWorkspace } from '../../../src/workbench/library/open-workspace.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../../cli/support/bike-web.ts';

let web: BikeWeb;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
});

afterAll(() => web.close());

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-orderings-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Writes a workspace with one ordering, or without. */
function write(priorities: string | undefined, ordering = 'mine'): void {
  const line = priorities === undefined ? '' : 'extensions: [./mine.js]\n';
  writeFileSync(join(dir, 'bingo.yaml'), `${bikeWorkspace(web)}${line}crawl: { ordering: ${ordering}, learn: 0 }\n`);
  rmSync(join(dir, 'mine.js'), { force: true });
  const code = `export default { kind: 'ordering', name: 'mine', priorities(page) { ${priorities} } };`;
  if (priorities !== undefined) writeFileSync(join(dir, 'mine.js'), code);
}

async function crawled(budget: number, settings = {}): Promise<readonly WorkspaceCrawlEvent[]> {
  await using workspace = await openWorkspace(dir, { env: {}, settings });
  const events: WorkspaceCrawlEvent[] = [];
  for await (const event of workspace.crawl({ budget })) events.push(event);
  return events;
}

async function numberOf(query: string): Promise<number> {
  await using workspace = await openWorkspace(dir, { env: {} });
  return Number((await workspace.sql(query)).rows[0]?.[0]);
}

function alarms(events: readonly WorkspaceCrawlEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === 'alarm' && event.code.startsWith('extension') ? [`${event.code}: ${event.message}`] : [],
  );
}

const BY_NUMBER = 'return page.links.map(({ url }) => Number(url.split("/").at(-1)) / 20 || null);';

describe('an ordering of the user', () => {
  test('decides which link is fetched first, and a resumed crawl keeps to its priorities', async () => {
    write(BY_NUMBER);
    expect(alarms(await crawled(6))).toEqual([]);
    const stored = await numberOf('select count(*) from link_priority');
    expect(stored).toBeGreaterThan(10);
    const events = await crawled(8);
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 8 });
    const order = "select count(*) from page where via = 'link' and priority = 0 + substr(url, -2) / 20.0";
    expect(await numberOf("select count(*) from page where via = 'link'")).toBeGreaterThan(5);
    expect(
      await numberOf(`${order.replace('0 + substr(url, -2)', "replace(substr(url, -2), '/', '')")}`),
    ).toBeGreaterThan(4);
  });

  test('that no module has stops the crawl with what to do; another ordering continues it', async () => {
    write(BY_NUMBER);
    await crawled(6);
    write(undefined);
    await expect(crawled(8)).rejects.toMatchObject({ message: expect.stringMatching(/mistake|ordering/i) });
    write('return [];', 'yours');
    await expect(crawled(8)).rejects.toMatchObject({
      message: 'No extension is an ordering named "yours".',
      hint: expect.stringContaining('bingo crawl --ordering learned'),
    });
    write(undefined, 'learned');
    const events = await crawled(8);
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 8 });
    expect(alarms(events)).toEqual([expect.stringMatching(/ordering "mine" \(mine\.js\).*stay in the journal/)]);
  });

  test('that does not load stops the crawl, and names its file', async () => {
    write(BY_NUMBER);
    await crawled(6);
    rmSync(join(dir, 'mine.js'));
    const missing = {
      mistakes: [expect.objectContaining({ message: 'The file ./mine.js does not exist.', line: expect.any(Number) })],
    };
    await expect(crawled(8)).rejects.toMatchObject(missing);
    write(BY_NUMBER);
    writeFileSync(join(dir, 'broken.js'), 'export default {');
    const yaml = readFileSync(join(dir, 'bingo.yaml'), 'utf8');
    writeFileSync(join(dir, 'bingo.yaml'), yaml.replace('[./mine.js]', '[./mine.js, ./broken.js]'));
    const mistakes = [expect.objectContaining({ file: expect.stringContaining('broken.js') })];
    await expect(crawled(8)).rejects.toMatchObject({ mistakes });
    write(BY_NUMBER);
    expect((await crawled(8)).at(-1)).toMatchObject({ kind: 'summary', pages: 8 });
  });

  test.each([
    ['throws', 'throw new RangeError("no map");', /RangeError: no map/],
    ['returns a number', 'return 1;', /it did not return a list of \d+ priorities, one per link/],
    ['returns too few', 'return [0.5];', /it did not return a list of \d+ priorities, one per link/],
    ['returns NaN', 'return page.links.map(() => NaN);', /the priority NaN is not a number from 0 to 1/],
    ['returns text', 'return page.links.map(() => "1");', /the priority 1 is not a number from 0 to 1/],
    ['returns 2', 'return page.links.map(() => 2);', /the priority 2 is not a number from 0 to 1/],
  ])('that %s is reported with its file; links wait by relevance', async (_, priorities, message) => {
    write(priorities);
    const events = await crawled(12);
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 12 });
    const reported = alarms(events);
    expect(reported[0]).toMatch(message);
    expect(reported[0]).toMatch(/mine\.js \(mine\) failed/);
    expect(reported.at(-1)).toMatch(/^extension-off/);
    expect(await numberOf('select count(*) from link_priority')).toBe(0);
  });

  test('that never returns costs no page', async () => {
    write('for (;;);');
    const events = await crawled(6, { 'analyze.timeoutMs': 4000 });
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 6 });
    expect(alarms(events)[0]).toMatch(/it did not return.*analysis took longer than 4000 ms/);
  });
});
