import { describe, expect, it } from 'vitest';
import type { CanonicalUrl, CrawlEvent, Question, SteerCommand, TopicId } from '../../src/core/index.ts';
import { type AnswerOptions, SimulatedUser } from '../../src/lab/tasks/answerer.ts';

const RAILWAYS = 'railways' as TopicId;
const [ON, OFF, UNKNOWN] = ['http://a.test/on', 'http://a.test/off', 'http://a.test/unknown'];
const TRUTH = {
  topicsOf: (url: CanonicalUrl) => (url === UNKNOWN ? undefined : url === OFF ? [] : ['railways']),
};
const PAGE = { kind: 'page' } as CrawlEvent;

function question(key: string): CrawlEvent {
  const question: Question = {
    ...{ key, sequence: 7, title: 'Title', topic: RAILWAYS, passage: { text: '', marks: [] }, terms: [] },
    ...{ number: 1, of: 8 },
  };
  return { kind: 'question', question };
}

/** Answers given after each of the events. */
async function answers(options: Partial<AnswerOptions>, ...events: readonly CrawlEvent[]): Promise<SteerCommand[]> {
  const given: SteerCommand[] = [];
  const user = new SimulatedUser({ answers: 8, lag: 0, errors: 0, order: 'benefit', ...options }, TRUTH, (command) =>
    given.push(command),
  );
  for (const event of events) {
    user.note(event);
    await Promise.resolve();
  }
  return given;
}

const useOf = (command: SteerCommand | undefined): string | undefined =>
  command?.kind === 'judge-page' ? command.judgement.use : command?.kind;

describe('a simulated user', () => {
  it('answers by the labels, and skips pages without one', async () => {
    const given = await answers({}, question(ON), question(OFF), question(UNKNOWN));
    expect(given.map(useOf)).toEqual(['example', 'others', 'skip-question']);
  });

  it('answers so many pages later', async () => {
    expect(await answers({ lag: 2 }, question(ON), PAGE)).toEqual([]);
    expect((await answers({ lag: 2 }, question(ON), PAGE, PAGE, PAGE)).map(useOf)).toEqual(['example']);
  });

  it('makes the wanted share of mistakes, the same ones each time', async () => {
    const asked = Array.from({ length: 400 }, (_, i) => question(`${ON}/${i}`));
    const given = (await answers({ errors: 0.2 }, ...asked)).map(useOf);
    const wrong = given.filter((use) => use === 'others').length;
    expect(wrong).toBeGreaterThan(50);
    expect(wrong).toBeLessThan(110);
    expect((await answers({ errors: 0.2 }, ...asked)).map(useOf)).toEqual(given);
    expect((await answers({ errors: 1 }, question(ON))).map(useOf)).toEqual(['others']);
  });
});
