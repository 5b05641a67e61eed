import { parseTopicId, ROOT, type TopicId, type TopicTree, UsageError } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { didYouMean } from '../words/suggest.ts';

/** Topics that an error names; a tree may have hundreds. */
const NAMED = 10;

/**
 * A topic that a person named by its path.
 * @throws UsageError when the workspace has no such topic
 */
export function findTopic(tree: TopicTree, text: string): TopicId {
  const id = parseTopicId(text);
  // Nobody means the root of the tree: a variable of a script may be empty.
  if (id !== ROOT && tree.nodes.has(id)) return id;
  const ids = [...tree.nodes.keys()].filter((topic) => topic !== '');
  const same = topicCalled(id, ids);
  if (same !== undefined) return same;
  throw new UsageError(`There is no topic "${text}".`, topicsLike(id, ids));
}

/**
 * The topic of a command that is about one: where there is only one, it need not be named.
 * @throws UsageError when it is not named and there are several, or the workspace has no such topic
 */
export function topicMeant(tree: TopicTree, text: string | undefined): TopicId {
  if (text !== undefined) return findTopic(tree, text);
  const ids = [...tree.nodes.keys()].filter((topic) => topic !== '');
  if (ids.length === 1) return ids[0]!;
  throw new UsageError('TOPIC is missing.', topicsLike('', ids));
}

/** What a person may have meant: topics whose paths hold the words, one that is spelled nearly so, or some of all there are. */
export function topicsLike(text: string, ids: readonly TopicId[]): string {
  const holding = text === '' ? [] : ids.filter((id) => id.toLowerCase().includes(text.toLowerCase()));
  if (holding.length === 1) return `Did you mean "${holding[0]}"?`;
  if (holding.length > 1) return `Did you mean one of these: ${namesShown(holding)}?`;
  return didYouMean(text, ids) ?? `There are: ${namesShown(ids)}.`;
}

/** Some names, and how many more there are. */
export function namesShown(ids: readonly TopicId[]): string {
  const left = ids.length - NAMED;
  return `${ids.slice(0, NAMED).join(', ')}${left > 0 ? ` and ${counted(left, 'more topic')}` : ''}`;
}

/** The topic of that name. File names and some keyboards have marks apart from their letters: the same name, in other characters. */
export function topicCalled(name: string, ids: readonly TopicId[]): TopicId | undefined {
  return ids.find((id) => id.normalize('NFC') === name.normalize('NFC'));
}
