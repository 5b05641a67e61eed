import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseTopicId, ROOT, topicTree } from '../../../src/core/index.ts';
import { TopicReview } from '../../../src/workbench/library/topic-review.ts';
import type { ReviewMaterial } from '../../../src/workbench/review/review-material.ts';
import type { ReviewPage } from '../../../src/workbench/review/review-page.ts';
import type { ReviewSession } from '../../../src/workbench/review/review-session.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'bingo-review-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const CYCLING = parseTopicId('cycling');
const PAGE = { key: 'https://a.test/', sequence: 1, title: 'Saddles', topic: CYCLING, isOthers: false } as ReviewPage;

/** A review of one stored page with three paragraphs. */
function reviewOf(): TopicReview {
  const tree = topicTree([{ name: 'cycling' }, { name: 'food' }], []);
  const store = { texts: async () => new Map([[1, 'one\ntwo\nthree']]) };
  const workspace = { dir: FOLDER };
  const review = { session: { workspace, store, desk: { tree, training: () => [] } } } as unknown as ReviewSession;
  const material = { topics: [{ id: CYCLING, pages: [PAGE] }] } as unknown as ReviewMaterial;
  return new TopicReview(review, material, async () => {});
}

test('a trimmed page is accepted where it is shown, or stays where it was decided to be', async () => {
  const review = reviewOf();
  await review.trim(PAGE.key, [2]);
  expect(review.decisions.get(PAGE.key)).toMatchObject({ use: 'example', topic: 'cycling', without: [2] });
  await review.decide(PAGE.key, 'move', { to: 'food' });
  await review.trim(PAGE.key, [0, 1]);
  expect(review.decisions.get(PAGE.key)).toMatchObject({ use: 'example', topic: 'food', without: [0, 1] });
  await review.decide(PAGE.key, 'others');
  await review.trim(PAGE.key, [1]);
  expect(review.decisions.get(PAGE.key)).toMatchObject({ use: 'others', topic: ROOT, without: [1] });
  await expect(review.trim(PAGE.key, [3])).rejects.toThrow(/No paragraph 4: the page has 3/);
  review.forget(PAGE.key);
  expect(review.decisions.size).toBe(0);
});
