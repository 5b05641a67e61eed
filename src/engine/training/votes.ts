import type { PageVote, TopicId } from '../../core/index.ts';

/** Returns votes with other topic names, without those on topics that have none. */
export function namedVotes(
  votes: readonly PageVote[],
  nameOf: (topic: TopicId) => TopicId | undefined,
): readonly PageVote[] {
  return votes.flatMap((vote) => {
    const topic = nameOf(vote.topic);
    return topic === undefined ? [] : [{ ...vote, topic }];
  });
}
