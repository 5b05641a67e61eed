import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TermCounts } from '../../../src/core/index.ts';
import { hash32 } from '../../../src/kit/index.ts';
import { principalDirections } from '../../../src/postprocess/clusters/directions.ts';
import { clusterSpace } from '../../../src/postprocess/clusters/space.ts';
import {
  adjustedRandIndex,
  clusterPages,
  commonForms,
  svgPicture,
  textPicture,
} from '../../../src/postprocess/index.ts';
import { packCounts } from '../../support/pack-counts.ts';

const SUBJECTS = {
  bikes: 'bicycl wheel saddl pedal chain gear frame tour spoke brake'.split(' '),
  bread: 'oven flour butter sugar loaf yeast dough crust bake knead'.split(' '),
  stars: 'planet orbit telescop galaxi moon comet nebula lunar probe crater'.split(' '),
};
type Subject = keyof typeof SUBJECTS;

/**
 * Returns a page with some words of its subject, chosen by its number, one unique word, and words that all pages
 * share.
 */
function pageOf(subject: Subject, n: number): TermCounts {
  const words = SUBJECTS[subject].filter((_, i) => hash32(`${n}/${i}`) % 10 < 6);
  const common = ['page', 'read', 'world'];
  return packCounts([...[...words, ...common].map((word): [string, number] => [word, 1 + (n % 3)]), [`own${n}`, 2]]);
}

function pagesOf(...subjects: readonly Subject[]): TermCounts[] {
  return Array.from({ length: 20 * subjects.length }, (_, n) => pageOf(subjects[n % subjects.length]!, n));
}

