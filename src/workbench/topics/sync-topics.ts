import { BingoError, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { readingStore } from '../reading/reading.ts';
import { quoted } from '../words/shell-words.ts';
import {
  areSame,
  compared,
  type KnownTopics,
  NO_TOPICS,
  settled,
  type TopicDifference,
  writeKnownTopics,
} from '../workspace/known-topics.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** bingo.yaml was edited by hand: it lacks a topic and has a new one, and only the user knows whether it was renamed. */
export class TopicsUnclearError extends UsageError {
  /** A topic that bingo.yaml lacks. */
  readonly dropped: TopicId;
  /** New topics, most similar first: at least one. */
  readonly added: readonly TopicId[];

  constructor(dropped: TopicId, added: readonly TopicId[]) {
    const [old, now] = [quoted(dropped), quoted(added[0] ?? '')];
    super(
      `bingo.yaml no longer has the topic "${dropped}", and has ${named(added)} instead.`,
      `If it was renamed: bingo topic rename DIR ${old} ${now}\nIf it was removed: bingo topic remove DIR ${old}`,
    );
    this.dropped = dropped;
    this.added = added;
  }
}

/**
 * Prepares the topics of bingo.yaml for a process that is about to write to the store: keeps their ids and saves the
 * tree. The process must hold the workspace's lock.
 * @returns the workspace with the ids of its topics
 * @throws TopicsUnclearError if bingo.yaml was edited by hand, and a topic may have been renamed
 */
export async function takeUpTopics(store: Store, workspace: Workspace): Promise<Workspace> {
  const { dir, tree } = workspace;
  const before = workspace.known ?? (await knownIn(store));
  const isCrawled = (await store.lastRun()).sequence > 0;
  if (isCrawled) checkClear(before, workspace);
  const known = settled(before, tree);
  if (!areSame(workspace.known, known)) writeKnownTopics(dir, known);
  await store.saveTopics(tree);
  return { ...workspace, known };
}

/** Returns the topics that a workspace had before the next change, from its file or from its store. */
export async function knownTopics(workspace: Workspace): Promise<KnownTopics> {
  if (workspace.known !== undefined) return workspace.known;
  const stored = await inStore(workspace, NO_TOPICS, knownIn);
  return stored.topics.size === 0 ? settled(NO_TOPICS, workspace.tree) : stored;
}

/** Returns the ids of a topic: paths under which it was crawled. Several after a merge, none before its first crawl. */
export async function topicIds(store: Store, { known }: Workspace, topic: TopicId): Promise<readonly string[]> {
  const { topics } = known ?? (await knownIn(store));
  return [...topics].flatMap(([id, path]) => (path === topic ? [id] : []));
}

/** Returns whether the store has ever had a topic of this name. Older versions guessed renames and recorded none. */
export async function wasStored(workspace: Workspace, topic: TopicId): Promise<boolean> {
  return await inStore(workspace, false, async (store) => (await store.trainedTopics()).includes(topic));
}

/** Returns whether a crawl has made the store. */
export async function isStored(workspace: Workspace): Promise<boolean> {
  return await inStore(workspace, false, async (store) => (await store.lastRun()).sequence > 0);
}

/** @throws TopicsUnclearError */
function checkClear(known: KnownTopics, { tree }: Workspace): void {
  const { dropped, added }: TopicDifference = compared(known, tree);
  const [first] = dropped;
  if (first === undefined || added.length === 0) return;
  throw new TopicsUnclearError(
    first,
    added.toSorted((a, b) => likeness(first, b) - likeness(first, a)),
  );
}

/** Topics that moved keep their name; topics that were renamed keep their parent. */
function likeness(before: TopicId, now: TopicId): number {
  const [name, parent] = [/[^/]*$/, /^(.*)\//];
  if (name.exec(before)?.[0] === name.exec(now)?.[0]) return 2;
  return parent.exec(before)?.[1] === parent.exec(now)?.[1] ? 1 : 0;
}

function named(topics: readonly TopicId[]): string {
  const shown = topics.slice(0, 3).map((topic) => `"${topic}"`);
  return topics.length > shown.length ? `${shown.join(', ')} and others` : shown.join(' and ');
}

async function inStore<T>(workspace: Workspace, none: T, ask: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await readingStore(workspace, ask);
  } catch (error) {
    // No crawl has made the store yet.
    if (error instanceof BingoError && error.code === 'STORE_MISSING') return none;
    throw error;
  }
}

/** Returns the topics of the last crawl. */
async function knownIn(store: Store): Promise<KnownTopics> {
  const last = new Map<string, TopicId>();
  for (const { id, topic } of await store.topicNamings()) last.set(id, topic);
  const ids = new Map([...last].map(([id, topic]) => [topic, id]));
  const topics = (await store.lastRun()).topics.flatMap(({ id }) =>
    id === ROOT ? [] : [[ids.get(id) ?? id, id] as const],
  );
  const removed = [...last].flatMap(([id, topic]) => (topic === ROOT ? [[id, id as TopicId] as const] : []));
  return { topics: new Map(topics), removed: new Map(removed) };
}
