import { describe, expect, test, vi } from 'vitest';
import {
  type CrawlEvent,
  EMPTY_LINKS,
  type JournalRecord,
  type Judgement,
  parseTopicId,
  ROOT,
  type RoundRecord,
  type TopicId,
  type TopicPaths,
  type TopicTree,
  topicTree,
} from '../../../src/core/index.ts';
import { ModelTrainer, TrainingDesk } from '../../../src/engine/index.ts';
import { hurried, MemoryCheckpoints } from '../support/memory-checkpoints.ts';
import {
  exactConfig,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
  railTree,
  type Subject,
} from '../support/paper-web.ts';

const config = exactConfig({ crawl: { budget: 40, learn: 15 } });
const RAILWAYS = parseTopicId('railways');

async function crawled(): Promise<RecordingJournal> {
  const made = paperCrawl(paperWeb(), config);
  await made.run();
  return made.journal;
}

function openDesk(journal: RecordingJournal, tree: TopicTree = railTree(), topics?: TopicPaths): Promise<TrainingDesk> {
  const trainer = new ModelTrainer({ tree, learn: config.learn, seed: config.crawl.seed });
  return TrainingDesk.open({ tree, topics, config, journal, trainer, now: () => 0 });
}

function judge(url: string, use: Judgement['use'], more: Partial<Judgement> = {}): Judgement {
  const topic = use === 'example' ? RAILWAYS : ROOT;
  return { key: url, sequence: 0, title: 'A page', use, topic, ...more };
}

function lastRound(records: readonly JournalRecord[]): RoundRecord {
  return records.findLast((record) => record.kind === 'round')!;
}

/** A stored page that the crawl accepted and that no round trained on. */
function acceptedPage(journal: RecordingJournal): { key: string; sequence: number } {
  const trained = new Set(lastRound(journal.records).training.map((entry) => entry.key));
  const page = journal.records.find(
    (r) => r.kind === 'page' && r.role === 'crawled' && !r.assignment.others && !trained.has(r.finalUrl),
  );
  if (page?.kind !== 'page') throw new Error('The paper crawl accepts pages');
  return { key: page.finalUrl, sequence: page.sequence };
}

test('a checkpoint opens the same session as the whole journal, without reading it', async () => {
  const checkpoints = new MemoryCheckpoints();
  const made = paperCrawl(paperWeb(), config, { checkpoints, checkpointPace: hurried(1) });
  await made.run();
  expect(await checkpoints.list()).not.toEqual([]);
  const { journal } = made;
  const whole = await openDesk(journal);
  let read = 0;
  const trainer = new ModelTrainer({ tree: railTree(), learn: config.learn, seed: config.crawl.seed });
  const restored = await TrainingDesk.open({
    ...{ tree: railTree(), config, journal, checkpoints, trainer, now: () => 0 },
    onRead: (records) => {
      read = records;
    },
  });
  expect(read).toBe(0);
  expect(restored.training()).toEqual(whole.training());
  const { key, sequence } = acceptedPage(journal);
  const bad = judge(key, 'others', { sequence });
  const [ofRestored, ofWhole] = [await restored.attempt([bad]), await whole.attempt([bad])];
  expect(Buffer.compare(ofRestored.round.blob, ofWhole.round.blob)).toBe(0);
});

