import type { PageVote, TopicId } from '../core/index.ts';
import type { Decision } from './decisions.ts';
import { type DecisionClassifiers, type HeardScores, precisionAt } from './estimates.ts';
import type { TopicModels, Voter } from './models.ts';
import type { Vote } from './rules.ts';

/** The votes of a page classifier on the pages of one decision. */
export interface HeardVoter extends HeardScores {
  readonly voter: string;
}

/**
 * Returns the page classifiers that voted on pages of a decision, in alphabetical order. They have not learned from
 * these pages, so their votes count as held out.
 * @param votes by position of the document; `undefined` if unknown
 */
export function votersOf(
  { topic, positives, negatives }: Decision,
  votes: readonly (readonly PageVote[] | undefined)[],
  acceptThreshold: number,
): readonly HeardVoter[] {
  const rows = [...positives, ...negatives].map((document) => votesOn(topic, votes[document] ?? []));
  const names = new Set(rows.flatMap((row) => row.map(({ voter }) => voter)));
  return [...names].sort().map((voter) => {
    const of = (row: readonly PageVote[]): number => row.find((vote) => vote.voter === voter)?.confidence ?? Number.NaN;
    const confidences = Float64Array.from(rows, of);
    return { voter, confidences, calibrated: confidences.map((confidence) => onScale(confidence, acceptThreshold)) };
  });
}

/** Returns the voters of a decision for its model, with their precision on the training pages. */
export function voterModels({
  decision: { topic, positives },
  voters,
}: Pick<DecisionClassifiers, 'decision'> & { readonly voters: readonly HeardVoter[] }): readonly Voter[] {
  return voters.map(({ voter, confidences }) => {
    return { voter, topic, precision: precisionAt(0, confidences, positives.length) };
  });
}

/** A page classifier's vote in the form of those of the SVMs. */
interface ScaledVote extends Vote {
  readonly space: string;
  readonly confidence: number;
  readonly calibrated: number;
}

/** Returns the votes on a topic of a page. The precision is NaN if the model does not know the voter. */
export function scaledVotes(
  { acceptThreshold, voters = [] }: Pick<TopicModels, 'acceptThreshold' | 'voters'>,
  topic: TopicId,
  votes: readonly PageVote[],
): readonly ScaledVote[] {
  return votesOn(topic, votes).map(({ voter, confidence }) => ({
    space: voter,
    confidence,
    calibrated: onScale(confidence, acceptThreshold),
    result: confidence > 0 ? 1 : -1,
    precision: voters.find((known) => known.voter === voter && known.topic === topic)?.precision ?? Number.NaN,
  }));
}

function votesOn(topic: TopicId, votes: readonly PageVote[]): readonly PageVote[] {
  return votes.filter((vote) => vote.topic === topic && vote.confidence !== 0);
}

/** Maps -1 to a mean negative page, 0 to the accept threshold, and 1 to a mean page of the topic. */
function onScale(confidence: number, acceptThreshold: number): number {
  return confidence > 0 ? acceptThreshold + confidence * (1 - acceptThreshold) : acceptThreshold * (1 + confidence);
}
