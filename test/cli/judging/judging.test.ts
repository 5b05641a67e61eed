import { describe, expect, test, vi } from 'vitest';
import { leftOver, watchOn } from '../../../src/cli/judging/judging.ts';
import { type JudgingProgress, type PageRole, parseTopicId, ROOT, topicTree } from '../../../src/core/index.ts';
import { emptyExtent, judgeAgain, type PageToJudge } from '../../../src/engine/index.ts';
import { GivenPlaces } from '../../../src/engine/training/user-assignments.ts';
import { encodeModels } from '../../../src/meta/index.ts';
import type { NewVerdict } from '../../../src/store/write/verdicts.ts';
import { reclassifyStore } from '../../../src/workbench/judging/feedback.ts';
import { judging } from '../../../src/workbench/judging/judging.ts';
import { DATABASES, EVERYDAY, train } from '../../meta/topics.ts';
import { capturedIo } from '../support/captured-io.ts';

const DATABASE = parseTopicId('databases');
const verdicts = {
  blob: encodeModels(train([{ name: 'databases' }], [...DATABASES, ...EVERYDAY]).models),
  rule: 'majority' as const,
  places: new GivenPlaces(topicTree([{ name: 'databases' }], []), [
    { key: 'http://p1.example/', topic: ROOT, others: true, origin: 'feedback-others', title: '', sequence: 1 },
  ]),
};

/** A store of `size` pages, every third accepted. The model assigns all to databases. The first page is an example. */
function fakeStore(
  size: number,
  roleOf: (n: number) => PageRole = (n) => (n === 1 ? 'example' : 'crawled'),
  documentOf: (n: number) => (typeof DATABASES)[number] = () => DATABASES[0]!,
) {
  const page = (n: number): PageToJudge => {
    const url = `http://p${n}.example/`;
    return {
      sequence: n,
      url,
      finalUrl: url,
      title: '',
      role: roleOf(n),
      topic: n % 3 === 0 ? DATABASE : ROOT,
      others: n % 3 !== 0,
      relevance: Number.NaN,
    };
  };
  const pages = Array.from({ length: size }, (_, i) => page(i + 1));
  const saved: number[] = [];
  let progress: JudgingProgress | undefined;
  return {
    saved,
    places: () => pages.map(({ topic, others }) => [topic, others]),
    // Like a real store, returns the current state on each call.
    currentPages: async () => ({
      accepted: Float64Array.from(pages.filter(({ others }) => !others).map(({ sequence }) => sequence)),
      rejected: Float64Array.from(pages.filter(({ others }) => others).map(({ sequence }) => sequence)),
    }),
    packedPages: async (sequences: readonly number[]) =>
      sequences.map((n) => ({ ...pages[n - 1]!, content: new Uint8Array(0), hasVotes: false })),
    storedPages: async (sequences: readonly number[]) => sequences.map((n) => ({ ...pages[n - 1]!, hasVotes: false })),
    featureBlock: async () => undefined,
    saveFeatureBlock: async () => {},
    scoredTopics: async () => undefined,
    judgingProgress: async () => progress,
    documents: async (sequences: readonly number[]) => new Map(sequences.map((n) => [n, documentOf(n)])) as never,
    saveVerdicts: async (batch: readonly NewVerdict[], now?: JudgingProgress) => {
      progress = now;
      for (const { sequence, assignment } of batch) {
        saved.push(sequence);
        pages[sequence - 1] = { ...pages[sequence - 1]!, topic: assignment.topic, others: assignment.others };
      }
    },
  };
}

/** A store in which pages move from the accepted to the rejected ones, and the other way round. */
function mixedStore() {
  return fakeStore(3000, undefined, (n) => (n % 7 < 3 ? DATABASES : EVERYDAY)[0]!);
}

