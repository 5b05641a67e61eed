import { describe, expect, test } from 'vitest';
import { type ClassifierName, type Kernel, type OrderingName, parseTopicId, topicTree } from '../../src/core/index.ts';
import type { Crawl } from '../../src/engine/index.ts';
import type { CrawlState } from '../../src/engine/state/crawl-state.ts';
import { replay } from '../../src/engine/state/replay.ts';
import { decodeModels } from '../../src/meta/index.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, RecordingJournal, topicTreeWith } from './support/paper-web.ts';

/** A journal cut anywhere is what a killed crawl leaves: records up to some commit. */
describe.each<readonly [OrderingName, Kernel, ClassifierName]>([
  ['bingo', 'linear', 'svm'],
  ['learned', 'linear', 'svm'],
  ['breadth-first', 'linear', 'svm'],
  ['pagerank', 'linear', 'svm'],
  ['learned', 'poly', 'svm'],
  ['learned', 'linear', 'bayes'],
])('a crawl ordered by %s with a %s kernel and the classifier %s', (ordering, kernel, classifier) => {
  test('fetches the same pages in the same order if cut anywhere and resumed', async () => {
    const config = exactConfig({ crawl: { ordering, budget: 50, learn: 15 }, learn: { kernel, classifier } });
    const whole = paperCrawl(paperWeb(), config);
    await whole.run();
    const { records } = whole.journal;
    for (let cut = 1; cut < records.length; cut += 6) {
      const resumed = paperCrawl(paperWeb(), config, { journal: RecordingJournal.holding(records.slice(0, cut)) });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });
});

test.each<OrderingName>(['bingo', 'learned'])(
  'a crawl ordered by %s through pages that ask not to be stored is resumed in the same order',
  async (ordering) => {
    const web = paperWeb();
    const hide = (page: string): string => page.replace('<head>', '<head><meta name="robots" content="noindex">');
    for (let i = 3; i < 60; i += 3) web.set(paperUrl('rail', i), hide(web.get(paperUrl('rail', i)) as string));
    const config = exactConfig({ crawl: { ordering, budget: 50, learn: 15 } });
    const whole = paperCrawl(web, config);
    await whole.run();
    const { records } = whole.journal;
    expect(records.filter((r) => r.kind === 'visit' && r.reason === 'links-followed').length).toBeGreaterThan(3);
    for (let cut = 1; cut < records.length; cut += 6) {
      const resumed = paperCrawl(web, config, { journal: RecordingJournal.holding(records.slice(0, cut)) });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  },
);

test('a crawl cut after a round does not repeat that round', async () => {
  const config = exactConfig({ crawl: { ordering: 'learned', budget: 30, learn: 15 }, learn: { retrainEvery: 10 } });
  const whole = paperCrawl(paperWeb(), config);
  await whole.run();
  const { records } = whole.journal;
  const rounds = records.flatMap(({ kind }, i) => (kind === 'round' ? [i] : []));
  expect(rounds.length).toBeGreaterThan(3);
  for (const last of rounds) {
    const resumed = paperCrawl(paperWeb(), config, { journal: RecordingJournal.holding(records.slice(0, last + 1)) });
    await resumed.run();
    const kinds = (journal: RecordingJournal) =>
      journal.records.map(({ kind }) => kind).filter((kind) => kind !== 'run');
    expect(kinds(resumed.journal), `cut after record ${last}`).toEqual(kinds(whole.journal));
  }
});

test('resuming with a greater budget continues where it stopped and repeats nothing', async () => {
  const small = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }));
  await small.run();
  const large = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 } }), { journal: small.journal });
  expect((await large.run()).fetchedNow).toBe(30);
  const whole = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 } }));
  await whole.run();
  expect(large.journal.crawled()).toEqual(whole.journal.crawled());
});

