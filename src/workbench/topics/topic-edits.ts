import {
  type CanonicalUrl,
  CREDENTIALS_HINT,
  canonicalize,
  hasCredentials,
  parseTopicId,
  type TopicId,
  UsageError,
} from '../../core/index.ts';
import {
  changedFile,
  replaceWorkspaceFile,
  TOPIC_SWITCHES,
  type TopicSwitch,
  withSwitch,
} from '../workspace/edit-topics.ts';
import { findTopic } from '../workspace/find-topic.ts';
import type { PageList } from '../workspace/listed-pages.ts';
import { whyBadUrl } from '../workspace/topic-file.ts';
import { WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';
import {
  addPages,
  addSubtopics,
  joinTopic,
  moveTopic,
  type removePages,
  removeTopic,
  renameTopic,
  splitTopic,
} from './change-topics.ts';
import { isListed, removePage } from './remove-page.ts';

/** Adds a topic by its path. @throws UsageError if the topic above it is missing, or an example is no web address */
export async function addTopicAt(workspace: Workspace, path: string, examples: readonly string[]): Promise<TopicId> {
  const [above, name] = splitTopic(path);
  const parent = above === '' ? above : findTopic(workspace.tree, above);
  const pages = examples.map(webPage);
  await addSubtopics(workspace, [{ parent, name, examples: pages }]);
  return joinTopic(parent, name);
}

/**
 * Adds pages to a list of a topic, or removes them.
 * @returns their canonical URLs
 * @throws UsageError if a page is no web address
 */
export function editPages(
  { dir, tree }: Workspace,
  edit: typeof addPages | typeof removePages,
  { topic, list, urls }: { readonly topic: string; readonly list: PageList; readonly urls: readonly string[] },
): readonly CanonicalUrl[] {
  const pages = urls.map(webPage);
  edit(dir, findTopic(tree, topic), list, pages);
  return pages;
}

/** A switch of a topic, as it is now. */
export interface SwitchedTopic {
  readonly topic: TopicId;
  readonly key: TopicSwitch;
  readonly value: boolean;
  /** False if bingo.yaml had the value already. */
  readonly isNew: boolean;
}

/**
 * Turns a switch of a topic on or off in bingo.yaml. `follow`: the links of its pages are followed. `shown`: search,
 * portal and exports have its pages.
 * @throws UsageError if the topic, the key or the value is unknown
 */
export function switchTopic({ dir, tree }: Workspace, name: string, key: string, value: string): SwitchedTopic {
  const topic = findTopic(tree, name);
  const known = TOPIC_SWITCHES.find((one) => one === key);
  if (known === undefined)
    throw new UsageError(
      `"${key}" cannot be set for a topic.`,
      `Set ${TOPIC_SWITCHES.join(' or ')}. Whether a topic is a target: bingo topic good DIR TOPIC`,
    );
  if (value !== 'true' && value !== 'false')
    throw new UsageError(
      `${known} takes true or false, got "${value}".`,
      `For example: bingo topic set DIR TOPIC ${known} false`,
    );
  const isOn = value === 'true';
  const isNew = (tree.nodes.get(topic)?.[known] !== false) !== isOn;
  if (isNew)
    replaceWorkspaceFile(
      dir,
      changedFile(dir, (text) => withSwitch(text, topic, known, isOn)),
    );
  return { topic, key: known, value: isOn, isNew };
}

/** The lines that {@link editTopicsBy} understands. */
const FORMS =
  'add TOPIC URL…, rename TOPIC NAME, move TOPIC PARENT, remove TOPIC, example TOPIC URL…, remove URL [TOPIC], set TOPIC follow|shown true|false';

/**
 * Changes topics by one line, such as `rename cycling bicycles`. Words with spaces are in quotation marks.
 * @returns what was done
 * @throws UsageError if the line is not one of the forms, or as the change does
 */
export async function editTopicsBy(workspace: Workspace, line: string): Promise<string> {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, inQuotes, plain]) => inQuotes ?? plain ?? '');
  const [verb = '', topic = '', word = '', ...more] = words;
  const now = await edited(workspace, { verb, topic, words: word === '' ? [] : [word, ...more] });
  return `${WORKSPACE_FILE} was changed: ${now}. The next crawl uses it.`;
}

async function edited(
  workspace: Workspace,
  { verb, topic, words }: { readonly verb: string; readonly topic: string; readonly words: readonly string[] },
): Promise<string> {
  const [word = ''] = words;
  if (
    words.length < 2 &&
    verb === 'remove' &&
    !workspace.tree.nodes.has(parseTopicId(topic)) &&
    isListed(workspace.dir, topic)
  ) {
    const { page, topic: place } = removePage(workspace, topic, words[0]);
    return `${page} removed from "${place}"`;
  }
  if (topic !== '' && words.length === 0 && verb === 'remove')
    return `"${await removeTopic(workspace, topic)}" removed`;
  if (topic !== '' && words.length === 1 && verb === 'rename')
    return `"${topic}" is now "${(await renameTopic(workspace, topic, word)).now}"`;
  if (topic !== '' && words.length === 1 && verb === 'move')
    return `"${topic}" is now "${(await moveTopic(workspace, topic, word)).now}"`;
  if (topic !== '' && words.length > 0 && verb === 'add') return `"${await addTopicAt(workspace, topic, words)}" added`;
  if (topic !== '' && words.length === 2 && verb === 'set') {
    const { topic: id, key, value } = switchTopic(workspace, topic, word, words[1] ?? '');
    return `${key} of "${id}" is ${value}`;
  }
  if (topic === '' || words.length === 0 || verb !== 'example') throw new UsageError(`Type one of: ${FORMS}.`);
  editPages(workspace, addPages, { topic, list: 'examples', urls: words });
  return `${words.length === 1 ? 'an example' : 'examples'} added to "${topic}"`;
}

function webPage(text: string): CanonicalUrl {
  const url = canonicalize(text);
  if (url === undefined) throw new UsageError(`"${text}" is not a web address.`, whyBadUrl(text));
  if (hasCredentials(text)) throw new UsageError(`${url} is given with a user name or a password.`, CREDENTIALS_HINT);
  return url;
}
