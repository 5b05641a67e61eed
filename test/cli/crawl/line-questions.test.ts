import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Io } from '../../../src/cli/command.ts';
import { LineQuestions, questionText } from '../../../src/cli/crawl/line-questions.ts';
import type { Question, SteerCommand, TopicId } from '../../../src/core/index.ts';

const QUESTION: Question = {
  key: 'http://a.test/1',
  sequence: 4,
  title: 'Steam\u001b[31m engines',
  topic: 'railways' as TopicId,
  passage: { text: 'a locomotive on\u0007 rails', marks: [[2, 12]] },
  terms: ['locomot'],
  number: 2,
  of: 8,
};

function desk() {
  const stdin = new PassThrough();
  const steered: SteerCommand[] = [];
  let shown = '';
  const io = {
    stdin,
    ...{ env: { NO_COLOR: '1' }, stderrIsTerminal: true, columns: () => 80, onInterrupt: () => () => {} },
    err: (text: string) => {
      shown += text;
    },
  } as unknown as Io;
  const crawl = { steer: (command: SteerCommand) => steered.push(command) > 0, stop: () => {} };
  const questions = new LineQuestions(crawl, io);
  return { questions, steered, io, type: (text: string) => stdin.write(text), shown: () => shown };
}

describe('questions in lines', () => {
  test('show title, topic and passage, without control characters', () => {
    const text = questionText(QUESTION, desk().io);
    expect(text).toContain('On topic (railways, 2 of 8)? Steam engines');
    expect(text).toContain('*locomotive*');
    expect(text).not.toMatch(/[\u0007\u001b]/);
  });

  test('are answered by a line', async () => {
    const { questions, steered, type } = desk();
    questions.follow({ question: QUESTION });
    type('what\n');
    await sleep(20);
    type('y\n');
    await expect.poll(() => steered).toHaveLength(1);
    expect(steered[0]).toMatchObject({ kind: 'judge-page', judgement: { key: QUESTION.key, use: 'example' } });
  });

  test('can be skipped, or ended', async () => {
    for (const [line, kind] of [
      ['s', 'skip-question'],
      ['q', 'end-questions'],
    ] as const) {
      const { questions, steered, type } = desk();
      questions.follow({ question: QUESTION });
      type(`${line}\n`);
      await expect.poll(() => steered.map((command) => command.kind)).toEqual([kind]);
    }
  });

  test('are shown once, and withdrawn when they no longer wait', async () => {
    const { questions, steered, type, shown } = desk();
    questions.follow({ question: QUESTION });
    questions.follow({ question: QUESTION });
    expect(shown().split('On topic')).toHaveLength(2);
    questions.follow(undefined);
    await sleep(20);
    type('y\n');
    await sleep(20);
    expect(steered).toEqual([]);
  });
});