describe('while its journal is read', () => {
  const small = async () => {
    const made = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }));
    await made.run();
    return made.journal;
  };
  /** Resumes a crawl and acts on it once it has read a part of the journal. */
  const resumed = (journal: RecordingJournal, act: (crawl: Crawl) => void) => {
    let isDone = false;
    const made: ReturnType<typeof paperCrawl> = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 } }), {
      journal,
      onEvent: ({ kind }) => {
        if (kind !== 'resuming' || isDone) return;
        isDone = true;
        act(made.crawl);
      },
    });
    return made;
  };

  test('a stopped crawl ends at once, and writes nothing', async () => {
    const journal = await small();
    const before = journal.records.length;
    const made = resumed(journal, (crawl) => crawl.stop());
    expect(await made.run()).toMatchObject({ reason: 'stopped', isResumed: false, fetchedNow: 0 });
    expect([journal.records.length, made.fetcher.asked]).toEqual([before, []]);
    const again = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 } }), { journal });
    expect(await again.run()).toMatchObject({ isResumed: true, fetchedNow: 30 });
  });

  test('changes of the user are written after it', async () => {
    const journal = await small();
    const before = journal.records.length;
    const made = resumed(journal, (crawl) => {
      expect(crawl.steer({ kind: 'set-budget', budget: 40 })).toBe(true);
    });
    expect(await made.run()).toMatchObject({ reason: 'budget', status: { fetched: 40 } });
    expect(journal.records.slice(before, before + 2).map(({ kind }) => kind)).toEqual(['run', 'steer']);
    expect(journal.records.map(({ sequence }) => sequence)).toEqual(journal.records.map((_, i) => i + 1));
  });

  test('its time does not count for the pages per second', async () => {
    let now = 1_000_000;
    const onEvent = ({ kind }: { readonly kind: string }): void => {
      if (kind === 'resuming') now += 600_000;
      if (kind === 'page') now += 1000;
    };
    const journal = await small();
    const made = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 } }), { journal, onEvent, now: () => now });
    const { status } = await made.run();
    expect(status.elapsedMs).toBeGreaterThan(600_000);
    expect(status.pagesPerSecond).toBeCloseTo(1, 1);
  });

  test('timers still run', async () => {
    const journal = await small();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const state = {
      applying: () => {
        busyFor(4);
        return [].values();
      },
      takeAlarms: () => [],
      takeLeaving: () => new Map(),
      names: { note: () => {}, record: (r: unknown) => r },
    };
    const waiting = { takeExact: () => undefined };
    const surroundings = { missing: () => [] };
    await replay({ ...state, waiting, surroundings } as unknown as CrawlState, journal);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

test('a finished crawl fetches nothing more', async () => {
  const done = paperCrawl(paperWeb(), exactConfig());
  await done.run();
  const again = paperCrawl(paperWeb(), exactConfig(), { journal: done.journal });
  expect(await again.run()).toMatchObject({ reason: 'budget', fetchedNow: 0 });
  expect(again.fetcher.asked).toEqual([]);
});

test('a found page that becomes an example is learned in its stored form', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }));
  await first.run();
  const found = first.journal.crawled().filter((url) => url.startsWith('http://rail'))[3]!;
  const tree = topicTreeWith([0, 1, 2, Number(found.split('/').at(-1))]);
  const second = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }), { journal: first.journal, tree });
  expect(await second.run()).toMatchObject({ fetchedNow: 0, isReclassificationDue: true });
  expect(second.fetcher.asked).toEqual([]);
  const lastRound = second.journal.records.filter((r) => r.kind === 'round').at(-1)!;
  expect(lastRound.reason).toBe('bingo.yaml was changed');
  expect(lastRound.training.filter((t) => t.key === found)).toMatchObject([{ origin: 'user' }]);
  // Repeated: there is nothing new to learn.
  const third = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }), { journal: second.journal, tree });
  await third.run();
  const reasons = third.journal.records.flatMap((record) => (record.kind === 'round' ? [record.reason] : []));
  expect(reasons.filter((reason) => reason === 'bingo.yaml was changed')).toHaveLength(1);
});

test('a page of OTHERS is crawled from once bingo.yaml names it as an example', async () => {
  const [other, behind] = ['http://rail0.paper.test/apart', 'http://rail0.paper.test/behind'];
  const web = paperWeb();
  const text = web.get(paperUrl('rail', 30)) as string;
  web.set(other, text.replace('<p>', `<p><a href="${behind}">x</a> `));
  web.set(behind, web.get(paperUrl('rail', 31)) as string);
  const treeOf = (examples: readonly string[], others: readonly string[]) => {
    const named = (urls: readonly string[]) => urls.map((url) => ({ kind: 'url', url }) as const);
    const food = [0, 1, 2, 3, 4, 5].map((i) => paperUrl('food', i));
    const rail = [0, 1, 2].map((i) => paperUrl('rail', i));
    return topicTree([{ name: 'railways', examples: named([...rail, ...examples]) }], named([...food, ...others]));
  };
  const config = exactConfig({ crawl: { budget: 200 } });
  const first = paperCrawl(web, config, { tree: treeOf([], [other]) });
  await first.run();
  expect(first.fetcher.asked).not.toContain(behind);
  const second = paperCrawl(web, config, { journal: first.journal, tree: treeOf([other], []) });
  await second.run();
  expect(second.fetcher.asked).toEqual([behind]);
  // And back: what stands for OTHERS leads nowhere.
  const third = paperCrawl(web, config, { tree: treeOf([other], []) });
  await third.run();
  const before = third.journal.records.length;
  const fourth = paperCrawl(web, config, { journal: third.journal, tree: treeOf([], [other]) });
  await fourth.run();
  expect(third.fetcher.asked).toContain(behind);
  expect(fourth.fetcher.asked).toEqual([]);
  expect(fourth.journal.records.length).toBeGreaterThan(before);
});

