import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CanonicalUrl, parseTopicId, shownRelevance, topicTree } from '../../src/core/index.ts';
import {
  activity,
  hostLines,
  pagesPerSecond,
  selectedPage,
  shownPages,
  timeLeftMs,
} from '../../src/dashboard/derive.ts';
import { type DashboardState, dashboardState } from '../../src/dashboard/index.ts';
import { extendSeries, NO_SERIES } from '../../src/dashboard/series.ts';
import {
  busyState,
  emptyState,
  fold,
  pageEvent,
  pageEvents,
  phaseEvent,
  rejected,
  roundEvent,
  statusOf,
  visitEvent,
} from './support/events.ts';

describe('the state of the dashboard', () => {
  test('counts a page as relevant if its topic is good, including OTHERS below it', () => {
    const state = fold(
      emptyState(),
      pageEvent(1),
      pageEvent(2, { others: true }),
      pageEvent(3, { topic: 'bicycles' }),
      pageEvent(4, rejected),
    );
    expect(state.pages.map((page) => [page.sequence, page.isRelevant, page.topic])).toEqual([
      [4, false, 'rejected'],
      [3, false, 'bicycles'],
      [2, true, 'databases/recovery'],
      [1, true, 'databases/recovery'],
    ]);
    expect(state.relevant).toBe(2);
  });

  test('counts only pages of the budget in the harvest rate', () => {
    const state = fold(emptyState(), pageEvent(1, { role: 'example' }), pageEvent(2, { via: 'seed' }), pageEvent(3));
    expect(state.pages).toHaveLength(3);
    expect(state.harvest.pages).toBe(1);
    expect(state.distribution.reduce((a, b) => a + b)).toBe(1);
  });

  test('starts from the sums of a long journal, as if its pages had been shown one by one', () => {
    const verdicts = Array.from({ length: 3_000 }, (_, i) => ({
      relevance: (i % 10) / 10,
      topic: i % 3 === 0 ? 'databases/recovery' : 'bicycles',
    }));
    const groups = Map.groupBy(verdicts.keys(), (i) =>
      [Math.floor(i / 30), verdicts[i]!.topic, verdicts[i]!.relevance].join(),
    );
    const pages = [...groups.values()].map((own) => {
      const { relevance, topic } = verdicts[own[0]!]!;
      const bin = Math.floor(10 * shownRelevance(relevance));
      return {
        part: Math.floor(own[0]! / 30),
        topic: parseTopicId(topic),
        others: false,
        bin,
        pages: own.length,
        relevance: relevance * own.length,
      };
    });
    const best = [0.7, 0.2].map((relevance, i) => ({
      ...{ sequence: i + 1, finalUrl: `http://a.test/${i}` as CanonicalUrl, title: 'A page', others: false },
      ...{ topic: parseTopicId(i === 0 ? 'databases/recovery' : 'bicycles'), confidence: 1, relevance },
    }));
    const summed = fold(emptyState(), { kind: 'beginning', pages, best });
    expect(summed.best).toMatchObject([{ url: 'http://a.test/0', isRelevant: true }]);
    const shown = fold(emptyState(), ...verdicts.map((parts, i) => pageEvent(i + 1, parts)));
    expect(summed.relevant).toBe(shown.relevant);
    expect(summed.distribution).toEqual(shown.distribution);
    expect(summed.harvest.pages).toBe(3_000);
    expect(summed.harvest.stride).toBe(shown.harvest.stride);
    expect(summed.harvest.average).toHaveLength(shown.harvest.average.length);
    expect(summed.harvest.average.at(-1)).toBeCloseTo(shown.harvest.average.at(-1)!, 1);
    expect(fold(summed, pageEvent(3_001)).harvest.pages).toBe(3_001);
  });

  test('keeps the best accepted pages, most relevant first, and each once', () => {
    const seen = [0.5, 0.9, 0.2, 0.7].map((relevance, i) => pageEvent(i + 1, { relevance, topic: 'mining' }));
    const other = [pageEvent(5, { topic: 'bicycles' }), pageEvent(6, { ...rejected, relevance: 1 })];
    const again = pageEvent(7, { relevance: 0.8, topic: 'mining', url: 'http://host1.example/page/1' });
    const order = (state: DashboardState): number[] => state.best.map(({ sequence }) => sequence);
    expect(order(fold(emptyState(), ...seen, ...other))).toEqual([2, 4, 1, 3]);
    expect(order(fold(emptyState(), ...seen, again))).toEqual([2, 7, 4, 3]);
    expect(fold(emptyState(), ...pageEvents(1, 300)).best).toHaveLength(100);
  });

  test('spreads pages over ten bins of relevance, both ends included', () => {
    const state = fold(emptyState(), ...[0, 0.05, 0.1, 0.95, 1].map((relevance, i) => pageEvent(i + 1, { relevance })));
    expect(state.distribution).toEqual([2, 1, 0, 0, 0, 0, 1, 0, 0, 1]);
  });

  test('marks topics once the crawl confirms it', () => {
    const command = { kind: 'mark-topic', topic: parseTopicId('bicycles'), good: true } as const;
    const state = fold(emptyState(), { kind: 'steer', record: { kind: 'steer', sequence: 1, command, at: 0 } });
    expect(state.tree.nodes.get(parseTopicId('bicycles'))?.good).toBe(true);
    expect(fold(state, pageEvent(2, { topic: 'bicycles' })).relevant).toBe(1);
  });

  test('resets with the tree of another crawl, and keeps the view', () => {
    const tree = topicTree([{ name: 'gardens' }], []);
    const before = fold(busyState(), { kind: 'pane', pane: 'topics' }, { kind: 'filter', text: 'a' });
    const after = fold(before, { kind: 'tree', tree });
    expect(after).toEqual({
      ...{ ...emptyState(), tree, pane: 'topics', filter: 'a' },
      ...{ now: before.now, status: before.status, progress: before.progress, alarms: before.alarms },
      ...{ told: before.told, toldAt: before.toldAt, messageAt: before.messageAt, message: before.message },
      ...{ marked: before.marked, isRunning: before.isRunning, reading: before.reading },
    });
    expect(before.pages.length).toBeGreaterThan(0);
    expect(fold(after, pageEvent(1, { topic: 'gardens' })).pages).toMatchObject([{ isRelevant: true }]);
  });

  test('shows a new budget and ordering before the next status arrives', () => {
    const steer = (command: object) =>
      ({ kind: 'steer', record: { kind: 'steer', sequence: 1, command, at: 0 } }) as never;
    const state = fold(
      busyState(),
      steer({ kind: 'set-budget', budget: 7000 }),
      steer({ kind: 'set-ordering', ordering: 'random' }),
    );
    expect(state.status).toMatchObject({ budget: 7000, ordering: 'random' });
  });

  test('knows the archetypes of each topic by origin', () => {
    const state = fold(emptyState(), roundEvent());
    expect(state.round?.origins.get(parseTopicId('databases/recovery'))).toEqual({
      user: 1,
      'archetype-by-authority': 1,
      'archetype-by-confidence': 2,
    });
  });

  test('has a limited size, however long the crawl', () => {
    const state = fold(emptyState(), ...pageEvents(1, 5000), ...Array.from({ length: 100 }, (_, i) => visitEvent(i)));
    expect(state.pages).toHaveLength(500);
    expect(state.harvest.relevance.length).toBeLessThanOrEqual(1024);
    expect(state.harvest.pages).toBe(5000);
    expect(state.outcomes.length).toBeLessThan(100);
  });

  test('never changes the state it is given', () => {
    const before = busyState();
    const copy = structuredClone(before);
    fold(before, pageEvent(1000), visitEvent(1001), roundEvent(), phaseEvent('done'), {
      kind: 'status',
      status: statusOf(),
    });
    expect(before).toEqual(copy);
  });

  test('reports settings that changed since the last run', () => {
    const changes = [
      { setting: 'network.userAgent', before: 'a/1', now: '', askedAgain: 0 },
      { setting: 'network.allowPrivate', before: false, now: true, askedAgain: 1 },
    ];
    expect(fold(emptyState({ now: 5000 }), { kind: 'settings', changes }).message).toBe(
      'Since the last run: network.userAgent a/1 → ""; network.allowPrivate false → true; 1 address that it had excluded is fetched again',
    );
  });

  test('removes a message after ten seconds', () => {
    const told = fold(emptyState({ now: 5000 }), { kind: 'message', text: 'Resumed.' });
    expect(fold(told, { kind: 'tick', now: 14_000 }).message).toBe('Resumed.');
    expect(fold(told, { kind: 'tick', now: 16_000 }).message).toBe('');
  });

  test.each([
    ['documents', 'reading documents, 10 of 2,000'],
    ['resuming', 'reading the journal, 10 of 2,000'],
  ] as const)('reading is shown until all is read: %s', (kind, shown) => {
    const reading = fold(emptyState(), { kind, read: 10, total: 2000 });
    expect(activity(reading)).toBe(shown);
    expect(dashboardState(reading, { kind, read: 2000, total: 2000 }).reading).toBeUndefined();
  });

  test('does not show a late explanation in a view that was closed', () => {
    const view = { kind: 'why', url: 'http://a.example/', lines: undefined, top: 0 } as const;
    const left = fold(busyState(), { kind: 'view', view }, { kind: 'view', view: { kind: 'overview' } });
    const state = fold(left, { kind: 'explained', url: 'http://a.example/', lines: ['because'] });
    expect(state.view.kind).toBe('overview');
  });
});