describe('the review session', () => {
  test('writes decisions to the journal together with the resulting model', async () => {
    const journal = await crawled();
    const before = journal.records.length;
    const page = acceptedPage(journal);
    const desk = await openDesk(journal);
    await desk.keep(await desk.attempt([judge(page.key, 'example', page), judge(paperUrl('rail', 1), 'dropped')]));
    expect(journal.records.slice(before).map((record) => record.kind)).toEqual(['steer', 'steer', 'round']);
    const { training, model } = lastRound(journal.records);
    expect(model).toBe(lastRound(journal.records.slice(0, before)).model + 1);
    expect(training.find((entry) => entry.key === page.key)).toMatchObject({ topic: 'railways', origin: 'feedback' });
    expect(training.some((entry) => entry.key === paperUrl('rail', 1))).toBe(false);
  });

  test('writes nothing while decisions are only previewed', async () => {
    const journal = await crawled();
    const before = [...journal.records];
    const desk = await openDesk(journal);
    const { round } = await desk.attempt([judge(paperUrl('rail', 1), 'dropped')]);
    expect(round.training.some((entry) => entry.key === paperUrl('rail', 1))).toBe(false);
    expect(journal.records).toEqual(before);
    expect(desk.judgements.size).toBe(0);
  });

  test('ignores a decision for a removed topic when pages are judged again', async () => {
    const journal = await crawled();
    const judgement = judge(acceptedPage(journal).key, 'example', { topic: parseTopicId('ships') });
    const sequence = journal.records.length + 1;
    journal.append({ kind: 'steer', command: { kind: 'judge-page', judgement }, at: 0, sequence });
    expect((await openDesk(journal)).judgements.size).toBe(0);
  });

  test('finds the old name of a topic that was renamed after the last round', async () => {
    const { examples } = railTree().nodes.get(RAILWAYS)!;
    const [trains, ships] = ['trains', 'ships'].map(parseTopicId) as [TopicId, TopicId];
    const tree = topicTree([{ name: 'trains', examples }, { name: 'ships' }], railTree().nodes.get(ROOT)!.others);
    const desk = await openDesk(await crawled(), tree, new Map([['railways', trains]]));
    expect([trains, ships, ROOT].map((topic) => desk.topicThen(topic))).toEqual([RAILWAYS, ships, ROOT]);
    expect(desk.topicNow(RAILWAYS)).toBe(trains);
  });

  test('a page marked as off topic becomes one of OTHERS', async () => {
    const journal = await crawled();
    const page = acceptedPage(journal);
    const desk = await openDesk(journal);
    const { round } = await desk.attempt([judge(page.key, 'others', page)]);
    expect(round.training.find((entry) => entry.key === page.key)).toMatchObject({
      topic: '',
      origin: 'feedback-others',
    });
  });

  test('forgets a decision that was withdrawn', async () => {
    const journal = await crawled();
    const desk = await openDesk(journal);
    await desk.keep(await desk.attempt([judge(paperUrl('rail', 1), 'dropped')]));
    await desk.keep(await desk.attempt([judge(paperUrl('rail', 1), 'free')]));
    expect(desk.judgements.size).toBe(0);
    expect(lastRound(journal.records).training.find((entry) => entry.key === paperUrl('rail', 1))).toMatchObject({
      origin: 'user',
    });
  });

  test('allows the removal of an example of an inner topic, which learns from its subtopics', async () => {
    const named = (subject: Subject, ...pages: number[]) =>
      pages.map((i) => ({ kind: 'url', url: paperUrl(subject, i) }) as const);
    const railways = { name: 'railways', examples: named('rail', 0, 1, 2) };
    const tree = topicTree([{ name: 'traffic', topics: [railways] }], named('food', 0, 1, 2, 3, 4, 5));
    const { run, journal } = paperCrawl(paperWeb(), config, { tree });
    await run();
    const page = acceptedPage(journal);
    const desk = await openDesk(journal, tree);
    await desk.keep(await desk.attempt([judge(page.key, 'example', { ...page, topic: parseTopicId('traffic') })]));
    const back = [judge(page.key, 'free')];
    expect(desk.objection(back)).toBeUndefined();
    await desk.keep(await desk.attempt(back));
    expect(desk.judgements.size).toBe(0);
  });

  test('refuses to leave a topic without an example, and rejects an unknown topic', async () => {
    const journal = await crawled();
    const desk = await openDesk(journal);
    const all = desk.training().flatMap(({ key, topic, origin }) => (topic === RAILWAYS && origin ? [key] : []));
    expect(desk.objection(all.map((key) => judge(key, 'dropped')))).toContain('no example left');
    expect(desk.objection([judge('http://x.test/', 'example', { topic: parseTopicId('ships') })])).toContain('ships');
    expect(desk.objection([judge(`http://x.test/${'x'.repeat(16_000)}`, 'dropped')])).toContain('too long');
    await expect(desk.attempt(all.map((key) => judge(key, 'dropped')))).rejects.toMatchObject({ code: 'NOT_POSSIBLE' });
  });

  test('learns from the remaining text of a trimmed page', async () => {
    const web = paperWeb();
    const mixed = '<p>locomotive railway track gauge steam signal carriage platform tunnel viaduct</p>';
    const noise = `<p>${'quokka wombat numbat '.repeat(20)}</p>`;
    web.set(paperUrl('rail', 0), `<html><title>rail 0</title><body>${mixed}${noise}</body></html>`);
    const made = paperCrawl(web, config);
    await made.run();
    const { journal } = made;
    const desk = await openDesk(journal);
    const page = desk.training().find((entry) => entry.key === paperUrl('rail', 0))!;
    const text = (await journal.documents([page.sequence])).get(page.sequence)!.text;
    expect(text.split('\n')).toHaveLength(2);
    const whole = await desk.attempt([judge(page.key, 'example', { sequence: page.sequence })]);
    const trimmed = await desk.attempt([judge(page.key, 'example', { sequence: page.sequence, without: [1] })]);
    const knows = (blob: Uint8Array): boolean => Buffer.from(blob).includes('quokka');
    expect([knows(whole.round.blob), knows(trimmed.round.blob)]).toEqual([true, false]);
  });

  test('learns the same without reading the links of pages, the slowest part', async () => {
    const journal = await crawled();
    const read = vi.spyOn(journal, 'read');
    const drop = [judge(paperUrl('rail', 1), 'dropped')];
    const { round } = await (await openDesk(journal)).attempt(drop);
    expect(read).toHaveBeenCalledExactlyOnceWith({ links: false, after: 0 });
    const withoutLinks = async function* (): AsyncGenerator<readonly JournalRecord[]> {
      yield journal.records.map((record) =>
        record.kind === 'page' ? { ...record, document: { ...record.document, links: EMPTY_LINKS } } : record,
      );
    };
    read.mockImplementation(withoutLinks);
    expect((await (await openDesk(journal)).attempt(drop)).round.blob).toEqual(round.blob);
  });

  test('suggests pages that no round trained on, with their evidence', async () => {
    const journal = await crawled();
    const desk = await openDesk(journal);
    const trained = new Set(desk.training().map((entry) => entry.key));
    const nominees = desk.nominees(RAILWAYS, 10);
    expect(nominees.length).toBeGreaterThan(3);
    expect(desk.nominees(RAILWAYS, 2)).toEqual(nominees.slice(0, 2));
    expect(nominees.filter((nominee) => trained.has(nominee.key))).toEqual([]);
    expect(nominees.every(({ by, sequence }) => ['authority', 'confidence', 'both'].includes(by) && sequence > 0)).toBe(
      true,
    );
  });
});

