import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NO_CURATION, type PortalSource, writePortal } from '../../../src/postprocess/index.ts';
import { dateBars } from '../../../src/postprocess/portal/dates.ts';
import { packCounts } from '../../support/pack-counts.ts';
import { row, source, tree } from './portal-source.ts';

/** Words of three kinds of pages. */
const KINDS = [
  ['wheel', 'spoke', 'hub', 'rim'],
  ['tent', 'stove', 'camp', 'sleep'],
  ['river', 'bank', 'bridge', 'boat'],
];
const PAGES = 60;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bingo-portal-pictures-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Pages of one topic: of three kinds, with years; page 1 links to 2, 3 and 4. */
const drawn: PortalSource = {
  ...source,
  async *exportPages() {
    for (let n = 1; n <= PAGES; n++)
      yield row(n, 'bikes', { relevance: 1 / n, fields: { 'bib.published': `${2000 + (n % 10)}-05` } });
  },
  histories: async function* () {},
  training: async () => [],
  scoredPages: async () =>
    [1, 2, 3, 4].map((sequence) => ({ sequence, hub: sequence === 1 ? 1 : 0, authority: sequence === 1 ? 0 : 0.5 })),
  pageLinks: async function* (pages) {
    if (pages.includes(1))
      yield [
        { from: 1, to: 2 },
        { from: 1, to: 2 },
        { from: 1, to: 3 },
        { from: 1, to: 4 },
        { from: 1, to: 50 },
      ];
  },
  words: async (sequences) =>
    new Map(
      sequences.map((n) => {
        const words = KINDS[n % 3]!;
        const terms = packCounts(words.map((word, i) => [word, 2 + ((n + i) % 3)]));
        return [n, { text: `About ${words.join(' ')}.`, terms }];
      }),
    ),
};

async function topicPage(from: PortalSource): Promise<string> {
  await writePortal(from, { tree, title: 'Bikes' }, folder);
  return readFileSync(join(folder, 'topics', 'bikes.html'), 'utf8');
}

describe('pictures of a topic', () => {
  test('a map has a dot for each page and names its groups after their words', async () => {
    const page = await topicPage(drawn);
    const map = page.slice(page.indexOf('<div class="map">'));
    expect(map.match(/M\d+ \d+h0/g)).toHaveLength(PAGES);
    const groups = [...map.matchAll(/<b dir="auto">([^<]*)<\/b>/g)].map(([, words = '']) => words.split(', ').sort());
    expect(groups.toSorted()).toEqual(KINDS.map((words) => words.toSorted()).sort());
    expect(map).toContain('aria-label="60 pages in 3 groups"');
  });

  test('the links between listed pages are drawn once each, beside a list with their numbers', async () => {
    const page = await topicPage(drawn);
    const arcs = page.slice(page.indexOf('<div class="arcs">'));
    expect(/<path d="([^"]*)"/.exec(arcs)?.[1]?.match(/M/g)).toHaveLength(3);
    expect(arcs).toContain('aria-label="4 pages, 3 links between them"');
    expect(arcs).toContain('Page 1</a> <span class="facts">links to 3</span>');
    expect(arcs).toContain('Page 2</a> <span class="facts">linked by 1</span>');
  });

  test('a timeline counts pages by the year in which they say that they were published', async () => {
    const page = await topicPage(drawn);
    expect(page).toContain('aria-label="60 pages, 2000 to 2009"');
    expect(page).toContain('<title>2004: 6 pages</title>');
    expect(page).toContain('<li>2004<span class="count">6</span></li>');
  });

  test('are left out if there is nothing to see', async () => {
    const page = await topicPage(source);
    for (const name of ['map', 'links', 'dates']) expect(page, name).not.toContain(`id="${name}"`);
  });

  test('take few kilobytes', async () => {
    const page = await topicPage(drawn);
    const drawings = [...page.matchAll(/<svg.*?<\/svg>/gs)].reduce((sum, [svg]) => sum + svg.length, 0);
    expect(drawings).toBeLessThan(5_000);
  });
});

test('pictures that pages name for themselves are shown only if the editor wants them', async () => {
  const image = 'https://site1.example/cover.png';
  const from: PortalSource = {
    ...drawn,
    async *exportPages() {
      yield row(1, 'bikes', { fields: { 'bib.image': image } });
    },
  };
  const asked: string[] = [];
  const thumbnails = async (urls: readonly string[]) => {
    asked.push(...urls);
    return new Map([[image, { name: 'cover.png', bytes: Buffer.from('picture') }]]);
  };
  await writePortal(from, { tree, title: 'Bikes', thumbnails }, folder);
  expect(asked).toEqual([]);
  const curation = { ...NO_CURATION, thumbnails: true };
  await writePortal(from, { tree, title: 'Bikes', curation, thumbnails }, folder);
  expect(asked).toEqual([image]);
  expect(readFileSync(join(folder, 'thumbnails', 'cover.png'), 'utf8')).toBe('picture');
  expect(readFileSync(join(folder, 'topics', 'bikes.html'), 'utf8')).toContain('src="../thumbnails/cover.png" alt=""');
});

describe('bars of a timeline', () => {
  const now = Date.UTC(2026, 5, 1);
  const pages = (...dates: string[]): { published: string }[] => dates.map((published) => ({ published }));

  test('are months if all pages are of the last few years', () => {
    expect(dateBars(pages('2025-11', '2025-11-03', '2026-01-01', '2026-01', '2026-01-30'), now)).toEqual([
      { name: '2025-11', pages: 2 },
      { name: '2025-12', pages: 0 },
      { name: '2026-01', pages: 3 },
    ]);
  });

  test('leave out years to come and those long ago', () => {
    const bars = dateBars(pages('1850', '2031', '2020', '2021', '2022', '2023', '2024', ''), now);
    expect(bars.map(({ name }) => name)).toEqual(['2020', '2021', '2022', '2023', '2024']);
  });

  test('are missing if too few pages have a date', () => {
    expect(dateBars(pages('2020', '2021', '', ''), now)).toEqual([]);
  });
});
