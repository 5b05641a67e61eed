import { readFile } from 'node:fs/promises';
import {
  type CanonicalUrl,
  type Example,
  InputError,
  type Mistake,
  type OfKind,
  type TopicSpec,
  type TopicTree,
  topicTree,
  UnreadableFileError,
} from '../../core/index.ts';
import { withoutMark } from '../../kit/index.ts';
import { isRecord, kindOf, TaskReader } from './task-reader.ts';

/** One topic of a task. */
export interface TaskTopic {
  /** With the names of its ancestors: `nature/birds`. */
  readonly name: string;
  /** Topic paths of the labels; a page with one of them, or a descendant, is on topic. */
  readonly labels: readonly string[];
  readonly examples: readonly CanonicalUrl[];
  /** Words that count as one more example. */
  readonly query?: string;
}

/** One crawl to measure: the crawler's input, and the expected result (docs/lab.md#measure-bingo-lab-run). */
export interface Task {
  readonly id: string;
  /** Tasks of one family differ only in draws and numbers of examples. */
  readonly family: string;
  /** The frozen web's name: `NAME.warc.gz` and `NAME.labels.tsv`. */
  readonly web: string;
  /** `plain`, `near`, `tree` or `needle`; for information only. */
  readonly kind: string;
  readonly topics: readonly TaskTopic[];
  /** Start pages. If they are not the examples, only the examples' text is used. */
  readonly seeds: readonly CanonicalUrl[];
  /** Counter-examples; their links are not followed for that reason. */
  readonly others: readonly CanonicalUrl[];
  /** The frozen web of `others`, if it is another one. */
  readonly othersWeb?: string;
  /** Fetches, without seeds. > 0 */
  readonly budget: number;
  /** Number of pages reachable from the seeds, with these; `undefined` if the file does not state it. */
  readonly reachable: number | undefined;
  /** Number of relevant pages according to the file. */
  readonly scored: number | undefined;
  /** Area under the oracle's recall curve at this budget, in (0,1]; if `undefined`, a run computes it. */
  readonly oracleArea: number | undefined;
  /** nAUC of reference orderings, by their names in the file. */
  readonly baseline: Readonly<Record<string, number>>;
  /** Unknown keys of the file: remarks or misspellings. */
  readonly unread?: readonly string[];
}

/** Budget as a share of the reachable pages, and its maximum, as in the study of docs/quality.md. */
const BUDGET_SHARE = 0.25;
const MAX_BUDGET = 2_000;

/** Returns the budget of a task with this many reachable pages. */
export function budgetFor(pages: number): number {
  return Math.max(1, Math.min(MAX_BUDGET, Math.floor(BUDGET_SHARE * pages)));
}

/**
 * Reads a task file.
 * @throws InputError with all its mistakes, each naming task and key
 * @throws UnreadableFileError `TASKS_UNREADABLE` if it cannot be read
 */
export async function readTasks(path: string): Promise<readonly Task[]> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new UnreadableFileError({
      code: 'TASKS_UNREADABLE',
      message: `Cannot read the task file ${path}: ${cause.message}`,
      hint: 'Name a JSON file with a list of tasks.',
      cause,
    });
  });
  return parseTasks(text, path);
}

/** Parses the text of a task file; `file` is its name for messages. */
export function parseTasks(text: string, file: string): readonly Task[] {
  const mistakes: Mistake[] = [];
  const value = parseJson(text, file);
  if (!Array.isArray(value)) throw wrong(file, [{ file, message: `Expected a list of tasks, got ${kindOf(value)}.` }]);
  const tasks = value.flatMap((item: unknown, i) => {
    const read = new TaskReader(file, i, item, mistakes);
    if (isRecord(item)) return [taskOf(read)];
    read.mistake('', `Expected an object, got ${kindOf(item)}.`);
    return [];
  });
  const seen = new Set<string>();
  for (const [i, task] of tasks.entries()) {
    if (seen.has(task.id))
      mistakes.push({ file, key: `task ${i + 1} "${task.id}"`, message: 'Another task has the same id.' });
    seen.add(task.id);
  }
  if (value.length === 0) mistakes.push({ file, message: 'Expected at least one task, got an empty list.' });
  if (mistakes.length > 0) throw wrong(file, mistakes);
  return tasks;
}

