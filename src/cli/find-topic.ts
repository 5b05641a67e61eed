import { parseTopicId, type TopicId, type TopicTree, UsageError } from '../core/index.ts';
import { didYouMean } from './suggest.ts';

/**
 * A topic that a person named by its path.
 * @throws UsageError when the workspace has no such topic
 */
export function findTopic(tree: TopicTree, text: string): TopicId {
  const id = parseTopicId(text);
  if (tree.nodes.has(id)) return id;
  const ids = [...tree.nodes.keys()].filter((topic) => topic !== '');
  const same = topicCalled(id, ids);
  if (same !== undefined) return same;
  throw new UsageError(`There is no topic "${text}".`, didYouMean(id, ids) ?? `There are: ${ids.join(', ')}.`);
}

/**
 * The topic of a command that is about one: where there is only one, it need not be named.
 * @throws UsageError when it is not named and there are several, or the workspace has no such topic
 */
export function topicMeant(tree: TopicTree, text: string | undefined): TopicId {
  if (text !== undefined) return findTopic(tree, text);
  const ids = [...tree.nodes.keys()].filter((topic) => topic !== '');
  if (ids.length === 1) return ids[0]!;
  throw new UsageError('TOPIC is missing.', `There are: ${ids.join(', ')}.`);
}

/** The topic of that name. File names and some keyboards have marks apart from their letters: the same name, in other characters. */
export function topicCalled(name: string, ids: readonly TopicId[]): TopicId | undefined {
  return ids.find((id) => id.normalize('NFC') === name.normalize('NFC'));
}