test.each([1, 3, 4, 10])('%d new examples at once are learned, although the budget is spent', async (n) => {
  const crawl = { budget: 20 };
  const first = paperCrawl(paperWeb(), exactConfig({ crawl }));
  await first.run();
  const known = new Set(first.fetcher.asked);
  const fresh = Array.from({ length: 60 }, (_, i) => i).filter((i) => !known.has(paperUrl('rail', i)));
  const tree = topicTreeWith([0, 1, 2, ...fresh.slice(0, n)]);
  const network = { concurrency: 20, perHost: 20, perDomain: 20, perAddress: 0 };
  const second = paperCrawl(paperWeb(), exactConfig({ crawl, network }), { journal: first.journal, tree });
  expect(await second.run()).toMatchObject({ reason: 'budget', isReclassificationDue: true });
  expect(second.fetcher.asked).toHaveLength(n);
  const lastRound = second.journal.records.findLast((record) => record.kind === 'round')!;
  expect(lastRound.training.filter(({ origin }) => origin === 'user')).toHaveLength(3 + n);
});

test('other feature spaces are learned once at the next run, despite a spent budget', async () => {
  const withSpaces = (...spaces: ('terms' | 'anchors')[]) => exactConfig({ crawl: { budget: 30 }, learn: { spaces } });
  const first = paperCrawl(paperWeb(), withSpaces('terms'));
  await first.run();
  const second = paperCrawl(paperWeb(), withSpaces('anchors'), { journal: first.journal });
  expect(await second.run()).toMatchObject({ fetchedNow: 0, isReclassificationDue: true });
  const third = paperCrawl(paperWeb(), withSpaces('anchors'), { journal: second.journal });
  await third.run();
  const rounds = third.journal.records.filter((record) => record.kind === 'round');
  const spacesOf = (round: (typeof rounds)[number]): string[] => [
    ...new Set(decodeModels(round.blob).svms.map(({ space }) => space)),
  ];
  const changed = rounds.filter(({ reason }) => reason === 'bingo.yaml was changed');
  expect(changed.map(spacesOf)).toEqual([['anchors']]);
  expect(spacesOf(rounds[0]!)).toEqual(['terms']);
});

test('another kernel is learned once at the next run, despite a spent budget', async () => {
  const withKernel = (kernel: Kernel) => exactConfig({ crawl: { budget: 30 }, learn: { kernel } });
  const first = paperCrawl(paperWeb(), withKernel('linear'));
  await first.run();
  const second = paperCrawl(paperWeb(), withKernel('rbf'), { journal: first.journal });
  expect(await second.run()).toMatchObject({ fetchedNow: 0, isReclassificationDue: true });
  const third = paperCrawl(paperWeb(), withKernel('rbf'), { journal: second.journal });
  await third.run();
  const changed = third.journal.records
    .filter((record) => record.kind === 'round')
    .filter(({ reason }) => reason === 'bingo.yaml was changed');
  expect(changed.map(({ blob }) => decodeModels(blob).svms.map(({ kernel }) => kernel?.kernel))).toEqual([['rbf']]);
});

test('another classifier is learned once at the next run, despite a spent budget', async () => {
  const withClassifier = (classifier: ClassifierName) => exactConfig({ crawl: { budget: 30 }, learn: { classifier } });
  const first = paperCrawl(paperWeb(), withClassifier('svm'));
  await first.run();
  const second = paperCrawl(paperWeb(), withClassifier('bayes'), { journal: first.journal });
  expect(await second.run()).toMatchObject({ fetchedNow: 0, isReclassificationDue: true });
  const last = second.journal.records.findLast((record) => record.kind === 'round');
  expect(decodeModels(last!.blob).bayes.map(({ precisions }) => precisions?.length)).toEqual([1]);
});

