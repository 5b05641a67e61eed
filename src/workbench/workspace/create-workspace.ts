import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { canonicalize, type Example, InputError, type TopicSpec, UsageError } from '../../core/index.ts';
import { examplePages } from './draft.ts';
import { writeOutFile } from './out-file.ts';
import { parseWorkspace, readFlags, WORKSPACE_FILE } from './workspace.ts';
import { renderWorkspace } from './workspace-file.ts';

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

/** Inputs for a new workspace. */
export interface NewWorkspace {
  readonly topics: readonly NewTopic[];
  /** Counter-examples: pages on everyday subjects. */
  readonly others: readonly Example[];
  /** Settings by key, such as `network.contact`. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Writes a workspace file.
 * @throws UsageError if the folder already is a workspace
 * @throws InputError that lists every mistake
 */
export async function writeNewWorkspace(dir: string, draft: NewWorkspace): Promise<void> {
  const folder = resolve(dir);
  const path = join(folder, WORKSPACE_FILE);
  if (existsSync(path)) throw new UsageError(`${path} exists already.`, 'Choose another folder.');
  const specs = draft.topics.map(specOf);
  const named = new Set(specs.flatMap(examplePages));
  const others = draft.others.filter((other) => other.kind !== 'url' || !named.has(canonicalize(other.url) ?? ''));
  const values = readFlags(new Map(Object.entries(draft.settings ?? {})));
  const text = renderWorkspace({ topics: specs, others, values }, folder);
  const { mistakes } = parseWorkspace(text, path, folder);
  if (mistakes.length > 0) throw new InputError('These cannot make a workspace', mistakes);
  mkdirSync(folder, { recursive: true });
  await writeOutFile(path, [text]);
}

function specOf({ name, examples = [], files = [], query, seeds, good, topics }: NewTopic): TopicSpec {
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
    ...(topics === undefined ? {} : { topics: topics.map(specOf) }),
  };
}
