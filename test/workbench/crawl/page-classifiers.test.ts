import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WorkspaceCrawlEvent } from '../../../src/workbench/crawl/crawl-events.ts';
import { type OpenWorkspace, openWorkspace } from '../../../src/workbench/library/open-workspace.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../../cli/support/bike-web.ts';

let web: BikeWeb;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
});

afterAll(() => web.close());

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-classifiers-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function opened(settings = {}): Promise<OpenWorkspace> {
  return await openWorkspace(dir, { env: {}, settings });
}

/** Crawls with one page classifier, or without, and returns the events. */
async function crawled(
  classify: string | undefined,
  budget = 12,
  settings = {},
): Promise<readonly WorkspaceCrawlEvent[]> {
  const line = classify === undefined ? '' : 'extensions: [./votes.js]\n';
  writeFileSync(join(dir, 'bingo.yaml'), `${bikeWorkspace(web)}${line}`);
  rmSync(join(dir, 'votes.js'), { force: true });
  const code = `export default { kind: 'classifier', name: 'votes', classify(page, topics) { ${classify} } };`;
  if (classify !== undefined) writeFileSync(join(dir, 'votes.js'), code);
  await using workspace = await opened(settings);
  const events: WorkspaceCrawlEvent[] = [];
  for await (const event of workspace.crawl({ budget })) events.push(event);
  return events;
}

function alarms(events: readonly WorkspaceCrawlEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === 'alarm' && event.code.startsWith('extension') ? [`${event.code}: ${event.message}`] : [],
  );
}

/** Returns accepted bicycle pages that the crawl found, by their number. */
async function accepted(): Promise<readonly number[]> {
  await using workspace = await opened();
  const found: number[] = [];
  for await (const { url, role } of workspace.pages({ relevant: true }))
    if (url.includes('bikes.test') && role === 'crawled') found.push(Number(url.split('/').at(-1)));
  return found.sort((a, b) => a - b);
}

async function votesStored(): Promise<number> {
  await using workspace = await opened();
  return Number((await workspace.sql('select count(*) from page_vote')).rows[0]?.[0]);
}

/** Against bicycle pages whose number is a multiple of three; for the others. */
const THIRDS = "return { cycling: !page.url.includes('bikes') || /[369]$/.test(page.url) ? -1 : 1 };";

describe('a page classifier', () => {
  test('rejects pages that the other classifiers accept', async () => {
    await crawled(undefined);
    expect(await accepted()).toEqual(expect.arrayContaining([6, 9]));
    rmSync(dir, { recursive: true });
    dir = mkdtempSync(join(tmpdir(), 'bingo-classifiers-'));
    expect(alarms(await crawled(THIRDS))).toEqual([]);
    const found = await accepted();
    expect(found.length).toBeGreaterThan(3);
    expect(found.filter((n) => n % 3 === 0)).toEqual([]);
  });

  test('is not needed to resume, nor to judge stored pages again: their votes are kept', async () => {
    await crawled(THIRDS);
    const [before, votes] = [await accepted(), await votesStored()];
    expect(votes).toBeGreaterThan(12);
    const events = await crawled(undefined, 13);
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 13 });
    expect(alarms(events)).toEqual([expect.stringContaining('new pages are judged without it')]);
    expect(await votesStored()).toBe(votes);
    await using workspace = await opened();
    await workspace.mark({ good: [`${web.origin('bikes.test')}/${before[0]}`] });
    expect((await accepted()).length).toBeGreaterThan(3);
    const { rows } = await workspace.sql(
      "select sum(model > 0), sum(others) from page join page_vote on page = sequence where role = 'crawled' and page_vote.confidence < 0",
    );
    const [[judged, rejected] = []] = rows;
    expect(Number(judged)).toBeGreaterThan(2);
    expect(rejected).toBe(judged);
  });

  test.each([
    ['throws', 'throw new RangeError("no model");', /RangeError: no model/],
    ['returns a number', 'return 1;', /it did not return an object of confidences by topic/],
    ['returns NaN', 'return { cycling: NaN };', /the confidence in "cycling" is not a finite number/],
    ['returns text', 'return { cycling: "yes" };', /the confidence in "cycling" is not a finite number/],
    ['names an unknown topic', 'return { cycling: 1, fishing: 1 };', /unknown topic "fishing"/],
    ['changes the topics', 'topics[0].topic = "x";', /TypeError: Cannot assign to read only property/],
  ])('that %s is reported with its file and has no vote', async (_, classify, message) => {
    const events = await crawled(classify);
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 12 });
    const reported = alarms(events);
    expect(reported[0]).toMatch(message);
    expect(reported[0]).toMatch(/votes\.js \(votes\) failed/);
    expect(reported.at(-1)).toMatch(/^extension-off/);
    expect(await votesStored()).toBe(0);
    expect((await accepted()).length).toBeGreaterThan(3);
  });

  test('that never returns costs no page', async () => {
    const events = await crawled('for (;;);', 12, { 'analyze.timeoutMs': 4000 });
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 12 });
    expect(alarms(events)[0]).toMatch(/it did not return.*analysis took longer than 4000 ms/);
    expect(events.filter((event) => event.kind === 'visit' && event.reason === 'analysis-timeout')).toEqual([]);
  });
});