describe('a crawl after a review', () => {
  test('keeps the decisions: dropped pages stay dropped, whatever it finds', async () => {
    const journal = await crawled();
    const page = acceptedPage(journal);
    const desk = await openDesk(journal);
    await desk.keep(await desk.attempt([judge(page.key, 'example', page), judge(paperUrl('rail', 1), 'dropped')]));
    const more = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 80, learn: 15 } }), { journal });
    await more.run();
    const { training, model } = lastRound(journal.records);
    expect(model).toBeGreaterThan(desk.round!.model);
    expect(training.some((entry) => entry.key === paperUrl('rail', 1))).toBe(false);
    expect(training.find((entry) => entry.key === page.key)).toMatchObject({ origin: 'feedback' });
  });

  test('trains first if it was cut between the decisions and the model', async () => {
    const journal = await crawled();
    const desk = await openDesk(journal);
    await desk.keep(await desk.attempt([judge(paperUrl('rail', 1), 'dropped')]));
    const expected = lastRound(journal.records);
    const cut = RecordingJournal.holding(journal.records.slice(0, -1));
    const bigger = exactConfig({ crawl: { budget: 45, learn: 15 } });
    await paperCrawl(paperWeb(), bigger, { journal: cut }).run();
    const after = cut.records.slice(journal.records.length - 1);
    expect(after.map((record) => record.kind).slice(0, 3)).toEqual(['run', 'round', 'page']);
    expect(after[1]).toMatchObject({ model: expected.model, training: expected.training });
  });
});

describe('a page judged during the crawl', () => {
  const drop = { kind: 'judge-page', judgement: judge(paperUrl('rail', 1), 'dropped') } as const;

  function judged() {
    let pages = 0;
    const onEvent = (event: CrawlEvent): void => {
      if (event.kind === 'page' && event.record.role === 'crawled' && ++pages === 18) made.crawl.steer(drop);
    };
    const made = paperCrawl(paperWeb(), config, { onEvent });
    return made;
  }

  test('is learned before the next page is fetched', async () => {
    const { journal, run } = judged();
    await run();
    const steer = journal.records.findIndex((record) => record.kind === 'steer');
    expect(journal.records[steer + 1]).toMatchObject({ kind: 'round', reason: 'judged by the user' });
  });

  test('leads to the same pages if the crawl is cut and resumed', async () => {
    const whole = judged();
    await whole.run();
    const { records } = whole.journal;
    const steer = records.findIndex((record) => record.kind === 'steer');
    for (let cut = steer + 1; cut < records.length; cut += 4) {
      const resumed = paperCrawl(paperWeb(), config, { journal: RecordingJournal.holding(records.slice(0, cut)) });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });
});
