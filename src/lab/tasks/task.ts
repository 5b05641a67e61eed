import { readFile } from 'node:fs/promises';
import {
  type CanonicalUrl,
  type Example,
  InputError,
  type Mistake,
  type TopicSpec,
  type TopicTree,
  topicTree,
  UnreadableFileError,
} from '../../core/index.ts';
import { withoutMark } from '../../kit/index.ts';
import { isRecord, kindOf, TaskReader } from './task-reader.ts';

/** One topic of a task. */
export interface TaskTopic {
  /** With those of the topics above it: `nature/birds`. */
  readonly name: string;
  /** Topic paths of the labels; a page labelled so, or below, is on topic. */
  readonly labels: readonly string[];
  readonly examples: readonly CanonicalUrl[];
  /** Words that count as one more example. */
  readonly query?: string;
}

/** One crawl to be measured: what the crawler is given, and what is expected of it (docs/lab.md#measure-bingo-lab-run). */
export interface Task {
  readonly id: string;
  /** Tasks of one family differ in draws and numbers of examples alone. */
  readonly family: string;
  /** The frozen web's name: `NAME.warc.gz` and `NAME.labels.tsv`. */
  readonly web: string;
  /** `plain`, `near`, `tree` or `needle`; for the reader's eye alone. */
  readonly kind: string;
  readonly topics: readonly TaskTopic[];
  /** Where the crawl starts. Where they are not the examples, the examples' text alone is used. */
  readonly seeds: readonly CanonicalUrl[];
  /** Training pages of OTHERS; their links are not followed on that account. */
  readonly others: readonly CanonicalUrl[];
  /** The frozen web that `others` are pages of, where it is another one. */
  readonly othersWeb?: string;
  /** Fetches, seeds not counted. > 0 */
  readonly budget: number;
  /** Pages that links lead to from the seeds, seeds included; `undefined` when the file does not say. */
  readonly reachable: number | undefined;
  /** Relevant pages, as the file counts them. */
  readonly scored: number | undefined;
  /** Area under the oracle's recall curve at this budget, in (0,1]; `undefined`: a run works it out. */
  readonly oracleArea: number | undefined;
  /** nAUC of reference orderings, by the names of the file. */
  readonly baseline: Readonly<Record<string, number>>;
  /** Keys of the file that say nothing here: remarks, or misspelt ones. */
  readonly unread?: readonly string[];
}

/** Of the pages that can be found, as many fetches; and this many at the most, as in the study of docs/quality.md. */
const BUDGET_SHARE = 0.25;
const MAX_BUDGET = 2_000;

/** Fetches of a task where so many pages can be found. */
export function budgetFor(pages: number): number {
  return Math.max(1, Math.min(MAX_BUDGET, Math.floor(BUDGET_SHARE * pages)));
}

/**
 * Reads a task file.
 * @throws InputError with all its mistakes, each naming task and key
 * @throws UnreadableFileError `TASKS_UNREADABLE` when it cannot be read
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
      mistakes.push({ file, key: `task ${i + 1} "${task.id}"`, message: 'Another task has this id.' });
    seen.add(task.id);
  }
  if (value.length === 0) mistakes.push({ file, message: 'Expected at least one task, got an empty list.' });
  if (mistakes.length > 0) throw wrong(file, mistakes);
  return tasks;
}

/** The topic tree that a crawler gets for a task: no labels in it. */
export function taskTree(task: Task): TopicTree {
  const byTopic = seedsByTopic(task);
  const given = task.topics.map((topic, i): Given => {
    const seeds = startsAtExamples(topic, byTopic[i] ?? []) ? [] : (byTopic[i] ?? []);
    const query = topic.query === undefined ? [] : [queryOf(topic.query)];
    return [topic.name, { examples: [...query, ...topic.examples.map(pageOf)], seeds }];
  });
  // Pages of another web cannot be fetched from this one: the crawl gets them as documents.
  return topicTree(nested(given), task.othersWeb === undefined ? task.others.map(pageOf) : []);
}

/** A query by the name that `bingo.yaml` gives it. */
function queryOf(text: string): Example & { kind: 'text' } {
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

/** A topic without seeds of its own starts at its examples. */
function startsAtExamples(topic: TaskTopic, seeds: readonly CanonicalUrl[]): boolean {
  return seeds.length === topic.examples.length && seeds.every((seed) => topic.examples.includes(seed));
}

/** A seed that is an example starts its topic; the rest go round. */
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
    throw wrong(file, [{ file, message: `No valid JSON: ${(error as Error).message}` }]);
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
      read.mistake(`examples.${name}`, 'Expected example pages for this topic, or a query, got none.');
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
      if (!topics.some((topic) => topic.name === name)) read.mistake(`${key}.${name}`, 'No such topic in `topics`.');
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
