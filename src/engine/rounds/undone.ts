import type { TopicEstimate } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { roundIsWorse } from '../../learn/index.ts';
import type { TrainingResult } from '../ports.ts';
import { type Item, isGivenExample } from '../training/training-items.ts';

/** What training came to, with all pages that it learned from. */
export interface Trained extends TrainingResult {
  readonly items: readonly Item[];
}

/** Loss of held-out rank of the user's examples beyond which a round is undone. In [0,1]; our choice. */
const RANK_TOLERANCE = 0.02;

/**
 * Topics above which their mean rank counts in place of each one's. Of a hundred topics some lose in every round, if only since the off-topic
 * pages have become nearer misses, though the mean rises; with every round undone none would ever learn. Our choice.
 */
const MANY = 10;

/** Why a retrained model is worse than the one in force, or `''` when it is not. */
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
