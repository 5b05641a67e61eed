import { parseTopicId, ROOT, type TopicId, type TopicTree, UsageError } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { didYouMean } from '../words/suggest.ts';

/** Maximum number of topics in an error; a tree may have hundreds. */
const NAMED = 10;

/**
 * Finds a topic that the user named by its path.
 * @throws UsageError if the workspace has no such topic
 */
export function findTopic(tree: TopicTree, text: string): TopicId {
  const id = parseTopicId(text);
  // An empty name does not mean the root: a script's variable may be empty.
  if (id !== ROOT && tree.nodes.has(id)) return id;
  const ids = [...tree.nodes.keys()].filter((topic) => topic !== '');
  const same = topicCalled(id, ids);
  if (same !== undefined) return same;
  throw new UsageError(`Unknown topic "${text}".`, topicsLike(id, ids));
}

/**
 * Finds the topic of a command that needs one. It may be omitted if there is only one.
 * @throws UsageError if it is omitted and there are several, or the workspace has no such topic
 */
export function topicMeant(tree: TopicTree, text: string | undefined): TopicId {
  if (text !== undefined) return findTopic(tree, text);
  const ids = [...tree.nodes.keys()].filter((topic) => topic !== '');
  if (ids.length === 1) return ids[0]!;
  throw new UsageError('TOPIC is missing.', topicsLike('', ids));
}

/** Suggests topics: whose paths contain the words, whose spelling is similar, or else some of all topics. */
export function topicsLike(text: string, ids: readonly TopicId[]): string {
  const holding = text === '' ? [] : ids.filter((id) => id.toLowerCase().includes(text.toLowerCase()));
  if (holding.length === 1) return `Did you mean "${holding[0]}"?`;
  if (holding.length > 1) return `Did you mean one of these: ${namesShown(holding)}?`;
  return didYouMean(text, ids) ?? `There are: ${namesShown(ids)}.`;
}

/** Some names, and the number of the others. */
export function namesShown(ids: readonly TopicId[]): string {
  const left = ids.length - NAMED;
  return `${ids.slice(0, NAMED).join(', ')}${left > 0 ? ` and ${counted(left, 'more topic')}` : ''}`;
}

/**
 * Finds a topic by name. File names and some keyboards use combining accents: the name is the same, its characters
 * differ.
 */
export function topicCalled(name: string, ids: readonly TopicId[]): TopicId | undefined {
  return ids.find((id) => id.normalize('NFC') === name.normalize('NFC'));
}
