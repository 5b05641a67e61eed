import { join } from 'node:path';
import { InputError, isWithin, ROOT, type TopicId, type TopicPaths, type TopicTree } from '../../core/index.ts';
import { FILE_LIMITS, readBounded } from './bounded-file.ts';
import { replaceFile } from './replace-file.ts';

/** The file beside bingo.yaml that keeps the ids of topics. */
export const TOPICS_FILE = 'topics.json';

/** The topics that a workspace has, or had. */
export interface KnownTopics {
  /** Current path by id. After a merge, several ids have the same path. */
  readonly topics: TopicPaths;
  /** Last path of each removed topic, by id. */
  readonly removed: TopicPaths;
}

export const NO_TOPICS: KnownTopics = { topics: new Map(), removed: new Map() };

/** How bingo.yaml differs from the topics that were known. */
export interface TopicDifference {
  /** Without topics below another that was dropped. */
  readonly dropped: readonly TopicId[];
  readonly added: readonly TopicId[];
}

/** Returns the current path of each topic by id; the root for removed topics. */
export function pathsOf({ topics, removed }: KnownTopics): TopicPaths {
  return new Map([...[...removed.keys()].map((id) => [id, ROOT] as const), ...topics]);
}

/**
 * Returns the topics with one renamed or moved; its subtopics follow. A removed or unknown topic is back
 * under the new path.
 */
export function withPath({ topics, removed }: KnownTopics, from: TopicId, to: TopicId): KnownTopics {
  const isLive = [...topics.values()].includes(from);
  const [back, gone] = isLive ? [[], [...removed]] : parted(removed, from);
  const moved = [...topics, ...back].map(
    ([id, path]) => [id, isWithin(path, from) ? ((to + path.slice(from.length)) as TopicId) : path] as const,
  );
  const isNew = !isLive && back.length === 0 && !topics.has(from);
  return { topics: new Map(isNew ? [...moved, [from, to]] : moved), removed: new Map(gone) };
}

/** Returns the topics without one and its subtopics. */
export function withoutPath({ topics, removed }: KnownTopics, topic: TopicId): KnownTopics {
  const [gone, kept] = parted(topics, topic);
  return { topics: new Map(kept), removed: new Map([...removed, ...gone]) };
}

/** Returns the topics with one more. A removed topic with this path is back. */
export function withAdded(known: KnownTopics, topic: TopicId): KnownTopics {
  if ([...known.topics.values()].includes(topic)) return known;
  const [former] = [...known.removed].findLast(([, path]) => path === topic) ?? [];
  const removed = new Map(known.removed);
  if (former !== undefined) removed.delete(former);
  return { topics: new Map([...known.topics, [former ?? newId(known, topic), topic]]), removed };
}

/** Compares the topics with those of bingo.yaml. */
export function compared({ topics }: KnownTopics, tree: TopicTree): TopicDifference {
  const before = [...new Set(topics.values())];
  const now = [...tree.nodes.keys()].filter((id) => id !== ROOT);
  return {
    dropped: uppermost(before.filter((topic) => !tree.nodes.has(topic))),
    added: now.filter((topic) => !before.includes(topic)),
  };
}

/** Returns the topics after an edit of bingo.yaml by hand: what it lacks was removed, what is new was added. */
export function settled(known: KnownTopics, tree: TopicTree): KnownTopics {
  const { dropped } = compared(known, tree);
  const left = dropped.reduce((all, topic) => withoutPath(all, topic), known);
  const now = [...tree.nodes.keys()].filter((id) => id !== ROOT);
  return now.reduce((all, topic) => withAdded(all, topic), left);
}

/**
 * Reads the topics of a workspace. If a process was killed before it wrote bingo.yaml, these are the topics before its
 * change.
 * @returns `undefined` if no file keeps them
 * @throws InputError if the file is damaged
 */
export function readKnownTopics(dir: string, tree: TopicTree): KnownTopics | undefined {
  const file = parsedFile(dir);
  if (file === undefined) return undefined;
  const after = knownOf(file);
  if (after === undefined) throw damaged();
  const before = knownOf(file.before);
  const fits = ({ topics }: KnownTopics): boolean => [...topics.values()].every((topic) => tree.nodes.has(topic));
  return before !== undefined && !fits(after) && fits(before) ? before : after;
}

/** Writes the topics of a workspace. `before` holds until bingo.yaml has the change, too. */
export function writeKnownTopics(dir: string, known: KnownTopics, before?: KnownTopics): void {
  const content = { ...fileOf(known), ...(before && { before: fileOf(before) }) };
  replaceFile(join(dir, TOPICS_FILE), `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Returns true if both have the same ids and paths. */
export function areSame(a: KnownTopics | undefined, b: KnownTopics): boolean {
  return a !== undefined && JSON.stringify(fileOf(a)) === JSON.stringify(fileOf(b));
}

type Entry = readonly [id: string, topic: TopicId];

function parted(topics: TopicPaths, top: TopicId): readonly [within: readonly Entry[], outside: readonly Entry[]] {
  const all = [...topics];
  return [all.filter(([, path]) => isWithin(path, top)), all.filter(([, path]) => !isWithin(path, top))];
}

function newId({ topics, removed }: KnownTopics, topic: TopicId): string {
  for (let n = 1; ; n++) {
    const id = n === 1 ? topic : `${topic}#${n}`;
    if (!topics.has(id) && !removed.has(id)) return id;
  }
}

function uppermost(topics: readonly TopicId[]): readonly TopicId[] {
  return topics.filter((topic) => !topics.some((above) => above !== topic && isWithin(topic, above)));
}

interface TopicsFile {
  readonly topics: Readonly<Record<string, TopicId>>;
  readonly removed: Readonly<Record<string, TopicId>>;
}

function fileOf({ topics, removed }: KnownTopics): TopicsFile {
  return { topics: Object.fromEntries(topics), removed: Object.fromEntries(removed) };
}

function parsedFile(dir: string): Readonly<Record<string, unknown>> | undefined {
  let text: string;
  try {
    text = readBounded(join(dir, TOPICS_FILE), FILE_LIMITS.workspace).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return Object(JSON.parse(text));
  } catch {
    throw damaged();
  }
}

function knownOf(value: unknown): KnownTopics | undefined {
  const { topics, removed } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isPaths(topics) || !isPaths(removed)) return undefined;
  return { topics: new Map(Object.entries(topics)), removed: new Map(Object.entries(removed)) };
}

function isPaths(value: unknown): value is Readonly<Record<string, TopicId>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((path) => typeof path === 'string');
}

function damaged(): InputError {
  const hint = 'Restore it from a backup, or delete it; then only renames that no crawl has recorded are lost.';
  return new InputError(`${TOPICS_FILE} is damaged`, [
    { file: TOPICS_FILE, message: 'It is not a list of topics.', hint },
  ]);
}
