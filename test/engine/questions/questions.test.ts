import { describe, expect, test } from 'vitest';
import { answerCommand, type CrawlEvent, type Question, type QuestionAnswer } from '../../../src/core/index.ts';
import type { AskOptions } from '../../../src/engine/questions/questions.ts';
import { exactConfig, type PaperCrawl, paperCrawl, paperWeb, railTree } from '../support/paper-web.ts';

const CONFIG = exactConfig({ crawl: { budget: 90, learn: 10 }, learn: { retrainEvery: 1_000 } });

/** A crawl whose user answers each question at once. */
function answered(ask: AskOptions, answerTo: (question: Question) => QuestionAnswer | undefined): Answered {
  const asked: Question[] = [];
  const onEvent = (event: CrawlEvent): void => {
    if (event.kind !== 'question') return;
    asked.push(event.question);
    const answer = answerTo(event.question);
    if (answer !== undefined) queueMicrotask(() => made.crawl.steer(answerCommand(event.question, answer)));
  };
  const made = paperCrawl(paperWeb(), CONFIG, { ask, onEvent, tree: railTree() });
  return { ...made, asked };
}

interface Answered extends PaperCrawl {
  readonly asked: readonly Question[];
}

const isRail = ({ key }: Question): boolean => key.startsWith('http://rail');

describe('questions', () => {
  test('are asked one at a time, at most so many per topic, each about another stored page', async () => {
    const { crawl, asked, journal } = answered({ answers: 4 }, (question) => (isRail(question) ? 'yes' : 'no'));
    await crawl.run();
    expect(asked.map(({ number, of }) => [number, of])).toEqual([1, 2, 3, 4].map((number) => [number, 4]));
    expect(new Set(asked.map(({ key }) => key)).size).toBe(4);
    const stored = new Map(journal.pages().map(({ sequence, finalUrl }) => [sequence, finalUrl]));
    for (const { sequence, key } of asked) expect(stored.get(sequence)).toBe(key);
  });

  test('change the training at once', async () => {
    const { crawl, asked, journal } = answered({ answers: 2 }, () => 'yes');
    await crawl.run();
    const rounds = journal.records.flatMap((record) => (record.kind === 'round' ? [record] : []));
    const [first] = asked;
    expect(rounds.find(({ reason }) => reason === 'judged by the user')?.training).toContainEqual(
      expect.objectContaining({ key: first?.key, origin: 'feedback' }),
    );
  });

  test('do not stop a crawl without answers', async () => {
    const { crawl, asked } = answered({ answers: 4 }, () => undefined);
    const { status } = await crawl.run();
    expect(asked).toHaveLength(1);
    expect(status.fetched).toBe(90);
    expect(status.question).toEqual(asked[0]);
  });

  test('that are skipped leave no record, and are not repeated', async () => {
    const { crawl, asked, journal } = answered({ answers: 3 }, () => 'skip');
    await crawl.run();
    expect(asked).toHaveLength(3);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(3);
    expect(journal.records.filter(({ kind }) => kind === 'steer')).toEqual([]);
  });

  test('end when the user wants no more', async () => {
    const made = answered({ answers: 4 }, () => undefined);
    const running = made.crawl.run();
    const timer = setInterval(() => {
      if (made.crawl.status().question !== undefined) made.crawl.steer({ kind: 'end-questions' });
    });
    await running.finally(() => clearInterval(timer));
    expect(made.asked).toHaveLength(1);
  });

  test('are not asked without being wanted', async () => {
    const { crawl, asked } = answered({ answers: 0 }, () => 'yes');
    await crawl.run();
    expect(asked).toEqual([]);
  });

  test('of an exploration come when the budget is spent, and the crawl ends after them', async () => {
    const { crawl, asked, journal } = answered({ answers: 3, atEnd: true }, (question) =>
      isRail(question) ? 'yes' : 'no',
    );
    const { reason, status } = await crawl.run();
    expect([reason, status.fetched, asked.length]).toEqual(['budget', 90, 3]);
    const last = Math.max(...journal.pages().map(({ sequence }) => sequence));
    const answers = journal.records.filter(({ kind }) => kind === 'steer');
    expect(answers).toHaveLength(3);
    for (const { sequence } of answers) expect(sequence).toBeGreaterThan(last);
    expect(journal.records.at(-1)).toMatchObject({ kind: 'round', reason: 'judged by the user' });
  });

  test('of an exploration can be ended', async () => {
    const { crawl, asked } = answered({ answers: 3, atEnd: true }, () => undefined);
    const running = crawl.run();
    await expect.poll(() => asked.length).toBe(1);
    crawl.steer({ kind: 'end-questions' });
    expect((await running).reason).toBe('budget');
  });

  test('show the terms that decided', async () => {
    const passageOf: AskOptions['passageOf'] = (_, terms) => ({ text: terms.join(' '), marks: [] });
    const { crawl, asked } = answered({ answers: 1, passageOf }, () => 'yes');
    await crawl.run();
    expect(asked[0]?.terms.length).toBeGreaterThan(0);
    expect(asked[0]?.passage.text).toBe(asked[0]?.terms.join(' '));
  });
});
