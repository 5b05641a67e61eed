import { ROOT, type TopicId } from '../../core/index.ts';

/**
 * Returns an SQL condition on the column `topic`: one of these topics or their subtopics. `undefined` means every
 * topic.
 */
export function topicCondition(
  topics: readonly TopicId[] | undefined,
): { readonly sql: string; readonly parameters: readonly string[] } | undefined {
  if (topics === undefined || topics.length === 0 || topics.includes(ROOT)) return undefined;
  // '0' is the character after '/': the range holds exactly the topics that start with `topic/`.
  const sql = topics.map(() => '(topic = ? or (topic > ? and topic < ?))').join(' or ');
  return { sql, parameters: topics.flatMap((topic) => [topic, `${topic}/`, `${topic}0`]) };
}
