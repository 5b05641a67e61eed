import type { TopicEstimate } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { roundIsWorse } from '../../learn/index.ts';
import type { TrainingResult } from '../ports.ts';
import { type Item, isGivenExample } from '../training/training-items.ts';

/** Result of a training, with all pages it learned from. */
export interface Trained extends TrainingResult {
  readonly items: readonly Item[];
}

/** Maximum loss of held-out rank of the user's examples before a round is rolled back. In [0,1]; our choice. */
const RANK_TOLERANCE = 0.02;

/**
 * Number of topics above which only their mean rank counts. Among a hundred topics some lose rank in every round, if
 * only because the off-topic pages become nearer misses, while the mean rises. If each loss rolled a round back, none
 * would be kept. Our choice.
 */
const MANY = 10;

/** Returns why a retrained model is worse than the current one; '' if it is not. */
export function drift(before: readonly TopicEstimate[], after: readonly TopicEstimate[]): string {
  const ranks = new Map(before.map(({ topic, exampleRank }) => [topic, exampleRank]));
  const known = after.flatMap(({ topic, exampleRank: is }) => {
    const was = ranks.get(topic) ?? Number.NaN;
    return Number.isNaN(was) || Number.isNaN(is) ? [] : [{ what: `the examples of "${topic}"`, was, is }];
  });
  const mean = (side: 'was' | 'is'): number => known.reduce((sum, each) => sum + each[side], 0) / known.length;
  const all = { what: `the examples of ${counted(known.length, 'topic')}`, was: mean('was'), is: mean('is') };
  const fallen = (known.length > MANY ? [all] : known).find(({ was, is }) => roundIsWorse(was, is, RANK_TOLERANCE));
  if (fallen === undefined) return '';
  return `drift: ${fallen.what} fell from rank ${fallen.was.toFixed(3)} to ${fallen.is.toFixed(3)}`;
}

/**
 * Returns why a model trained on stand-in negatives is rejected; '' if it is fine. If the stand-ins are on topic
 * themselves, as on a site with one subject, held-out examples score no better than they do. Their mean score is 0.
 */
export function confusion({ items, heldOut }: Pick<Trained, 'items' | 'heldOut'>): string {
  const scores = items.filter(isGivenExample).map(({ key }) => heldOut.get(key) ?? Number.NaN);
  const known = scores.filter((score) => !Number.isNaN(score));
  const sum = known.reduce((total, score) => total + score, 0);
  const isConfused = known.length > 0 && sum <= 0;
  return isConfused
    ? 'even the pages least like the examples resemble them as much as the examples resemble each other'
    : '';
}
