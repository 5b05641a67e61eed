import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROOT, type TopicId } from '../../../src/core/index.ts';
import { type Alarm, Watch, type WatchedPage } from '../../../src/engine/state/topic-alarms.ts';

const FUNDS = 'investment/mutual funds' as TopicId;
const INVESTMENT = 'investment' as TopicId;
const GOOD: WatchedPage = {
  topic: FUNDS,
  host: 'funds.test',
  isRelevant: true,
  place: FUNDS,
  isPlaceGood: true,
  links: 10,
  known: 5,
};
const BAD: WatchedPage = { ...GOOD, host: 'else.test', isRelevant: false, place: ROOT, isPlaceGood: false };

function watchOf(...parts: readonly (readonly [number, WatchedPage])[]): Alarm[] {
  const watch = new Watch(200);
  return parts.flatMap(([n, page]) =>
    Array.from({ length: n }, () => {
      watch.note(page);
      return watch.takeAlarms();
    }).flat(),
  );
}
const codes = (alarms: readonly Alarm[]): string[] => alarms.map(({ code }) => code);

describe('Watch', () => {
  test('is silent while a crawl succeeds, and while it is too young to judge', () => {
    expect(watchOf([1000, GOOD])).toEqual([]);
    expect(watchOf([99, BAD])).toEqual([]);
  });

  test('reports a collapsed harvest rate of a topic, with figures and counts', () => {
    const [alarm] = watchOf([120, GOOD], [100, { ...BAD, host: 'funds.test' }]);
    expect(alarm).toMatchObject({ code: 'harvest-collapse', data: { topic: FUNDS, before: 1, fetched: 200 } });
    expect(alarm?.data.rate).toBeCloseTo(0.2, 12);
    expect(alarm?.data.topics).toEqual([
      { place: 'OTHERS', pages: 80, relevant: 0 },
      { place: FUNDS, pages: 20, relevant: 20 },
    ]);
    expect(alarm?.message).toContain('fell from 100 % to 20 %');
    expect(alarm?.remedy).not.toBe('');
  });

  test('repeats the alarm of a long stagnation ever more rarely, and a new one at once', () => {
    const near = { ...BAD, host: 'funds.test' };
    const told = (alarms: readonly Alarm[]) =>
      alarms.flatMap(({ code, data }) => (code === 'stagnation' ? [data.barren] : []));
    expect(told(watchOf([5, GOOD], [10_000, near]))).toEqual([200, 700, 1400, 2800, 5600]);
    expect(told(watchOf([5, GOOD], [3_000, near], [400, GOOD], [200, near]))).toEqual([200, 700, 1400, 2800, 200]);
  });

  test('reports a section at four times its share, with its linking sites, and no smaller one', () => {
    const part = { host: 'x.test', section: 1, name: 'x.test/wiki/…', factor: 0.5, pages: 1600 };
    const toldOf = (weight: number, sites: number, factor = 0.5): readonly Alarm[] => {
      const watch = new Watch(200);
      watch.note(GOOD);
      watch.noteShare({ ...part, weight, sites, factor });
      watch.noteShare({ ...part, weight, sites, factor });
      return watch.takeAlarms();
    };
    expect(codes(toldOf(1 / 4, 0))).toEqual([]);
    expect(codes(toldOf(1 / 8, 3, 2))).toEqual([]);
    const [alarm, ...more] = toldOf(1 / 8, 0);
    expect(more).toEqual([]);
    expect(alarm).toMatchObject({ code: 'endless', data: { place: 'x.test/wiki/…', fetched: 1, rate: 1 } });
    expect(alarm?.message).toContain('1,600 pages fetched from x.test/wiki/…; no other site links to it');
    expect(alarm?.message).toContain('have 1/8 of their priority');
    expect(toldOf(1 / 16, 1)[0]?.message).toContain('one other site links to it');
    expect(toldOf(1 / 16, 3)[0]?.message).toContain('3 other sites link to it.');
  });

  test('reports no collapse from 5 % to 0 for a topic that was never good', () => {
    const poor = Array.from({ length: 10 }, (): [number, WatchedPage][] => [
      [1, GOOD],
      [19, { ...BAD, host: 'funds.test' }],
    ]);
    expect(codes(watchOf(...poor.flat(), [150, { ...BAD, host: 'funds.test' }]))).toEqual([]);
  });

  test('reports stagnation after 200 irrelevant pages, and whether more can be reached', () => {
    const near = { ...BAD, host: 'funds.test' };
    const [open] = watchOf([5, GOOD], [200, near]);
    const [shut] = watchOf([5, GOOD], [200, { ...near, known: 10 }]);
    expect([open?.code, open?.data.barren, open?.data.saturation]).toEqual(['stagnation', 200, 0.5]);
    expect(open?.message).toContain('the new ones are off the topic');
    expect([shut?.data.saturation, shut?.message]).toEqual([
      1,
      expect.stringContaining('few new pages can be reached'),
    ]);
    expect(shut?.remedy).toContain('seeds');
  });

  test('names the host that most irrelevant pages are from, if there is one', () => {
    const from = (...hosts: readonly string[]) =>
      Array.from({ length: 200 }, (_, n): [number, WatchedPage] => [1, { ...BAD, host: hosts[n % hosts.length]! }]);
    const [even] = watchOf([5, GOOD], ...from('a.test', 'b.test', 'c.test', 'd.test'));
    const [led] = watchOf([5, GOOD], ...from('a.test', 'b.test', 'b.test', 'c.test'));
    expect(even?.message).toMatch(/Of the last 100 pages 100 belong elsewhere: 100 on OTHERS\.$/);
    expect(led?.message).toMatch(/100 on OTHERS; 50 from b\.test, more than from any other host\.$/);
  });

  test('names the topic of most other pages, and asks whether it is good', () => {
    const drifted = { ...BAD, host: 'funds.test', place: INVESTMENT };
    const [alarm] = watchOf([50, GOOD], [50, drifted]);
    expect(alarm).toMatchObject({ code: 'drift', data: { topic: FUNDS, place: INVESTMENT } });
    expect(alarm?.message).toBe(
      `50 of the last 100 pages fetched for "${FUNDS}" are on "investment", which is not marked good.`,
    );
    expect(alarm?.remedy).toContain('mark "investment" good');
  });

  test('does not report pages of another good topic, or of none, as drift', () => {
    const sibling = { ...GOOD, place: 'investment/bonds' as TopicId };
    expect(codes(watchOf([300, sibling]))).toEqual([]);
    expect(codes(watchOf([50, GOOD], [60, { ...BAD, host: 'funds.test' }]))).not.toContain('drift');
  });

  test('reports a host with most of the pages and no relevant ones', () => {
    const [alarm] = watchOf([40, GOOD], [60, BAD]);
    expect(alarm).toMatchObject({ code: 'trap', data: { place: 'else.test' } });
    expect(alarm?.data.hosts[0]).toEqual({ place: 'else.test', pages: 60, relevant: 0 });
  });

  test('reports no trap below 60 of 100 pages, or above a tenth of relevant ones', () => {
    const host = { host: 'else.test' };
    const isTrap = (pages: number, relevant: number): boolean =>
      codes(watchOf([100 - pages, GOOD], [relevant, { ...GOOD, ...host }], [pages - relevant, BAD])).includes('trap');
    expect([isTrap(60, 0), isTrap(59, 0), isTrap(60, 6), isTrap(60, 7)]).toEqual([true, false, true, false]);
  });

  test('reports a host with three in ten of the last relevant pages, and none with more', () => {
    const isTrap = (relevant: number): boolean =>
      codes(watchOf([70, GOOD], [relevant, { ...GOOD, host: 'else.test' }], [100, BAD])).includes('trap');
    expect([isTrap(30), isTrap(31)]).toEqual([true, false]);
  });

  test('does not report the host of the relevant pages as a trap', () => {
    expect(codes(watchOf([40, GOOD], [100, { ...BAD, host: 'funds.test' }]))).not.toContain('trap');
  });

  test('watches each topic separately', () => {
    const other = { ...GOOD, topic: 'bonds' as TopicId };
    const parts = Array.from({ length: 200 }, (): [number, WatchedPage][] => [
      [1, other],
      [1, { ...BAD, host: 'funds.test' }],
    ]);
    const alarms = watchOf(...parts.flat());
    expect(alarms.map(({ code, data }) => [code, data.topic])).toEqual([['stagnation', FUNDS]]);
  });

  test('checks every topic, in whatever order they are fetched', () => {
    const other = { ...GOOD, topic: 'knitting' as TopicId, host: 'wool.test' };
    const watch = new Watch(200);
    for (let n = 0; n < 250; n++) for (const page of [n < 120 ? GOOD : BAD, other]) watch.note(page);
    expect(watch.takeAlarms()).toMatchObject([{ code: 'harvest-collapse', data: { topic: FUNDS, before: 1 } }]);
  });

  test('counts duplicates as irrelevant pages', () => {
    const duplicate = { ...BAD, host: 'funds.test', place: undefined, links: 0, known: 0 };
    expect(codes(watchOf([5, GOOD], [200, duplicate]))).toEqual(['stagnation']);
  });

  test('reports an alarm code at most once in 500 pages', () => {
    const page = fc.constantFrom(GOOD, BAD, { ...BAD, place: INVESTMENT }, { ...BAD, topic: 'b' as TopicId });
    const crawl = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), page), { maxLength: 12 });
    fc.assert(
      fc.property(crawl, (parts) => {
        const told = new Map<string, number>();
        for (const { code, data } of watchOf(...parts)) {
          expect(data.fetched - (told.get(code) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(500);
          told.set(code, data.fetched);
        }
      }),
      { numRuns: 30 },
    );
  });
});
