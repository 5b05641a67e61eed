import type { TopicId, TopicScores } from '../../core/index.ts';
import type { JudgedPage } from '../ordering.ts';

/** Returns the classifiers' scores of a page for a topic; `undefined` if no model has judged it for this topic. */
export function scoresFor(page: JudgedPage, topic: TopicId): TopicScores | undefined {
  return page.assignment.scores.find((scores) => scores.topic === topic);
}
