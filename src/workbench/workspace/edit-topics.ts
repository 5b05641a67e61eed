import { join } from 'node:path';
import { type Document, isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { type CanonicalUrl, InputError, parentTopic, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import { BACKUP_FILE, holderOf, nodeOf, readDocument, resolved, written } from './edit-workspace.ts';
import { replaceFile } from './replace-file.ts';
import { whyBadTopicName } from './topic-file.ts';
import { parseWorkspace, readWorkspaceFile, WORKSPACE_FILE } from './workspace.ts';

/** A topic to be added. */
export interface Subtopic {
  /** The topic above; the root is empty. */
  readonly parent: TopicId;
  readonly name: string;
  /** Words to learn from. */
  readonly query?: string;
  /** At least one, none of them in the file yet. */
  readonly examples: readonly CanonicalUrl[];
}

/** Returns the text of a workspace file with a topic added. */
export function withTopic(text: string, { parent, name, query, examples }: Subtopic): string {
  checkName(name);
  const document = readDocument(text);
  listBelow(document, parent).add(document.createNode({ name, ...(query !== undefined && { query }), examples }));
  return written(document, text);
}

/** Returns the text of a workspace file with a topic renamed. */
export function withTopicName(text: string, topic: TopicId, name: string): string {
  checkName(name);
  const document = readDocument(text);
  nodeOf(document, topic).set('name', name);
  return written(document, text);
}

/** Returns the text of a workspace file with a topic marked good, or not good. */
export function withGood(text: string, topic: TopicId, good: boolean): string {
  const document = readDocument(text);
  nodeOf(document, topic).set('good', good);
  return written(document, text);
}

/** Keys of a topic that are true unless the file says false. */
export const TOPIC_SWITCHES = ['follow', 'shown'] as const;
export type TopicSwitch = (typeof TOPIC_SWITCHES)[number];

/** Returns the text of a workspace file with a switch of a topic off, or on, which is the default. */
export function withSwitch(text: string, topic: TopicId, key: TopicSwitch, isOn: boolean): string {
  const document = readDocument(text);
  const node = nodeOf(document, topic);
  if (isOn) node.delete(key);
  else node.set(key, false);
  return written(document, text);
}

/** Returns the text of a workspace file with a topic and its subtopics moved; an empty `parent` is the root. */
export function withTopicBelow(text: string, topic: TopicId, parent: TopicId): string {
  if (parent === topic || parent.startsWith(`${topic}/`))
    throw new UsageError(`${topic} cannot move below itself.`, 'Name a topic outside of it, or "/" for the top.');
  const document = readDocument(text);
  const node = nodeOf(document, topic);
  takeOut(document, topic, node);
  listBelow(document, parent).add(node);
  return written(document, text);
}

/** Returns the text of a workspace file without a topic and its subtopics. */
export function withoutTopic(text: string, topic: TopicId): string {
  const document = readDocument(text);
  takeOut(document, topic, nodeOf(document, topic));
  return written(document, text);
}

/**
 * Returns the text of bingo.yaml after a change of its topics; writes nothing.
 * @param change makes the new text from the old one
 * @throws InputError if the new file would be invalid
 */
export function changedFile(dir: string, change: (text: string) => string): string {
  const before = readWorkspaceFile(dir, dir);
  const { mistakes: old } = parseWorkspace(before, WORKSPACE_FILE, dir);
  if (old.length > 0) throw new InputError(`${WORKSPACE_FILE} has mistakes: correct them first`, old);
  const text = change(before);
  const { mistakes } = parseWorkspace(text, WORKSPACE_FILE, dir);
  if (mistakes.length === 0) return text;
  const typed = mistakes.map((mistake) => ({ ...mistake, line: undefined }));
  throw new InputError(`${WORKSPACE_FILE} would be wrong; nothing was changed`, typed);
}

/** Replaces bingo.yaml atomically. Keeps the previous file as `bingo.yaml.bak`. */
export function replaceWorkspaceFile(dir: string, text: string): void {
  replaceFile(join(dir, WORKSPACE_FILE), text, join(dir, BACKUP_FILE));
}

function checkName(name: string): void {
  const wrong = name.trim() === '' ? { message: 'The name is empty.', hint: 'Give it a name.' } : whyBadTopicName(name);
  if (wrong !== undefined) throw new UsageError(wrong.message, wrong.hint);
}

/** Returns the list of subtopics of a topic. Creates it if it is missing; converts a single topic to a list. */
function listBelow(document: Document, parent: TopicId): YAMLSeq {
  const holder = holderOf(document, parent);
  const topics = resolved(document, holder.get('topics', true));
  if (isSeq(topics)) return topics;
  const list = document.createNode([]) as YAMLSeq;
  list.flow = false;
  if (isMap(topics)) list.add(topics);
  holder.set('topics', list);
  return list;
}

function takeOut(document: Document, topic: TopicId, node: YAMLMap): void {
  const parent = parentTopic(topic);
  const list = listBelow(document, parent);
  list.items = list.items.filter((item) => resolved(document, item) !== node);
  if (list.items.length === 0 && parent !== ROOT) holderOf(document, parent).delete('topics');
}
