import { expect, test } from 'vitest';
import { parseTopicId, topicTree } from '../../../src/core/index.ts';
import type { FeedbackSession } from '../../../src/workbench/judging/apply-feedback.ts';
import type { Change } from '../../../src/workbench/judging/feedback.ts';
import { ReviewSession } from '../../../src/workbench/review/review-session.ts';

const CYCLING = parseTopicId('cycling');
const TREE = topicTree([{ name: 'cycling' }], []);
const DECISION = { key: 'https://a.test/', sequence: 1, title: 'a', use: 'example', topic: CYCLING } as const;

/** A session over an empty store, in which a preview has trained this. */
function sessionOf(parts: Partial<FeedbackSession> = {}, round: object | undefined = {}): FeedbackSession {
  const store = {
    candidates: async () => ({ unsure: [], near: [], accepted: [] }),
    status: async () => ({ topics: [] }),
    exportPages: async function* () {},
    documents: async () => new Map(),
    languages: async () => [],
    steers: async () => [],
  };
  const desk = { tree: TREE, round, training: () => [], judgements: new Map(), topicNow: (id: string) => id };
  return { store, desk, workspace: { dir: '/tmp/my bikes' }, ...parts } as unknown as FeedbackSession;
}

test('commands in proposals and errors name the folder as the user typed it, quoted once', async () => {
  const review = new ReviewSession(sessionOf(), { dir: 'my bikes' });
  expect((await review.proposals()).map(({ how }) => how)).toEqual(["bingo crawl 'my bikes'"]);
  const unlearned = sessionOf({}, undefined);
  Object.assign(unlearned.desk, { round: undefined });
  expect(() => new ReviewSession(unlearned, { dir: 'my bikes' })).toThrow(
    expect.objectContaining({ hint: "First: bingo crawl 'my bikes' --only learn" }),
  );
});

test('the training of a preview is reused only for the same decisions', async () => {
  const change = { trial: { judgements: [DECISION] } } as unknown as Change;
  const trials: unknown[] = [];
  const take: FeedbackSession['take'] = async (_, options) => {
    trials.push(options?.trial);
    return change;
  };
  const feedback = { preview: async () => change } as unknown as FeedbackSession['feedback'];
  const review = new ReviewSession(sessionOf({ take, feedback }));
  await review.preview([DECISION]);
  await review.apply([DECISION]);
  await review.apply([{ ...DECISION, use: 'others' }]);
  expect(trials).toEqual([change.trial, undefined]);
});
