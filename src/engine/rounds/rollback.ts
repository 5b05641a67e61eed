import { isGivenExample } from '../../core/index.ts';
import { counted, percent } from '../../kit/index.ts';
import { roundIsWorse } from '../../learn/index.ts';
import type { RankChange } from '../../meta/index.ts';
import type { TrainingResult } from '../ports.ts';
import type { Item } from '../training/training-items.ts';

/** Result of a training, with all pages it learned from. */
export interface Trained extends TrainingResult {
  readonly items: readonly Item[];
}

/** Maximum loss of held-out rank of the user's examples before a round is rolled back. In [0,1]; our choice. */
const RANK_TOLERANCE = 0.02;

/** Maximum share of the user's counter-examples that a topic may newly accept. In [0,1]; our choice. */
const MOST_INTRUDERS = 0.1;

/**
 * Rank of the held-out examples among the stand-ins that makes up for counter-examples forgotten. Stand-ins of other
 * topics gave .96 and more, stand-ins of the topic itself up to .92.
 */
const CLEAR_RANK = 0.95;

/**
 * Number of topics above which only their mean rank counts. Among a hundred topics some lose rank in every round, if
 * only because the off-topic pages become nearer misses, while the mean rises. If each loss rolled a round back, none
 * would be kept. Our choice.
 */
const MANY = 10;

/** Returns why a retrained model is worse than the current one; '' if it is not. */
export function drift(ranks: readonly RankChange[]): string {
  const fallen = fallenOf(ranks);
  if (fallen === undefined) return '';
  return `drift: ${fallen.what} fell from rank ${fallen.was.toFixed(3)} to ${fallen.is.toFixed(3)}`;
}

/**
 * Returns why a model trained on stand-in negatives is rejected; '' if it is fine. It left counter-examples of the
 * user out. If it separates the examples less well from them, or accepts more of them than the model before, it must
 * separate the examples clearly from the stand-ins, by their terms alone: otherwise these are of the topic.
 */
export function forgetting({
  estimates,
  plainEstimates = estimates,
  ownRanks = [],
}: Pick<Trained, 'estimates' | 'plainEstimates' | 'ownRanks'>): string {
  const ranks = new Map(plainEstimates.map(({ topic, heldOutAuc }) => [topic, heldOutAuc]));
  const doubtful = ownRanks.filter(({ topic }) => !((ranks.get(topic) ?? 0) >= CLEAR_RANK));
  const fallen = fallenOf(doubtful);
  if (fallen !== undefined) return `${fallen.what} stand out less from your own counter-examples`;
  const lax = doubtful.find(({ intruders }) => intruders > MOST_INTRUDERS);
  return lax === undefined ? '' : `"${lax.topic}" would accept ${percent(lax.intruders)} of your own counter-examples`;
}

/** Returns the loss of rank that counts; `undefined` if no topic lost. */
function fallenOf(
  ranks: readonly RankChange[],
): (Pick<RankChange, 'was' | 'is'> & { readonly what: string }) | undefined {
  const known = ranks.map(({ topic, was, is }) => ({ what: `the examples of "${topic}"`, was, is }));
  const mean = (side: 'was' | 'is'): number => known.reduce((sum, each) => sum + each[side], 0) / known.length;
  const all = { what: `the examples of ${counted(known.length, 'topic')}`, was: mean('was'), is: mean('is') };
  return (known.length > MANY ? [all] : known).find(({ was, is }) => roundIsWorse(was, is, RANK_TOLERANCE));
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
