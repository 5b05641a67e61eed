import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTopicId, type TopicId } from '../../../src/core/index.ts';
import type { TrainingDesk } from '../../../src/engine/index.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { reviewCandidates } from '../../../src/workbench/review/candidates.ts';
import { type MadeWorkspace, makeWorkspace } from '../../cli/support/made-workspace.ts';
import { page, scores } from '../../contracts/store-records.ts';

const CYCLING = parseTopicId('cycling');

/** A page whose score for cycling is `calibrated`. */
function cyclingPage(calibrated: number, { topic = 'cycling', others = false } = {}) {
  return (sequence: number) => {
    const made = page(sequence, `https://${calibrated}.example/`, { topic, others });
    const score = { ...scores('cycling', calibrated), calibrated };
    return { ...made, assignment: { ...made.assignment, scores: [score] } };
  };
}

/** By sequence, from 1: accepted pages from hardly to surely, in no order, and one that was rejected. */
const PAGES = [
  ...[1.2, 0.95, 1.7, 1.1, 3, 0.91, 2.5, 1.4].map((score) => cyclingPage(score)),
  cyclingPage(0.89, { topic: '', others: true }),
];

let made: MadeWorkspace;
let store: Store;
beforeAll(async () => {
  made = await makeWorkspace('topics: [{name: cycling}]', PAGES);
  store = await openStore({ url: 'sqlite', workspace: made.dir, batch: 1, flushMs: 1, readOnly: true });
});
afterAll(async () => {
  await store.close();
  made.drop();
});

async function unsure({ trained = [] as number[], judged = [] as number[] } = {}): Promise<number[]> {
  const desk = {
    topicNow: (id: TopicId) => id,
    training: () => trained.map((sequence) => ({ sequence })),
    judgements: new Map(judged.map((sequence) => [String(sequence), { sequence }])),
  } as unknown as TrainingDesk;
  const { unsure: found } = await reviewCandidates(store, desk, [CYCLING, 'food' as TopicId]);
  expect(found.get('food' as TopicId)).toEqual([]);
  return found.get(CYCLING)!.map(({ score }) => score);
}

describe('uncertain pages', () => {
  test('are accepted, the least certain first, at most half of the topic', async () => {
    expect(await unsure()).toEqual([0.91, 0.95, 1.1, 1.2]);
  });

  test('are never training pages, marked pages, or certain ones', async () => {
    expect(await unsure({ trained: [6], judged: [2] })).toEqual([1.1, 1.2, 1.4]);
  });
});