describe('clusters of pages', () => {
  test('are separated by subject, one per subject', async () => {
    const { clusters, placements } = await clusterPages(pagesOf('bikes', 'bread', 'stars'));
    expect(clusters.map((cluster) => cluster.size)).toEqual([20, 20, 20]);
    const found = placements.map((placement) => placement!.cluster);
    expect(
      adjustedRandIndex(
        found,
        found.map((_, n) => n % 3),
      ),
    ).toBe(1);
  });

  test('are one if all pages are on one subject', async () => {
    expect((await clusterPages(pagesOf('bread'))).clusters).toHaveLength(1);
  });

  test('are as many as requested', async () => {
    expect((await clusterPages(pagesOf('bikes', 'bread', 'stars'), { clusters: 2 })).clusters).toHaveLength(2);
  });

  test('are labelled by words of their subject, not by words of all pages', async () => {
    const { clusters, placements } = await clusterPages(pagesOf('bikes', 'bread'));
    const bread = clusters[placements[1]!.cluster]!;
    expect(bread.terms.length).toBeGreaterThanOrEqual(5);
    expect(SUBJECTS.bread).toEqual(expect.arrayContaining(bread.terms.slice(0, 5)));
  });

  test('accept a page that was not among the clustered ones', async () => {
    const clustering = await clusterPages(pagesOf('bikes', 'stars'));
    expect(clustering.place(pageOf('stars', 999))!.cluster).toBe(clustering.placements[1]!.cluster);
    expect(clustering.place(packCounts([['unheard', 1]]))).toBeUndefined();
    expect(clustering.place(undefined)).toBeUndefined();
  });

  test('report the impurity of every number tried, lowest for the chosen number', async () => {
    const { clusters, impurities } = await clusterPages(pagesOf('bikes', 'bread'), { maxClusters: 5 });
    expect(impurities.map((one) => one.clusters)).toEqual([1, 2, 3, 4, 5]);
    const least = impurities.reduce((a, b) => (b.impurity < a.impurity ? b : a));
    expect(least.clusters).toBe(clusters.length);
  });

  test('repeat', async () => {
    const pages = pagesOf('bikes', 'bread', 'stars');
    expect((await clusterPages(pages)).placements).toEqual((await clusterPages(pages)).placements);
  });

  test.each([
    ['no pages', [], 0],
    ['pages without text', [undefined, packCounts([])], 0],
    ['one page', [pageOf('bikes', 1)], 0],
    ['copies of two pages', Array.from({ length: 20 }, (_, n) => pageOf(n % 2 ? 'bikes' : 'bread', 1)), 2],
  ])('bear %s', async (_, pages, count) => {
    expect((await clusterPages(pages, { clusters: 5 })).clusters).toHaveLength(count);
  });

  test('contain every comparable page exactly once, for any pages', async () => {
    const bag = fc.uniqueArray(
      fc.tuple(
        fc.constantFrom(...'abcdefghij').map((c) => c + c),
        fc.integer({ min: 1, max: 9 }),
      ),
      {
        selector: ([word]) => word,
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(bag.map(packCounts), { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        async (pages, k) => {
          const { clusters, placements } = await clusterPages(pages, { clusters: k });
          expect(placements).toHaveLength(pages.length);
          const sizes = clusters.map((_, c) => placements.filter((placement) => placement?.cluster === c).length);
          expect(sizes.reduce((a, b) => a + b, 0)).toBe(
            placements.filter((placement) => placement !== undefined).length,
          );
          for (const placement of placements.filter((one) => one !== undefined))
            expect(Number.isFinite(placement.x + placement.y + placement.closeness)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the features for comparing pages', () => {
  const bag = (text: string): TermCounts => packCounts(text.split(' ').map((word): [string, number] => [word, 1]));
  const pages = ['tea milk page', 'tea sugar page 7', 'tea milk page 7', 'oil gear page', 'oil chain page 7'].map(bag);

  test('are those with the greatest spread, not rare, not in most pages, not numbers', () => {
    const { names } = clusterSpace([...pages, ...pages], 100);
    // Leaves out "page" (in all pages), "7", and words in two pages of ten. "tea" (in most pages) is last.
    expect([names.toSorted(), names.at(-1)]).toEqual([['milk', 'oil', 'tea'], 'tea']);
    expect(clusterSpace([...pages, ...pages], 1).names).toHaveLength(1);
  });

  test('make a row of length 1 from a page, and none from a page without features', () => {
    const { names, row } = clusterSpace([...pages, ...pages], 100);
    const { columns, weights } = row(bag('tea milk unheard'))!;
    expect(columns.map((column) => names[column])).toEqual(['tea', 'milk']);
    expect(Math.hypot(...weights)).toBeCloseTo(1, 12);
    // df of tea: 6 of 10, of milk: 4 of 10
    expect(weights[1]! / weights[0]!).toBeCloseTo(Math.log(11 / 5) / Math.log(11 / 7), 12);
    expect([row(bag('unheard')), row(undefined)]).toEqual([undefined, undefined]);
  });
});

describe('main directions', () => {
  test('are those of greatest spread in descending order, orthogonal, around the mean', () => {
    const at = (x: number, y: number) => ({ columns: [0, 1], weights: [5 + x, 7 + y] });
    // Along (0.6, 0.8) by 3, along (0.8, −0.6) by 1.
    const rows = [
      [3, 0],
      [-3, 0],
      [0, 1],
      [0, -1],
    ].map(([a, b]) => at(0.6 * a! + 0.8 * b!, 0.8 * a! - 0.6 * b!));
    const { count, project } = principalDirections(rows, 2, 5);
    expect(count).toBe(2);
    const near = (x: number): unknown => expect.closeTo(x, 6);
    expect(rows.map(project)).toEqual([
      [near(3), near(0)],
      [near(-3), near(0)],
      [near(0), near(1)],
      [near(0), near(-1)],
    ]);
  });
});

describe('adjusted Rand index', () => {
  test('is 1 for the same groups under other names and 0 for a single group', () => {
    expect(adjustedRandIndex([1, 1, 2, 2], ['x', 'x', 'y', 'y'])).toBe(1);
    expect(adjustedRandIndex([1, 1, 1, 1], [1, 1, 2, 2])).toBe(0);
  });

  test('equals the value by the formula of Hubert and Arabie', () => {
    // Pairs in both: 2; in a: 6; in b: 4; of 15. (2 − 24/15) / (5 − 24/15)
    expect(adjustedRandIndex([1, 1, 1, 2, 2, 2], [1, 1, 2, 2, 3, 3])).toBeCloseTo(
      (2 - (6 * 3) / 15) / (4.5 - (6 * 3) / 15),
      12,
    );
  });
});

describe('words of labels', () => {
  test('are the most frequent form of each stem', () => {
    const forms = commonForms(['cycl', 'recoveri', 'unseen'], ['Cycling and cycling, cycles', 'RECOVERY of the cycle']);
    expect(Object.fromEntries(forms)).toEqual({ cycl: 'cycling', recoveri: 'recovery', unseen: 'unseen' });
    for (const text of ['cycles cycling', 'cycling cycles'])
      expect(commonForms(['cycl'], [text]).get('cycl')).toBe('cycles');
  });

  test('are whole words if stems are character pairs, and none if a pair spans two words', () => {
    const pairs = ['ータ', '享有', 'を享', 'สิ'];
    const texts = ['データベースを享有する、データベース', 'データ。享有', 'คนทุกคนมีสิทธิ'];
    expect([...commonForms(pairs, texts).values()]).toEqual(['データベース', '享有', '', 'สิทธิ']);
  });
});

describe('pictures of clusters', () => {
  const places = [
    { cluster: 0, closeness: 1, x: 0, y: 0 },
    { cluster: 1, closeness: 1, x: 1, y: 1 },
  ];

  test('put each page in its place, greater y above', () => {
    expect(textPicture(places, { width: 4, height: 2 })).toEqual(['   2', '1']);
  });

  test('are empty without pages', () => {
    expect(textPicture([], { width: 4, height: 2 })).toEqual(['', '']);
  });

  test('draw greater y above, and a legend below the pages, line by line', () => {
    const svg = svgPicture(
      places.map((place, i) => ({ ...place, title: `page ${i}` })),
      ['first', 'second'],
    );
    const numbers = (pattern: RegExp): number[][] =>
      [...svg.matchAll(pattern)].map(([, ...found]) => found.map(Number));
    const [[width, height]] = numbers(/viewBox="0 0 (\d+) (\d+)"/g) as [[number, number]];
    const [low, high] = numbers(/<circle cx="(\d+)" cy="(\d+)" r="4"/g) as [[number, number], [number, number]];
    const [first, second] = numbers(/<circle cx="(\d+)" cy="(\d+)" r="6"/g) as [[number, number], [number, number]];
    expect(0 < low[0] && low[0] < high[0] && high[0] < width).toBe(true);
    expect(0 < high[1] && high[1] < low[1] && low[1] < first[1]).toBe(true);
    expect(first[1] < second[1] && second[1] < height).toBe(true);
  });

  test('name pages by titles that cannot break out of the drawing', () => {
    const svg = svgPicture([{ ...places[0]!, title: '</title><script>alert(1)</script>\u202e' }], ['a "label" & more']);
    expect(svg).not.toContain('<script');
    expect(svg).not.toContain('\u202e');
    expect(svg).toContain('a &quot;label&quot; &amp; more');
  });
});
