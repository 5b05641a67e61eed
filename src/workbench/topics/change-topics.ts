import { type CanonicalUrl, parentTopic, parseTopicId, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import {
  changedFile,
  replaceWorkspaceFile,
  type Subtopic,
  withGood,
  withoutTopic,
  withTopic,
  withTopicBelow,
  withTopicName,
} from '../workspace/edit-topics.ts';
import { findTopic } from '../workspace/find-topic.ts';
import {
  compared,
  type KnownTopics,
  settled,
  withAdded,
  withoutPath,
  withPath,
  writeKnownTopics,
} from '../workspace/known-topics.ts';
import { type PageList, withoutPages, withPages } from '../workspace/listed-pages.ts';
import { WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';
import { knownTopics, wasStored } from './sync-topics.ts';

/** A topic under its former and its present path. */
export interface MovedTopic {
  readonly topic: TopicId;
  readonly now: TopicId;
}

/**
 * Adds topics to bingo.yaml. Comments stay, and the previous file is kept as `bingo.yaml.bak`.
 * @returns their paths
 * @throws InputError if the file would become invalid, for example by a duplicate name
 */
export async function addSubtopics(workspace: Workspace, subtopics: readonly Subtopic[]): Promise<readonly TopicId[]> {
  const added = subtopics.map(({ parent, name }) => joinTopic(parent, name));
  await change(workspace, {
    text: (text) => subtopics.reduce(withTopic, text),
    known: (known) => added.reduce(withAdded, known),
  });
  return added;
}

/**
 * Gives a topic another name in bingo.yaml. If bingo.yaml has the new name already and lacks the topic, it records
 * that the topic was renamed.
 * @param name the new name; a path if bingo.yaml has it already
 * @throws UsageError if the workspace has no such topic, or the name is invalid
 */
export async function renameTopic(workspace: Workspace, topicName: string, name: string): Promise<MovedTopic> {
  const { tree } = workspace;
  const gone = await goneTopic(workspace, topicName);
  if (gone !== undefined) {
    const path = parseTopicId(name);
    const now = [path, joinTopic(splitTopic(gone)[0], path)].find((id) => id !== ROOT && tree.nodes.has(id));
    return await recordMove(workspace, gone, now ?? path);
  }
  const topic = findTopic(tree, topicName);
  const now = joinTopic(splitTopic(topic)[0], name);
  await change(workspace, {
    text: (text) => withTopicName(text, topic, name),
    known: (known) => withPath(known, topic, now),
  });
  return { topic, now };
}

/**
 * Moves a topic and its subtopics below another one in bingo.yaml. If bingo.yaml has it there already, it records that
 * the topic was moved.
 * @param parentName `/` is the top
 * @throws UsageError if the workspace has no such topic
 */
export async function moveTopic(workspace: Workspace, topicName: string, parentName: string): Promise<MovedTopic> {
  const { tree } = workspace;
  const parent = parentName === '/' ? ROOT : findTopic(tree, parentName);
  const gone = await goneTopic(workspace, topicName);
  if (gone !== undefined) return await recordMove(workspace, gone, joinTopic(parent, splitTopic(gone)[1]));
  const topic = findTopic(tree, topicName);
  const now = joinTopic(parent, splitTopic(topic)[1]);
  await change(workspace, {
    text: (text) => withTopicBelow(text, topic, parent),
    known: (known) => withPath(known, topic, now),
  });
  return { topic, now };
}

/**
 * Removes a topic and its subtopics from bingo.yaml. If bingo.yaml lacks it already, it records that the topic was
 * removed.
 * @throws UsageError if the workspace has no such topic
 */
export async function removeTopic(workspace: Workspace, topicName: string): Promise<TopicId> {
  const gone = await goneTopic(workspace, topicName);
  const topic = gone ?? findTopic(workspace.tree, topicName);
  await change(workspace, {
    ...(gone === undefined && { text: (text: string) => withoutTopic(text, topic) }),
    known: (known) => withoutPath(known, topic),
  });
  return topic;
}

/**
 * Adds pages to a topic in bingo.yaml.
 * @throws InputError if the file would become invalid, for example by a duplicate page
 */
export function addPages(dir: string, topic: TopicId, list: PageList, pages: readonly CanonicalUrl[]): void {
  replaceWorkspaceFile(
    dir,
    changedFile(dir, (text) => withPages(text, topic, list, pages)),
  );
}

/**
 * Removes pages of a topic from bingo.yaml.
 * @throws UsageError if the topic does not have them
 * @throws InputError if the topic would have no example left
 */
export function removePages(dir: string, topic: TopicId, list: PageList, pages: readonly CanonicalUrl[]): void {
  replaceWorkspaceFile(
    dir,
    changedFile(dir, (text) => withoutPages(text, topic, list, pages)),
  );
}

/**
 * Marks a topic good, or not good, in bingo.yaml.
 * @returns false if bingo.yaml has the mark already
 */
export function setGoodInFile({ dir, tree }: Workspace, topic: TopicId, good: boolean): boolean {
  if (tree.nodes.get(topic)?.good === good) return false;
  replaceWorkspaceFile(
    dir,
    changedFile(dir, (text) => withGood(text, topic, good)),
  );
  return true;
}

interface TopicChange {
  /** Makes the new text of bingo.yaml. Default: it has the change already. */
  readonly text?: (text: string) => string;
  readonly known: (known: KnownTopics) => KnownTopics;
}

/**
 * Records a change, then makes it in bingo.yaml. If the process is killed in between, the record is ignored: it names
 * topics that bingo.yaml does not have, and those from before the change are read instead.
 */
async function change(workspace: Workspace, { text, known }: TopicChange): Promise<void> {
  const { dir } = workspace;
  const file = text && changedFile(dir, text);
  const before = clear(await knownTopics(workspace), workspace);
  writeKnownTopics(dir, known(before), file === undefined ? undefined : before);
  if (file !== undefined) replaceWorkspaceFile(dir, file);
}

/** Includes topics that were only added, or only removed, by hand. Otherwise it is the user who decides. */
function clear(known: KnownTopics, { tree }: Workspace): KnownTopics {
  const { dropped, added } = compared(known, tree);
  return dropped.length > 0 && added.length > 0 ? known : settled(known, tree);
}

/** Returns the topic that was removed from bingo.yaml by hand and is named here; `undefined` if bingo.yaml has it. */
async function goneTopic(workspace: Workspace, name: string): Promise<TopicId | undefined> {
  const topic = parseTopicId(name);
  if (topic === ROOT || workspace.tree.nodes.has(topic)) return undefined;
  const { topics, removed } = await knownTopics(workspace);
  const isKnown = [...topics.values(), ...removed.values()].includes(topic) || (await wasStored(workspace, topic));
  return isKnown ? topic : undefined;
}

async function recordMove(workspace: Workspace, topic: TopicId, now: TopicId): Promise<MovedTopic> {
  if (!workspace.tree.nodes.has(now))
    throw new UsageError(
      `${WORKSPACE_FILE} has neither "${topic}" nor "${now}".`,
      `Name the topic of ${WORKSPACE_FILE} that "${topic}" has become.`,
    );
  await change(workspace, { known: (known) => withPath(known, topic, now) });
  return { topic, now };
}

/** Splits a topic into its parent and its own name. */
export function splitTopic(topic: string): readonly [parent: TopicId, name: string] {
  const id = parseTopicId(topic);
  const parent = parentTopic(id);
  return [parent, parent === ROOT ? id : id.slice(parent.length + 1)];
}

/** Returns the path of a topic below another. */
export function joinTopic(parent: TopicId, name: string): TopicId {
  return (parent === ROOT ? name : `${parent}/${name}`) as TopicId;
}
