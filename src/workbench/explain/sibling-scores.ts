import { type PageRecord, parentTopic, type TopicId, type TopicScores } from '../../core/index.ts';

/** Scores of a page for one topic. */
export interface TopicScoreRow extends TopicScores {
  /** True for the topic that the page was accepted into. */
  readonly won: boolean;
}

/**
 * Returns the scores of the topics that competed in the last step of the decision, best first: the accepted topic and
 * its siblings, or the topics that all rejected the page. Adds those of the asked topic.
 */
export function siblingScores({ assignment }: PageRecord, asked: TopicId | undefined): readonly TopicScoreRow[] {
  const { topic, others, scores } = assignment;
  const parent = others ? topic : parentTopic(topic);
  return scores
    .filter((score) => score.topic === asked || (score.topic !== '' && parentTopic(score.topic) === parent))
    .map((score) => ({ ...score, won: !others && score.topic === topic }))
    .sort((a, b) => Number(b.won) - Number(a.won) || b.relevance - a.relevance);
}