test('an example added after the budget is spent is still fetched', async () => {
  const config = exactConfig({ crawl: { budget: 30 } });
  const first = paperCrawl(paperWeb(), config);
  await first.run();
  const asked = new Set(first.journal.records.flatMap((r) => (r.kind === 'page' ? [r.finalUrl as string] : [])));
  const left = Array.from({ length: 60 }, (_, i) => i).findLast((i) => !asked.has(paperUrl('rail', i)));
  if (left === undefined) throw new RangeError('Expected a page that the first run left');
  const tree = topicTreeWith([0, 1, 2, left]);
  const second = paperCrawl(paperWeb(), config, { journal: first.journal, tree });
  expect(await second.run()).toMatchObject({ reason: 'budget', fetchedNow: 0 });
  expect(second.fetcher.asked).toEqual([paperUrl('rail', left)]);
  const lastRound = second.journal.records.filter((r) => r.kind === 'round').at(-1)!;
  expect(lastRound.training.map((t) => t.key)).toContain(paperUrl('rail', left));
});

/** The only topic, renamed. */
const TRAINS = { tree: topicTreeWith([0, 1, 2], 'trains'), topics: new Map([['railways', parseTopicId('trains')]]) };

test('topics may be renamed between two runs: found pages move to the new name', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }));
  await first.run();
  const config = exactConfig({ crawl: { budget: 50 } });
  const second = paperCrawl(paperWeb(), config, { journal: first.journal, ...TRAINS });
  expect((await second.run()).fetchedNow).toBe(20);
  const pages = second.journal.records.filter((r) => r.kind === 'page').slice(-20);
  expect(pages.some((page) => page.assignment.topic === 'trains')).toBe(true);
  expect(second.crawl.status().queues.map(({ topic }) => topic)).toEqual(['trains']);
  const third = paperCrawl(paperWeb(), config, { journal: second.journal, ...TRAINS });
  expect(await third.run()).toMatchObject({ reason: 'budget', fetchedNow: 0 });
});

test('a renamed topic keeps its waiting links and its relevant pages', async () => {
  const config = exactConfig({ crawl: { budget: 30 } });
  const first = paperCrawl(paperWeb(), config);
  const { relevant, queues } = (await first.run()).status;
  expect([relevant > 0, queues[0]!.outgoing > 0]).toEqual([true, true]);
  const second = paperCrawl(paperWeb(), config, { journal: first.journal, ...TRAINS });
  const { status } = await second.run();
  expect(status.relevant).toBe(relevant);
  expect(status.queues).toEqual(queues.map((queue) => ({ ...queue, topic: 'trains' })));
});

test('a renamed topic keeps its archetypes', async () => {
  const config = exactConfig({ crawl: { budget: 30 } });
  const first = paperCrawl(paperWeb(), config);
  await first.run();
  const round = first.journal.records.findLast((record) => record.kind === 'round')!;
  const key = first.journal.crawled().find((url) => url.startsWith('http://rail'))!;
  const example = round.training.find(({ origin }) => origin === 'user')!;
  const archetype = { ...example, key, origin: 'archetype-by-confidence' } as const;
  const sequence = first.journal.records.length + 1;
  first.journal.append({ ...round, training: [...round.training, archetype], sequence });
  const second = paperCrawl(paperWeb(), config, { journal: first.journal, ...TRAINS });
  await second.run();
  const last = second.journal.records.findLast((record) => record.kind === 'round')!;
  expect(last.training.find((entry) => entry.key === key)).toMatchObject({ topic: 'trains', origin: archetype.origin });
});

test.each([
  { topic: 'railways', meaning: 'goes with it when it is renamed', origin: 'feedback' },
  { topic: 'ships', meaning: 'that is gone rests: what bingo.yaml says of the page holds', origin: 'user' },
])('what a person decided for a topic $meaning', async ({ topic, origin }) => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30 } }));
  await first.run();
  const key = paperUrl('rail', 1);
  const judgement = { key, sequence: 2, title: '', use: 'example', topic: parseTopicId(topic) } as const;
  const sequence = first.journal.records.length + 1;
  first.journal.append({ kind: 'steer', command: { kind: 'judge-page', judgement }, at: 0, sequence });
  const second = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 31 } }), { journal: first.journal, ...TRAINS });
  await second.run();
  const last = second.journal.records.findLast((record) => record.kind === 'round')!;
  expect(last.training.find((entry) => entry.key === key)).toMatchObject({ origin, topic: 'trains' });
});

test('an example added between two runs is fetched and learned', async () => {
  const config = exactConfig({ crawl: { budget: 30 } });
  const first = paperCrawl(paperWeb(), config);
  await first.run();
  const added = paperUrl('rail', 59);
  const tree = topicTreeWith([0, 1, 2, 59]);
  const second = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 50 } }), { journal: first.journal, tree });
  await second.run();
  const lastRound = second.journal.records.filter((r) => r.kind === 'round').at(-1)!;
  expect(lastRound.training.filter((t) => t.origin === 'user').map((t) => t.key)).toContain(added);
});

function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
