import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardOf } from '../../src/core/index.ts';
import { seededRandom } from '../../src/kit/index.ts';
import { labRun, type TaskRun } from '../../src/lab/index.ts';
import { gzippedWarc, linking, type MadePage } from './support/warc-writer.ts';

const SHARDS = 8;
const SITES = 5;
const PAGES = 60;
const RAIL = 'locomotive railway track gauge steam signal carriage platform tunnel viaduct timetable engine'.split(' ');
const FOOD = 'flour butter oven recipe dough sugar vanilla whisk simmer garlic onion saucepan'.split(' ');
const siteOf = (site: number): string => `site${site % SITES}.test`;
/** It has the pages of site 0, and a shard for itself. */
const MIRROR = 'twin.test';
let dir = '';

beforeAll(() => {
  const others = ['food.test', ...Array.from({ length: SITES }, (_, site) => siteOf(site))];
  expect(others.map((host) => shardOf(host, SHARDS))).not.toContain(shardOf(MIRROR, SHARDS));
  dir = mkdtempSync(join(tmpdir(), 'bingo-lab-mirror-'));
  writeWeb(join(dir, 'webs'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Sites on railways that link to themselves and to the next one, and a mirror to which pages of site 1 link. */
function writeWeb(webs: string): void {
  const random = seededRandom(5);
  const text = (words: readonly string[]): string =>
    Array.from({ length: 80 }, () => words[Math.floor(random() * words.length)]).join(' ');
  const pages: MadePage[] = [];
  for (let n = 0; n < 6; n++) pages.push(linking(`http://food.test/${n}`, `food ${n}`, text(FOOD), []));
  for (let site = 0; site < SITES; site++)
    for (let n = 0; n < PAGES; n++) {
      const [title, words] = [`site ${site} page ${n}`, text(RAIL)];
      const far = [`http://${siteOf(site + 1)}/${n}`, ...(site === 1 && n % 4 === 0 ? [`http://${MIRROR}/${n}`] : [])];
      for (const host of site === 0 ? [siteOf(0), MIRROR] : [siteOf(site)]) {
        const near = [1, 2, 7].map((step) => `http://${host}/${(n + step) % PAGES}`);
        pages.push(linking(`http://${host}/${n}`, title, words, [...near, ...far]));
      }
    }
  mkdirSync(webs);
  writeFileSync(join(webs, 'mirrored.warc.gz'), gzippedWarc(pages));
  const rail = Array.from({ length: SITES * PAGES }, (_, i) => `http://${siteOf(i)}/${Math.floor(i / SITES)}`);
  writeFileSync(join(webs, 'mirrored.labels.tsv'), rail.map((url) => `${url}\tRailways`).join('\n'));
  const seeds = [0, 1, 2].map((n) => `http://${siteOf(2)}/${n}`);
  const task = {
    ...{ id: 'mirrored/rail', web: 'mirrored', kind: 'plain', topics: { railways: ['Railways'] }, seeds },
    ...{ examples: { railways: seeds }, others: [0, 1, 2, 3].map((n) => `http://food.test/${n}`) },
    ...{ budget: 300, baseline: { bfs: 0.5 } },
  };
  writeFileSync(join(webs, 'tasks.json'), JSON.stringify([task]));
}

test('a spread crawl leaves a mirror in another domain and shard, once the whole has recognised it', async () => {
  const webs = join(dir, 'webs');
  const io = { out: () => {}, err: () => {}, signal: new AbortController().signal };
  const given = { tasks: join(webs, 'tasks.json'), webs, out: join(dir, 'out'), orderings: ['learned'] as const };
  expect(await labRun({ ...given, jobs: 1, spread: { shards: SHARDS, lagMs: 500 } }, io)).toBe(0);
  const { runs } = JSON.parse(readFileSync(join(given.out, 'results.json'), 'utf8')) as { runs: readonly TaskRun[] };
  const fetches = runs[0]?.spread?.fetches ?? [];
  expect(fetches.reduce((all, one) => all + one, 0)).toBeGreaterThan(280);
  // All shards fetch 20 pages in the second that the whole takes to find it and to say so.
  expect(fetches[shardOf(MIRROR, SHARDS)]).toBeLessThan(PAGES / 2);
});