describe('judging stored pages again', () => {
  test('begins with accepted pages, the newest first, judges each once, and counts no unmoved training page', async () => {
    const store = fakeStore(1000);
    const effect = await reclassifyStore(store, verdicts);
    const accepted = Array.from({ length: 333 }, (_, i) => 3 * (i + 1));
    expect(store.saved[0]).toBe(1);
    expect(store.saved.slice(1, 334)).toEqual(accepted.reverse());
    expect(store.saved.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
    expect(effect).toMatchObject({ pages: 999, of: 999, changed: 666 });
  });

  test('writes some hundred verdicts at a time, including unmoved training pages', async () => {
    const store = fakeStore(1000, () => 'others');
    const sizes: number[] = [];
    const saveVerdicts: typeof store.saveVerdicts = async (batch) => void sizes.push(batch.length);
    await reclassifyStore({ ...store, saveVerdicts }, verdicts);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(400);
  });

  test('reports the total from the first page on', async () => {
    const extent = emptyExtent();
    for await (const _ of judgeAgain(fakeStore(100), verdicts, { extent })) break;
    expect(extent.of).toBe(99);
  });

  test('stops on request, saves the verdicts, and reports how many pages are left', async () => {
    const store = fakeStore(1000);
    const stop = new AbortController();
    const onJudged = (pages: number): void => {
      if (pages >= 400) stop.abort();
    };
    const effect = await reclassifyStore(store, verdicts, { onJudged, signal: stop.signal });
    // Those judged while the first 400 were written are saved as well; page 1 is not counted.
    expect(store.saved).toHaveLength(effect.pages + 1);
    expect(effect).toMatchObject({ pages: 599, of: 999 });
    expect(leftOver({ effect: { ...effect, pages: effect.of - 1 } }, 'bikes')).toMatch(/^Stopped: 1 page is still /);
    expect(leftOver({ effect }, 'bikes')).toMatch(/^Stopped: 400 pages are still to be judged\..* bingo crawl bikes/);
  });

  test('continues an interrupted judging with the pages that are left, and ends with the same verdicts', async () => {
    const [whole, stopped] = [mixedStore(), mixedStore()];
    await reclassifyStore(whole, verdicts, { basis: 'one' });
    for (const limit of [1, 900, 1_500, 3_000]) {
      const stop = new AbortController();
      const onJudged = (pages: number): void => {
        if (pages >= limit) stop.abort();
      };
      await reclassifyStore(stopped, verdicts, { basis: 'one', onJudged, signal: stop.signal });
    }
    // The user's page goes first each time, and pages that moved to the rejected ones may be judged twice.
    expect(stopped.saved.length - whole.saved.length).toBeLessThan(600);
    expect(new Set(stopped.saved)).toEqual(new Set(whole.saved));
    expect(stopped.places()).toEqual(whole.places());
  });

  test('judges all pages again if the basis is another one', async () => {
    const store = fakeStore(1000);
    await reclassifyStore(store, verdicts, { basis: 'one' });
    expect(await reclassifyStore(store, verdicts, { basis: 'two' })).toMatchObject({ pages: 999 });
    expect(await reclassifyStore(store, verdicts, { basis: 'two' })).toMatchObject({ pages: 0 });
  });

  test('prints a line every 10,000 pages, and handles Ctrl-C while it runs', async () => {
    let interrupt = (): void => {};
    let isOurs = false;
    const { io, err } = capturedIo({
      onInterrupt: (listener) => {
        [interrupt, isOurs] = [listener, true];
        return () => {
          isOurs = false;
        };
      },
    });
    await judging(watchOn(io), async ({ onJudged, signal }) => {
      for (let pages = 200; pages <= 20_000; pages += 200) onJudged!(pages, 50_000);
      expect([isOurs, signal!.aborted]).toEqual([true, false]);
      interrupt();
      expect([isOurs, signal!.aborted]).toEqual([false, true]);
    });
    expect(err()).toBe(
      'Judged again: 10,000 of 50,000 pages; accepted ones come first, Ctrl-C leaves the rest for later\n' +
        'Judged again: 20,000 of 50,000 pages\n',
    );
  });

  test('mentions remaining pages only if some remain', async () => {
    expect(leftOver({ effect: await reclassifyStore(fakeStore(10), verdicts) }, 'bikes')).toBeUndefined();
  });
});

test('a watch made long before its first report stays quiet about short work', () => {
  vi.useFakeTimers();
  const { io, err } = capturedIo();
  const { onEvent } = watchOn(io);
  vi.advanceTimersByTime(60_000);
  onEvent?.({ kind: 'reading', records: 50 });
  expect(err()).toBe('');
  vi.advanceTimersByTime(3_000);
  onEvent?.({ kind: 'reading', records: 90 });
  expect(err()).toBe('Reading the crawl: 90 records\n');
  vi.useRealTimers();
});
