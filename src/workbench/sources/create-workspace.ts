import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { canonicalize, type Example, InputError, type TopicSpec, UsageError } from '../../core/index.ts';
import { BACKUP_FILE } from '../workspace/edit-workspace.ts';
import { writeOutFile } from '../workspace/out-file.ts';
import { replaceFile } from '../workspace/replace-file.ts';
import { examplePages } from '../workspace/topic-draft.ts';
import { parseWorkspace, WORKSPACE_FILE } from '../workspace/workspace.ts';
import { renderWorkspace } from '../workspace/workspace-file.ts';
import { checkFolder, inFolder } from './local-file.ts';

/** A topic of a new workspace. */
export interface NewTopic {
  readonly name: string;
  /** Typical pages: URLs. */
  readonly examples?: readonly string[] | undefined;
  /** Local documents that are examples. */
  readonly files?: readonly string[] | undefined;
  /** Words that serve as one more example. */
  readonly query?: string | undefined;
  /** Start pages. Default: the examples. */
  readonly seeds?: readonly string[] | undefined;
  /** False: the topic only leads to its subtopics. */
  readonly good?: boolean | undefined;
  readonly topics?: readonly NewTopic[] | undefined;
}

/** The content of a new workspace file. */
export interface NewWorkspace {
  readonly topics: readonly TopicSpec[];
  /** Counter-examples; those that are examples of a topic are left out. */
  readonly others: readonly Example[];
  /** Parsed settings by key, such as `network.contact`. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** What a new workspace has. */
export interface WrittenWorkspace {
  readonly topics: number;
  readonly examples: number;
  /** The file replaces an earlier one, which is kept. */
  readonly isReplaced: boolean;
}

/**
 * Returns true if the folder already is a workspace.
 * @param hint what to do if it is
 * @throws UsageError if it is, and must not be replaced
 */
export function checkReplaced(dir: string, mayReplace: boolean, hint = 'Choose another folder.'): boolean {
  if (!existsSync(join(dir, WORKSPACE_FILE))) return false;
  if (mayReplace) return true;
  throw new UsageError(`${join(dir, WORKSPACE_FILE)} exists already.`, hint);
}

/**
 * Writes a workspace file into a folder, which is created if missing.
 * @param mayReplace keeps an earlier file as `bingo.yaml.bak` instead of failing
 * @throws UsageError if the folder already is a workspace
 * @throws InputError that lists every mistake
 */
export async function writeWorkspace(
  dir: string,
  { topics: specs, others: listed, values }: NewWorkspace,
  mayReplace = false,
): Promise<WrittenWorkspace> {
  const isReplaced = checkReplaced(dir, mayReplace);
  checkFolder(dir);
  const folder = resolve(dir);
  const path = join(folder, WORKSPACE_FILE);
  const named = new Set(specs.flatMap(examplePages));
  const others = listed.filter((other) => other.kind !== 'url' || !named.has(canonicalize(other.url) ?? ''));
  const text = renderWorkspace({ topics: specs, others, values }, folder);
  const { mistakes, topics } = parseWorkspace(text, join(dir, WORKSPACE_FILE), folder);
  if (mistakes.length > 0) throw new InputError('No workspace can be made of these', mistakes);
  if (isReplaced) replaceFile(path, text, join(folder, BACKUP_FILE));
  else await inFolder(folder, () => writeOutFile(path, [text]));
  return { ...sizeOf(topics), isReplaced };
}

function sizeOf(topics: readonly TopicSpec[]): Pick<WrittenWorkspace, 'topics' | 'examples'> {
  const below = topics.map((topic) => sizeOf(topic.topics ?? []));
  return {
    topics: topics.length + below.reduce((sum, { topics }) => sum + topics, 0),
    examples: topics.reduce((sum, { examples = [] }, i) => sum + examples.length + (below[i]?.examples ?? 0), 0),
  };
}

/** Converts a topic as a program names it. */
export function topicSpec({ name, examples = [], files = [], query, seeds, good, topics }: NewTopic): TopicSpec {
  const all: Example[] = [
    ...(query === undefined ? [] : [{ kind: 'text' as const, name: 'query', text: query }]),
    ...examples.map((url) => ({ kind: 'url' as const, url })),
    ...files.map((path) => ({ kind: 'file' as const, path: resolve(path) })),
  ];
  return {
    name,
    examples: all,
    ...(seeds === undefined ? {} : { seeds }),
    ...(good === undefined ? {} : { good }),
    ...(topics === undefined ? {} : { topics: topics.map(topicSpec) }),
  };
}