describe('speed and time left', () => {
  const at = (now: number, fetched: number) =>
    [
      { kind: 'tick', now },
      { kind: 'status', status: statusOf({ fetched, elapsedMs: now }) },
    ] as const;

  test('the speed is that of the last half minute', () => {
    const state = fold(emptyState(), ...at(0, 0), ...at(40_000, 400), ...at(60_000, 440));
    expect(pagesPerSecond(state)).toBe(2);
  });

  test('the time left follows from the budget, or from an earlier time limit', () => {
    const state = fold(emptyState(), ...at(40_000, 400), ...at(60_000, 440));
    expect(timeLeftMs(state)).toBe(280_000);
    expect(timeLeftMs({ ...state, timeMs: 90_000 })).toBe(30_000);
  });

  test('no time left is shown if nothing moves', () => {
    const still = fold(emptyState(), ...at(0, 5), ...at(20_000, 5));
    expect(timeLeftMs(still)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('pages and hosts', () => {
  test('a filter requires every word, in any case, in title, address, topic or verdict', () => {
    const state = fold(
      emptyState(),
      pageEvent(1, { title: 'Redo LOGGING' }),
      pageEvent(2, { ...rejected, title: 'Redo' }),
    );
    const found = (filter: string): number[] => shownPages({ ...state, filter }).map((page) => page.sequence);
    expect(found('redo')).toEqual([2, 1]);
    expect(found('logging redo accepted')).toEqual([1]);
    expect(found('rejected')).toEqual([2]);
    expect(found('host1.example')).toEqual([1]);
  });

  test('the selection stays on its page while pages arrive, or moves to the newest', () => {
    const state = fold(emptyState(), ...pageEvents(1, 3), { kind: 'select', page: 2 }, ...pageEvents(4, 3));
    expect(selectedPage(state)?.sequence).toBe(2);
    expect(selectedPage(fold(state, { kind: 'select', page: undefined }))?.sequence).toBe(6);
  });

  test('hosts with pages are first, then failing ones, unknown names last', () => {
    const named = [
      { host: 'none.example', standing: 'nameless' },
      { host: 'host2.example', standing: 'slow' },
      { host: 'slow.example', standing: 'slow' },
      { host: 'bad.example', standing: 'bad' },
    ] as const;
    const state = fold(emptyState(), ...pageEvents(1, 4), {
      kind: 'status',
      status: statusOf({ hosts: { active: 0, slow: 1, bad: 1, named } }),
    });
    expect(hostLines(state).map((line) => [line.host, line.standing, line.pages])).toEqual([
      ['host2.example', 'slow', 1],
      ['host1.example', '', 2],
      ['host0.example', '', 1],
      ['bad.example', 'bad', 0],
      ['slow.example', 'slow', 0],
      ['none.example', 'nameless', 0],
    ]);
  });
});

describe('the harvest series', () => {
  test('has the relevance and the moving average of every stride-th page', () => {
    const page = fc.record({ relevance: fc.double({ min: 0, max: 1, noNaN: true }), relevant: fc.boolean() });
    fc.assert(
      fc.property(fc.array(page, { minLength: 1, maxLength: 3000 }), (pages) => {
        const series = pages.reduce(extendSeries, NO_SERIES);
        expect(series.pages).toBe(pages.length);
        series.relevance.forEach((relevance, i) => {
          const n = i * series.stride;
          expect(relevance).toBe(pages[n]!.relevance);
          const last = pages.slice(Math.max(0, n - 99), n + 1);
          expect(series.average[i]).toBeCloseTo(last.filter((p) => p.relevant).length / last.length, 12);
        });
        expect((series.relevance.length - 1) * series.stride).toBeLessThan(pages.length);
      }),
      { numRuns: 20 },
    );
  });
});
