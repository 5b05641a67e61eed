/**
 * `npm run bench:cold-tasks`: makes task files of a crawl that begins with little out of one with three examples a topic. The queries
 * were written from the names of the topics alone, before anybody looked at a page. What it writes is for `bingo lab run`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { readTasks, renderTasks, type Task, type TaskTopic } from '../src/lab/index.ts';

const HELP = `npm run bench:cold-tasks -- --out DIR [options]

  --out DIR       folder for the task files
  --tasks FILE    task file (default ../shared/webs/tasks.json)
  --budget N      fetches at the most (default: as the task file says)

query-0.json      a query; the examples of the file only say where to start
query-1.json      a query and one example of each topic
query-3.json      a query and all examples
examples-1.json   one example
examples-3.json   all examples
*-strange.json    the same, OTHERS from another web
`;

/** Queries by web and by the first label of a topic. */
type Queries = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Where OTHERS come from that are not of the neighbourhood: the encyclopaedia, as pages of everyday subjects; a dictionary for itself. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  archwiki: 'wikispeedia',
  foldoc: 'wikispeedia',
  wikispeedia: 'foldoc',
};

const flags = readFlags({
  tasks: { type: 'string', default: new URL('../../shared/webs/tasks.json', import.meta.url).pathname },
  out: { type: 'string', default: '' },
  budget: { type: 'string', default: 'Infinity' },
  help: { type: 'boolean', default: false },
});

if (flags.help || flags.out === '') process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const tasks = await readTasks(flags.tasks);
  const queries = JSON.parse(readFileSync(new URL('queries.json', import.meta.url), 'utf8')) as Queries;
  mkdirSync(flags.out, { recursive: true });
  const write = (name: string, made: readonly Task[]): void => {
    writeFileSync(join(flags.out, `${name}.json`), renderTasks(made));
    writeFileSync(join(flags.out, `${name}-strange.json`), renderTasks(made.map((task) => withStrangers(task, tasks))));
  };
  for (const count of [1, 3])
    write(
      `examples-${count}`,
      tasks.map((task) => withExamples(task, count)),
    );
  const asked = tasks.filter((task) => queriesOf(task, queries) !== undefined);
  if (asked.length < tasks.length)
    process.stderr.write(
      `bench/queries.json has a query for each topic of ${asked.length} of ${tasks.length} tasks; query-*.json hold those alone.\n`,
    );
  for (const count of [0, 1, 3])
    write(
      `query-${count}`,
      asked.map((task) => withQueries(withExamples(task, count), queries)),
    );
}

/** The task with fewer examples: a crawl that starts at its examples starts at those that are left, or at pages that it does not learn from. */
function withExamples(task: Task, count: number): Task {
  const given = task.topics.flatMap(({ examples }) => examples);
  const topics = task.topics.map((topic): TaskTopic => ({ ...topic, examples: topic.examples.slice(0, count) }));
  const left = topics.flatMap(({ examples }) => examples);
  const seeds = count === 0 ? task.seeds : task.seeds.filter((seed) => left.includes(seed) || !given.includes(seed));
  const budget = Math.min(task.budget, Number(flags.budget));
  return { ...task, topics, seeds, budget, reachable: undefined, scored: undefined, oracleArea: undefined };
}

function withQueries(task: Task, queries: Queries): Task {
  const own = queriesOf(task, queries)!;
  return { ...task, topics: task.topics.map((topic, i): TaskTopic => ({ ...topic, query: own[i]! })) };
}

/** The query of each topic; `undefined` when one has none. */
function queriesOf({ web, topics }: Task, queries: Queries): readonly string[] | undefined {
  const own = topics.flatMap(({ labels }) => queries[web]?.[labels[0]!] ?? []);
  return own.length === topics.length ? own : undefined;
}

/** OTHERS of the first task of another web. */
function withStrangers(task: Task, tasks: readonly Task[]): Task {
  const othersWeb = ELSEWHERE[task.web]!;
  const other = tasks.find(({ web }) => web === othersWeb);
  if (other === undefined) throw new Error(`The task file has no task of ${othersWeb}`);
  return { ...task, others: other.others, othersWeb };
}
