import { describe, expect, test } from 'vitest';
import { type CanonicalUrl, canonicalize } from '../../../src/core/index.ts';
import { type AdaptedSystem, simulateDays } from '../../../src/lab/adapt/adapt-days.ts';
import { adaptPictures, adaptTables, gainsOf } from '../../../src/lab/adapt/adapt-report.ts';
import { meanCosine } from '../../../src/lab/adapt/collection-measures.ts';
import { drawQueries, titleOf } from '../../../src/lab/adapt/drifting-queries.ts';
import type { Labels } from '../../../src/lab/index.ts';

const at = (url: string): CanonicalUrl => canonicalize(url)!;
const SUBJECTS = ['Animals/Birds', 'Animals/Fish', 'Rocks'];
const LABELS: Labels = new Map([
  [at('http://w.test/Barn_Owl.htm'), ['Animals/Birds']],
  [at('http://w.test/Cod.htm'), ['Animals/Fish']],
  [at('http://w.test/Granite.htm'), ['Rocks']],
]);

describe('the queries of a community', () => {
  const drift = { subjects: SUBJECTS, days: 2, queries: 40, next: 0.25, seed: 1 };

  test('are titles of pages of the subject of the day, some of the next day', () => {
    const [first, second, ...more] = drawQueries(LABELS, drift);
    expect(more).toEqual([]);
    expect(new Set(first!.map(({ query }) => query))).toEqual(new Set(['Barn Owl', 'Cod']));
    expect(new Set(second!.map(({ query }) => query))).toEqual(new Set(['Cod', 'Granite']));
    expect(first!.filter(({ subject }) => subject === 'Animals/Birds').length).toBeGreaterThan(20);
    expect(drawQueries(LABELS, drift)).toEqual([first, second]);
  });

  test('need a page for each subject, and one subject more than days', () => {
    expect(() => drawQueries(LABELS, { ...drift, days: 3 })).toThrow('3 days need 4 subjects');
    expect(() => drawQueries(LABELS, { ...drift, subjects: ['Rocks', 'Plants', 'Rocks'] })).toThrow('"Plants"');
  });

  test('are read from addresses that cannot be decoded, too', () => {
    expect(titleOf(at('http://w.test/a/Blue_Whale_(animal).htm'))).toBe('Blue Whale animal');
    expect(titleOf('http://w.test/50%25_off' as CanonicalUrl)).toBe('50 off');
  });
});

test('the cosine of pages and queries is 1 for the same words, 0 for other words', () => {
  expect(meanCosine(['owl', 'granite'], ['owl'])).toBeCloseTo(0.5);
  expect(meanCosine(['owl owl', 'owl'], ['owl'])).toBeCloseTo(1);
  // Rare words count more: ln 3 for "owl", which one of two pages has, ln 2 for "bird", which both have.
  const [owl, bird] = [Math.log(3), Math.log(2)];
  const both = owl / Math.hypot(owl, bird);
  expect(meanCosine(['owl bird', 'bird'], ['owl'])).toBeCloseTo(both / 2);
  expect(meanCosine([], ['owl'])).toBe(0);
});

/** A system that has one page: of fish at first, then of the last query that it adapted to. */
function fakeSystem(log: string[], name: string): AdaptedSystem {
  let url = 'http://w.test/Cod.htm';
  return {
    begin: async (pages) => void log.push(`${name} begins with ${pages}`),
    crawl: async (pages) => void log.push(`${name} crawls ${pages}`),
    adapt: async (queries) => {
      log.push(`${name} adapts to ${queries.join(', ')}`);
      url = `http://w.test/${queries.at(-1)!.replaceAll(' ', '_')}.htm`;
      return 7;
    },
    search: async () => [url],
    pages: async () => [{ url, text: titleOf(at(url)) }],
    close: async () => void log.push(`${name} closes`),
  };
}

const DAYS = [
  [{ query: 'Barn Owl', subject: 'Animals/Birds' }],
  [{ query: 'Barn Owl', subject: 'Animals/Birds' }],
  [{ query: 'Granite', subject: 'Rocks' }],
];

describe('simulated days', () => {
  const simulate = async (): Promise<{
    readonly figures: Awaited<ReturnType<typeof simulateDays>>;
    readonly log: string[];
  }> => {
    const log: string[] = [];
    const open = async (name: string): Promise<AdaptedSystem> => fakeSystem(log, name);
    const rest = {
      labels: LABELS,
      days: DAYS,
      pages: 9,
      sample: 9,
      seed: 1,
      signal: new AbortController().signal,
      onDay: () => {},
    };
    return { figures: await simulateDays({ open, ...rest }), log };
  };

  test('score each system by the labels, with its new pages and its cost', async () => {
    const { figures, log } = await simulate();
    const adapted = figures.filter(({ system }) => system === 'adapt');
    expect(adapted).toEqual([
      { day: 1, system: 'adapt', precisions: [0], repeated: [], cosine: 0, pages: 1, newPages: 0, fetched: 0 },
      expect.objectContaining({
        day: 2,
        precisions: [0.1],
        repeated: [0.1],
        cosine: expect.closeTo(1),
        newPages: 1,
        fetched: 7,
      }),
      expect.objectContaining({ day: 3, precisions: [0], repeated: [0.1], cosine: 0, newPages: 0 }),
    ]);
    expect(figures.filter(({ system }) => system === 'no adaptation').map(({ precisions }) => precisions)).toEqual([
      [0],
      [0],
      [0],
    ]);
    expect(log.filter((line) => line.includes('adapts'))).toEqual([
      'adapt adapts to Barn Owl',
      'adapt adapts to Barn Owl',
    ]);
    expect(log.filter((line) => line.includes('crawls'))).toEqual(['recrawl-1 crawls 9', 'recrawl-2 crawls 9']);
    expect(log.filter((line) => line.endsWith('closes'))).toHaveLength(5);
  });

  test('are reported with the gain of adapting from the second day on', async () => {
    const { figures } = await simulate();
    const gains = gainsOf(figures);
    expect(gains.map(({ over, measure, gain }) => [over, measure, gain.mean, gain.count])).toEqual([
      ['no adaptation', 'P@10', 0.05, 2],
      ['plain recrawl', 'P@10', 0.05, 2],
      ['no adaptation', 'repeated', 0.1, 2],
      ['plain recrawl', 'repeated', 0.1, 2],
    ]);
    const [days] = adaptTables(figures, gains);
    expect(days!.rows[5]!.slice(0, 4)).toEqual(['2', 'adapt', '.100', '.100']);
    expect(adaptPictures(figures)).toContain('queries of the day before');
  });
});