/** Returns the crawler's topic tree for a task, without labels. */
export function taskTree(task: Task): TopicTree {
  const byTopic = seedsByTopic(task);
  const given = task.topics.map((topic, i): Given => {
    const seeds = startsAtExamples(topic, byTopic[i] ?? []) ? [] : (byTopic[i] ?? []);
    const query = topic.query === undefined ? [] : [queryOf(topic.query)];
    return [topic.name, { examples: [...query, ...topic.examples.map(pageOf)], seeds }];
  });
  // Pages of another web cannot be fetched here, so the crawl receives them as documents.
  return topicTree(nested(given), task.othersWeb === undefined ? task.others.map(pageOf) : []);
}

/** Returns a query with its name in `bingo.yaml`. */
function queryOf(text: string): OfKind<Example, 'text'> {
  return { kind: 'text', name: `query: ${text}`, text };
}

function pageOf(url: CanonicalUrl): Example {
  return { kind: 'url', url };
}

/** What a topic has, by its name below some other one; `''` is that one itself. */
type Given = readonly [name: string, parts: Omit<TopicSpec, 'name'>];

function nested(given: readonly Given[]): TopicSpec[] {
  const byHead = Map.groupBy(given, ([name]) => name.split('/', 1)[0]!);
  return [...byHead].map(([name, members]) => {
    const below = members.map(([path, parts]): Given => [path.slice(name.length + 1), parts]);
    const topics = nested(below.filter(([path]) => path !== ''));
    return { name, ...below.find(([path]) => path === '')?.[1], ...(topics.length > 0 && { topics }) };
  });
}

/** A topic without its own seeds starts at its examples. */
function startsAtExamples(topic: TaskTopic, seeds: readonly CanonicalUrl[]): boolean {
  return seeds.length === topic.examples.length && seeds.every((seed) => topic.examples.includes(seed));
}

/** A seed that is an example starts its topic; others are distributed in turn. */
function seedsByTopic(task: Task): readonly (readonly CanonicalUrl[])[] {
  const lists: CanonicalUrl[][] = task.topics.map(() => []);
  let next = 0;
  for (const seed of task.seeds) {
    const own = task.topics.findIndex((topic) => topic.examples.includes(seed));
    lists[own >= 0 ? own : next++ % lists.length]?.push(seed);
  }
  return lists;
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(withoutMark(text)) as unknown;
  } catch (error) {
    throw wrong(file, [{ file, message: `Invalid JSON: ${(error as Error).message}` }]);
  }
}

function wrong(file: string, mistakes: readonly Mistake[]): InputError {
  return new InputError(`The task file ${file} cannot be used`, mistakes);
}

function taskOf(read: TaskReader): Task {
  const queries = read.value('queries') === undefined ? {} : read.object('queries');
  const hasExamples = read.value('queries') === undefined || read.value('examples') !== undefined;
  const examples = hasExamples ? read.object('examples') : {};
  const topics = Object.entries(read.object('topics')).map(([name, labels]): TaskTopic => {
    if (name.split('/').includes('')) read.mistake('topics', `Expected names such as "a" and "a/b", got "${name}".`);
    const query = name in queries ? { query: read.query(`queries.${name}`, queries[name]) } : undefined;
    if (!(name in examples) && query === undefined)
      read.mistake(`examples.${name}`, 'Expected example pages or a query for this topic.');
    return {
      name,
      labels: read.strings(`topics.${name}`, labels, 1),
      examples: read.urls(`examples.${name}`, examples[name] ?? [], name in examples && query === undefined ? 1 : 0),
      ...query,
    };
  });
  if (topics.length === 0) read.mistake('topics', 'Expected at least one topic.');
  for (const [key, given] of Object.entries({ examples, queries }))
    for (const name of Object.keys(given))
      if (!topics.some((topic) => topic.name === name)) read.mistake(`${key}.${name}`, '`topics` has no such topic.');
  const id = read.text('id');
  const { unread } = read;
  return {
    id,
    family: read.value('family') === undefined ? id : read.text('family'),
    web: read.text('web'),
    kind: read.value('kind') === undefined ? 'plain' : read.text('kind'),
    topics,
    seeds: read.urls('seeds', read.value('seeds'), 1),
    others: read.urls('others', read.value('others'), 0),
    ...(read.value('othersWeb') !== undefined && { othersWeb: read.text('othersWeb') }),
    budget: read.whole('budget', 1) ?? 1,
    reachable: read.optional('reachable', 0, Number.MAX_SAFE_INTEGER),
    scored: read.optional('scored', 0, Number.MAX_SAFE_INTEGER),
    oracleArea: read.optional('oracleArea', Number.MIN_VALUE, 1),
    baseline: read.baseline(),
    ...(unread.length > 0 && { unread }),
  };
}
