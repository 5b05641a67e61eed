import type { TopicId, TopicScores } from '../../core/index.ts';
import type { JudgedPage } from '../ordering.ts';

/** What the classifiers said of a page and a topic; `undefined` when no model has judged it, or not for this topic. */
export function scoresFor(page: JudgedPage, topic: TopicId): TopicScores | undefined {
  return page.assignment.scores.find((scores) => scores.topic === topic);
}
