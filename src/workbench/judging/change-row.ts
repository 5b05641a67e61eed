import { type Judgement, siteOfKey, type TopicEstimate } from '../../core/index.ts';
import type { Effect } from '../../engine/index.ts';
import type { Change } from './feedback.ts';

/** The estimates of one topic before and after. */
export interface EstimateChange {
  readonly topic: string;
  readonly before: TopicEstimate | undefined;
  readonly after: TopicEstimate | undefined;
}

/** Returns how each topic's estimates change, in the order of the new round. */
export function estimateChanges({ trial }: Pick<Change, 'trial'>): readonly EstimateChange[] {
  const { before, round } = trial;
  const of = (estimates: readonly TopicEstimate[], topic: string): TopicEstimate | undefined =>
    estimates.find((estimate) => estimate.topic === topic);
  const topics = [...round.estimates, ...before.estimates].map(({ topic }) => topic);
  return [...new Set(topics)].map((topic) => {
    return { topic, before: of(before.estimates, topic), after: of(round.estimates, topic) };
  });
}

/** The held-out figures of one topic. */
export interface EstimateRow {
  /** Number of its training pages. */
  readonly examples: number;
  readonly others: number;
  readonly xiAlphaPrecision: number;
  readonly heldOutPrecision: number;
  readonly heldOutRecall: number;
  /** The mean rank of the user's own examples, 1 is best. */
  readonly exampleRank: number;
}

/** What decisions change, as plain data. */
export interface ChangeRow extends Effect {
  /** Number of the model that learned from the decisions. */
  readonly model: number;
  readonly decisions: readonly (
    | {
        readonly page: string;
        readonly use: Judgement['use'];
        readonly topic: string;
        readonly without: readonly number[];
      }
    | { readonly site: string; readonly use: Judgement['use'] }
  )[];
  readonly estimates: readonly {
    readonly topic: string;
    readonly before: EstimateRow | null;
    readonly after: EstimateRow | null;
  }[];
}

/** What decisions change, as plain data. */
export function changeRow(change: Change): ChangeRow {
  const { trial, effect } = change;
  return {
    model: trial.round.model,
    decisions: trial.judgements.map(({ key, use, topic, without }) => {
      const site = siteOfKey(key);
      return site === undefined ? { page: key, use, topic, without: without ?? [] } : { site, use };
    }),
    estimates: estimateChanges(change).map(({ topic, before, after }) => {
      return { topic, before: estimateRow(before), after: estimateRow(after) };
    }),
    ...effect,
  };
}

function estimateRow(estimate: TopicEstimate | undefined): EstimateRow | null {
  if (estimate === undefined) return null;
  const { positives, negatives, xiAlphaPrecision, heldOutPrecision, heldOutRecall, exampleRank } = estimate;
  return { examples: positives, others: negatives, xiAlphaPrecision, heldOutPrecision, heldOutRecall, exampleRank };
}
