import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  dir = mkdtempSync(join(tmpdir(), 'bingo-extractors-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Crawls with one extractor, or without, and returns the events. */
async function crawled(extract: string | undefined, budget = 12): Promise<readonly WorkspaceCrawlEvent[]> {
  const line = extract === undefined ? '' : 'extensions: [./fields.js]\n';
  writeFileSync(join(dir, 'bingo.yaml'), `${bikeWorkspace(web)}${line}`);
  const code = `export default { kind: 'extractor', name: 'fields', extract(page) { ${extract} } };`;
  if (extract !== undefined) writeFileSync(join(dir, 'fields.js'), code);
  await using workspace = await openWorkspace(dir, { env: {}, settings: { 'analyze.timeoutMs': 1500 } });
  const events: WorkspaceCrawlEvent[] = [];
  for await (const event of workspace.crawl({ budget })) events.push(event);
  return events;
}

function alarms(events: readonly WorkspaceCrawlEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === 'alarm' && event.code.startsWith('extension') ? [`${event.code}: ${event.message}`] : [],
  );
}

async function fieldsStored(): Promise<number> {
  await using workspace = await openWorkspace(dir, { env: {} });
  return Number((await workspace.sql('select count(*) from page_field')).rows[0]?.[0]);
}

describe('an extractor', () => {
  test('is not needed to resume: stored fields stay, and new pages have none', async () => {
    await crawled('return { letters: page.text.length };');
    const before = await fieldsStored();
    expect(before).toBeGreaterThan(12);
    const events = await crawled(undefined, 18);
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 18 });
    expect(alarms(events)).toEqual([
      'extension-missing: The extractor "fields" (fields.js) took part in the last run and is missing now. Stored pages keep the fields that it added; new pages get none.',
    ]);
    const at = (kind: string): number => events.findIndex((event) => event.kind === kind);
    expect(at('alarm')).toBeLessThan(at('page'));
    expect(alarms(await crawled(undefined, 19))).toEqual([]);
    expect(events.some((event) => event.kind === 'page' && event.fields !== undefined)).toBe(false);
    expect(await fieldsStored()).toBe(before);
  });

  test.each([
    ['throws', 'throw new RangeError("no price");', /RangeError: no price/],
    ['returns a list', 'return [1];', /it did not return an object of fields/],
    ['returns nested values', 'return { a: { b: 1 } };', /the field "a" is not a string/],
    ['returns NaN', 'return { a: NaN };', /the field "a" is not a string, a finite number/],
    ['returns a long string', 'return { a: "x".repeat(5000) };', /the field "a" is longer than 4000 characters/],
  ])('that %s is reported with its file and switched off', async (_, extract, message) => {
    const events = await crawled(extract);
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 12 });
    const reported = alarms(events);
    expect(reported[0]).toMatch(message);
    expect(reported[0]).toMatch(/fields\.js \(fields\) failed/);
    expect(reported.at(-1)).toMatch(/^extension-off/);
    expect(await fieldsStored()).toBe(0);
  });

  test('that never returns costs no page', async () => {
    const events = await crawled('for (;;);');
    expect(events.at(-1)).toMatchObject({ kind: 'summary', pages: 12 });
    expect(alarms(events)[0]).toMatch(/it did not return.*analysis took longer than 1500 ms/);
    expect(events.filter((event) => event.kind === 'visit' && event.reason === 'analysis-timeout')).toEqual([]);
  });
});
