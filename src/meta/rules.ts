import type { MetaRule } from '../core/index.ts';

/** One classifier's vote: its decision and its weight. */
export interface Vote {
  /** +1 or −1 (BINGO! §3.5: res). */
  readonly result: 1 | -1;
  /** Estimated precision, in [0,1]; NaN if undefined. */
  readonly precision: number;
}

/** The combined decision; 0 = undecided. */
export type MetaDecision = 1 | 0 | -1;

/** Weight of a classifier whose precision is unknown: that of a coin toss. */
const UNKNOWN_PRECISION = 0.5;

/**
 * Combines decisions (BINGO! §3.5, eq. 2): +1 if Σ wᵢ·resᵢ > t₁, −1 if it is < t₂, else 0. `best` is the single
 * classifier with the greatest estimated precision, the first among equals.
 * @returns 0 without votes
 */
export function combineVotes(votes: readonly Vote[], rule: MetaRule): MetaDecision {
  const h = votes.length;
  if (h === 0) return 0;
  if (rule === 'best') return bestVote(votes).result;
  if (rule === 'unanimous')
    return decide(
      sum(votes, () => 1),
      h - 0.5,
    );
  if (rule === 'majority')
    return decide(
      sum(votes, () => 1),
      0,
    );
  const weight = (vote: Vote): number => weightOf(vote);
  // Estimates on two or three examples are often all zero; then every vote counts the same.
  const mute = votes.every((vote) => weightOf(vote) === 0);
  return decide(sum(votes, mute ? () => 1 : weight), 0);
}

function decide(total: number, threshold: number): MetaDecision {
  return total > threshold ? 1 : total < -threshold ? -1 : 0;
}

function sum(votes: readonly Vote[], weight: (vote: Vote) => number): number {
  return votes.reduce((total, vote) => total + weight(vote) * vote.result, 0);
}

/** Returns the vote of the greatest estimated precision, the first among equals. At least one vote. */
export function bestVote<V extends Vote>(votes: readonly V[]): V {
  return votes.reduce((best, vote) => (weightOf(vote) > weightOf(best) ? vote : best));
}

function weightOf({ precision }: Vote): number {
  return Number.isNaN(precision) ? UNKNOWN_PRECISION : precision;
}
