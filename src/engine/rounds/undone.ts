import type { TopicEstimate } from '../../core/index.ts';
import { roundIsWorse } from '../../learn/index.ts';
import type { TrainingResult } from '../ports.ts';
import { type Item, isGivenExample } from '../training/training-items.ts';

/** What training came to, with all pages that it learned from. */
export interface Trained extends TrainingResult {
  readonly items: readonly Item[];
}

/** Loss of held-out rank of the user's examples beyond which a round is undone. In [0,1]; our choice. */
const RANK_TOLERANCE = 0.02;

/** Why a retrained model is worse than the one in force, or `''` when it is not. */
export function drift(before: readonly TopicEstimate[], after: readonly TopicEstimate[]): string {
  for (const { topic, exampleRank } of after) {
    const was = before.find((estimate) => estimate.topic === topic)?.exampleRank ?? 0;
    if (roundIsWorse(was, exampleRank, RANK_TOLERANCE))
      return `drift: the examples of "${topic}" fell from rank ${was.toFixed(3)} to ${exampleRank.toFixed(3)}`;
  }
  return '';
}

/**
 * Why a model of pages that stand in for OTHERS is none, or `''`. Where these are on topic themselves, as on a site that is all on topic,
 * examples that are held out score no better than they do; 0 is their mean.
 */
export function confusion({ items, heldOut }: Pick<Trained, 'items' | 'heldOut'>): string {
  const scores = items.filter(isGivenExample).map(({ key }) => heldOut.get(key) ?? Number.NaN);
  const known = scores.filter((score) => !Number.isNaN(score));
  const sum = known.reduce((total, score) => total + score, 0);
  const isConfused = known.length > 0 && sum <= 0;
  return isConfused ? 'the pages least like the examples are as much like them as these are like each other' : '';
}
