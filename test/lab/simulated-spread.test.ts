import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LabRunOptions, labRun, type TaskRun } from '../../src/lab/index.ts';
import { writeTwoTopics } from './support/two-topics.ts';

let dir = '';
let given: { readonly tasks: string; readonly webs: string };
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-lab-spread-'));
  given = writeTwoTopics(join(dir, 'webs'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function run(
  options: Partial<LabRunOptions>,
): Promise<{ readonly runs: readonly TaskRun[]; readonly out: string }> {
  const out = mkdtempSync(join(dir, 'out-'));
  let text = '';
  const io = { out: (more: string) => (text += more), err: () => {}, signal: new AbortController().signal };
  expect(await labRun({ ...given, out, orderings: ['learned', 'bingo'], jobs: 1, ...options }, io)).toBe(0);
  const { runs } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as { runs: readonly TaskRun[] };
  return { runs, out: text };
}

describe('a spread crawl in the lab', () => {
  test('one shard without a lag fetches and learns what one crawl does', async () => {
    const settings = { learn: { retrainEvery: 5 } };
    const one = await run({ settings });
    const spread = await run({ settings, spread: { shards: 1, lagMs: 0 } });
    expect(spread.runs.map(({ spread: _, ...rest }) => rest)).toEqual(one.runs);
  });

  test('several shards fetch as many pages, none twice, and the same ones each time', async () => {
    const spread = { shards: 4, lagMs: 500 };
    const [first, again] = [await run({ spread }), await run({ spread })];
    expect(again).toEqual(first);
    for (const { fetched, measures, spread } of first.runs) {
      expect(measures.fetches).toBe(30);
      expect(new Set(fetched.map(({ url }) => url)).size).toBe(fetched.length);
      expect(spread?.by).toBe('host');
      expect(spread?.fetches.filter((fetches) => fetches > 0).length).toBeGreaterThan(1);
      expect(spread?.foreign).toBeGreaterThan(0.3);
    }
    expect(first.out).toContain('Spread over 4 shards; what one stores reaches others after 500 ms');
    expect(first.out).toContain('divided by host');
  });
});
