import { describe, expect, test } from 'vitest';
import type { CrawlEvent, Judgement, QuestionAnswer } from '../../../src/core/index.ts';
import type { PageReader, ReaderQuestion, ReaderReply } from '../../../src/engine/index.ts';
import { exactConfig, type PaperCrawl, paperCrawl, paperWeb, railTree, topicTreeWith } from '../support/paper-web.ts';

const CONFIG = exactConfig({ crawl: { budget: 90, learn: 10 }, learn: { retrainEvery: 1_000 } });
/** The rail tree has three examples and six counter-examples. */
const EXAM = 9;

interface Read extends PaperCrawl {
  readonly questions: readonly ReaderQuestion[];
  readonly marks: () => readonly Judgement[];
  /** Messages about the reader. */
  readonly notices: () => readonly string[];
}

/** A crawl with a reader. It answers by `replyTo`. */
function read(replyTo: (question: ReaderQuestion, n: number) => ReaderReply, more: object = {}): Read {
  const questions: ReaderQuestion[] = [];
  const reader: PageReader = {
    name: 'The reader',
    answer: async (question) => replyTo(question, questions.push(question)),
  };
  const events: CrawlEvent[] = [];
  const ask = { answers: 3, reader, isAttended: false };
  const made = paperCrawl(paperWeb(), CONFIG, {
    ask,
    onEvent: (event) => events.push(event),
    tree: railTree(),
    ...more,
  });
  return {
    ...{ ...made, questions, events },
    marks: () =>
      made.journal.records.flatMap((record) =>
        record.kind === 'steer' && record.command.kind === 'judge-page' ? record.command.judgement : [],
      ),
    notices: () => events.flatMap((event) => (event.kind === 'alarm' && event.code === 'reader' ? event.message : [])),
  };
}

const isRail = ({ key }: ReaderQuestion): boolean => key.startsWith('http://rail');
const answer = (given: QuestionAnswer): ReaderReply => ({ kind: 'answer', answer: given });
const truth = (question: ReaderQuestion): ReaderReply => answer(isRail(question) ? 'yes' : 'no');
const lie = (question: ReaderQuestion): ReaderReply => answer(isRail(question) ? 'no' : 'yes');

describe('a reader', () => {
  test('is examined on the examples and counter-examples before its answers count', async () => {
    const { run, questions, marks, notices, events } = read(truth);
    await run();
    expect(questions).toHaveLength(EXAM + 3);
    expect(questions.slice(0, EXAM).filter(isRail)).toHaveLength(3);
    expect(marks()).toHaveLength(3);
    for (const mark of marks()) expect(mark).toMatchObject({ by: 'reader' });
    expect(notices()).toEqual([
      'The reader answers the questions of this crawl: 9 of 9 answers about your own pages are right (100 %).',
    ]);
    expect(events.filter(({ kind }) => kind === 'question')).toEqual([]);
  });

  test('gives training pages an origin of their own', async () => {
    const { run, marks, journal } = read(truth);
    await run();
    const last = journal.records.findLast((record) => record.kind === 'round');
    const origins = new Map(last?.training.map(({ key, origin }) => [key as string, origin]));
    for (const { key, use } of marks()) expect(origins.get(key)).toBe(use === 'example' ? 'reader' : 'reader-others');
  });

  test('is dropped if fewer than 80 % of its answers about the own pages are right', async () => {
    const { run, questions, marks, notices } = read((question, n) => (n % 3 === 0 ? lie(question) : truth(question)));
    await run();
    expect(questions).toHaveLength(EXAM);
    expect(marks()).toEqual([]);
    expect(notices()).toEqual([
      expect.stringMatching(/^The reader is not used\. 6 of 9 answers about your own pages are right \(67 %\): /),
    ]);
  });

  test('that says no to everything is dropped, however many counter-examples there are', async () => {
    const { run, marks, notices } = read(() => answer('no'));
    await run();
    expect(marks()).toEqual([]);
    expect(notices()[0]).toContain('0 of 3 examples, 6 of 6 counter-examples');
  });

  test('is asked with titles of the user’s pages, never that of the page itself', async () => {
    const { run, questions } = read(truth);
    await run();
    for (const { title, text, examples, counterExamples } of questions) {
      expect([...examples, ...counterExamples]).not.toContain(title);
      expect(text.length).toBeGreaterThan(0);
    }
    expect(questions.at(-1)?.examples).toHaveLength(3);
  });

  test('leaves a page alone that the user marked meanwhile', async () => {
    let mark: Judgement | undefined;
    const made: Read = read((question, n) => {
      if (n === EXAM + 1) {
        const { key, title } = question;
        mark = { key, sequence: 1, title, use: 'dropped', topic: question.topic };
        made.crawl.steer({ kind: 'judge-page', judgement: mark });
      }
      return truth(question);
    });
    await made.run();
    expect(made.marks()[0]).toEqual(mark);
    expect(made.marks().filter(({ key }) => key === mark?.key)).toHaveLength(1);
  });

  test('does not override bingo.yaml', async () => {
    const { run, marks, journal } = read(truth);
    await run();
    const { key } = marks().find(({ use }) => use === 'example')!;
    const index = Number(/\d+$/.exec(key)?.[0]);
    const tree = topicTreeWith([0, 1, 2, index]);
    expect([...tree.nodes.values()].flatMap(({ examples }) => examples)).toContainEqual({ kind: 'url', url: key });
    await paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 91, learn: 10 } }), { journal, tree }).run();
    const round = journal.records.findLast((record) => record.kind === 'round');
    expect(round?.training.find((entry) => entry.key === key)?.origin).toBe('user');
  });

  test('is dropped once its budget is used, or when it fails three times in a row', async () => {
    const spent = read((question, n) =>
      n > EXAM + 1 ? { kind: 'spent', why: 'It has answered 10 requests.' } : truth(question),
    );
    await spent.run();
    expect(spent.marks()).toHaveLength(1);
    expect(spent.notices().at(-1)).toBe('The reader is not used. It has answered 10 requests.');
    const failing = read(() => ({ kind: 'failed', why: 'It cannot be reached.' }));
    await failing.run();
    expect(failing.questions).toHaveLength(3);
    expect(failing.notices()).toEqual(['The reader is not used. It cannot be reached.']);
  });

  test('that is dropped leaves the questions to an attended user', async () => {
    const reader: PageReader = { name: 'The reader', answer: async () => answer('no') };
    const { run, events } = read(truth, { ask: { answers: 2, reader, isAttended: true } });
    await run();
    expect(events.filter(({ kind }) => kind === 'question')).toHaveLength(1);
  });
});
