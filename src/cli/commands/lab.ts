import { MAX_SHARDS, ORDERINGS, type OrderingName, UsageError } from '../../core/index.ts';
import { QUESTION_ORDERS } from '../../engine/index.ts';
import {
  DEFAULT_LAB_ORDERINGS,
  GROUPINGS,
  type LabIo,
  type LabRunOptions,
  type LabSettings,
  labRun,
  labServe,
  labTable,
  labTasks,
  REVIEW_ORDERS,
  TASK_PARTS,
} from '../../lab/index.ts';
import { didYouMean, duration, number, readFlags, splitAssignment } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readCount, readPort } from '../read-count.ts';
import { hearingInterrupts } from '../until-interrupt.ts';

export const labServeCommand: Command = {
  name: 'lab serve',
  summary: 'Replay a frozen web (a WARC file) as an HTTP proxy, or as real hosts on loopback.',
  positionals: ['FILE'],
  flags: {
    port: { value: 'PORT', help: 'Port of the proxy. Default: any free port; 80 with --bind-hosts.' },
    host: { value: 'ADDRESS', help: 'Address to listen on. Default: 127.0.0.1.' },
    'dns-port': { value: 'PORT', help: 'Answer DNS queries for the hosts of the web on this port.' },
    'bind-hosts': { help: 'Give each host its own loopback address.' },
    latency: { value: 'MS', help: 'Wait this long before each answer.' },
    'error-rate': { value: 'SHARE', help: 'Share of requests answered with an error, 0 to 1.' },
    'timeout-rate': { value: 'SHARE', help: 'Share of requests never answered, 0 to 1.' },
    'skip-damaged': { help: 'Continue if the file is truncated or damaged.' },
    json: { help: 'Print the addresses and errors as JSON.' },
  },
  examples: [
    ['bingo lab serve archwiki.warc.gz --port 8080', 'Then: bingo crawl DIR --proxy http://127.0.0.1:8080'],
    [
      'bingo lab serve archwiki.warc.gz --dns-port 5353 --bind-hosts',
      'On port 80, as links expect. Then: bingo crawl DIR --set network.dnsServers=127.0.0.1:5353 --set network.allowPrivate=true',
    ],
  ],
  run: (args, io) => withSignal(io, (lab) => labServe(serveOptions(args), lab)),
};

function serveOptions(args: Args): Parameters<typeof labServe>[0] {
  const port = args.value('port');
  const host = args.value('host');
  const dnsPort = args.value('dns-port');
  const fault = (flag: string): number => readShare(`--${flag}`, args.value(flag));
  return {
    file: args.positionals[0]!,
    ...(port === undefined ? {} : { port: readPort('--port', port) }),
    ...(host === undefined ? {} : { host }),
    ...(dnsPort === undefined ? {} : { dnsPort: readPort('--dns-port', dnsPort) }),
    bindHosts: args.has('bind-hosts'),
    skipDamaged: args.has('skip-damaged'),
    json: args.has('json'),
    faults: {
      latencyMs: readCount('--latency', args.value('latency'), 0, { min: 0 }),
      errorRate: fault('error-rate'),
      timeoutRate: fault('timeout-rate'),
    },
  };
}

function readShare(flag: string, text: string | undefined): number {
  if (text === undefined) return 0;
  const rule = number({ min: 0, max: 1 });
  const read = rule.read(text);
  if (read.ok) return read.value;
  throw new UsageError(`${flag} takes ${rule.expects}, got "${text}".`);
}

export const labRunCommand: Command = {
  name: 'lab run',
  summary: 'Crawl frozen webs under several orderings and measure the pages found.',
  positionals: ['TASKS'],
  flags: {
    webs: { value: 'DIR', help: 'Folder with NAME.warc.gz and NAME.labels.tsv.' },
    out: { value: 'DIR', help: 'Folder for results.json, the table and the report.' },
    orderings: { value: 'A,B,…', help: `Orderings to compare. Default: ${DEFAULT_LAB_ORDERINGS.join(', ')}.` },
    only: { value: 'A,B,…', repeats: true, help: 'Only these tasks; a * at the end matches any ending.' },
    others: { value: 'N', help: 'Number of counter-examples per task. Default: all.' },
    jobs: { value: 'N', help: 'Worker threads; the result does not depend on it. Default: one per core.' },
    seed: { value: 'N', help: 'Random seed. Default: 1.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'A setting of the crawls, as in crawl.tunnelDistance=3.' },
    review: {
      value: 'N',
      help: 'Simulate a review: mark N accepted pages per topic by their labels. Default: no review.',
    },
    'review-after': { value: 'N', help: 'With --review: pages fetched before it. Default: 100.' },
    'review-order': {
      value: 'WHICH',
      help: 'With --review: pages of lowest (unsure) or highest (surest) confidence. Default: unsure.',
    },
    answers: {
      value: 'N',
      help: 'Simulate a user: labels answer N questions of the crawl per topic. Default: no questions.',
    },
    explore: {
      value: 'N',
      help: 'Stop after N pages; labels answer ten questions per topic; continue. Default: no stop.',
    },
    'explore-extra': { help: 'With --explore: the N pages come on top of the budget.' },
    'explore-order': { value: 'WHICH', help: 'With --explore: the pages asked about, as with --answer-order.' },
    'answer-lag': { value: 'N', help: 'With --answers: pages fetched between question and answer. Default: 0.' },
    'answer-errors': { value: 'SHARE', help: 'With --answers: share of wrong answers, 0 to 1. Default: 0.' },
    'answer-reader': {
      help: 'With --answers: a reader (learn.reader) answers in place of the user; it is examined first.',
    },
    'answer-order': {
      value: 'WHICH',
      help: `With --answers: the pages asked about, ${QUESTION_ORDERS.join(', ')}. Default: benefit.`,
    },
    shards: { value: 'N', help: 'Simulate a crawl spread over N shards. Default: one process.' },
    lag: { value: 'TIME', help: 'With --shards: time until a shard receives what others send. Default: 500ms.' },
    'skip-damaged': { help: 'Continue if an archive is truncated or damaged.' },
    recall: { help: "Compare the crawls' own estimates of recall with the labels." },
    compare: { help: 'Show the reference figures of the task file beside ours.' },
    json: { help: 'Print errors as JSON.' },
  },
  examples: [
    ['bingo lab run tasks.json --webs webs --out out', 'All tasks, the default orderings.'],
    [
      'bingo lab run tasks.json --webs webs --out out --orderings bingo,breadth-first --only "archwiki/*,foldoc/needle"',
      'Some of the tasks.',
    ],
    [
      'bingo lab run tasks.json --webs webs --out spread --orderings learned --shards 8 --lag 500ms',
      'As a spread crawl; compare with: bingo lab table spread --before out',
    ],
  ],
  run: (args, io) => withSignal(io, (lab) => labRun(runOptions(args), lab)),
};

function runOptions(args: Args): Parameters<typeof labRun>[0] {
  const jobs = args.value('jobs');
  const only = args.values('only');
  const orderings = args.value('orderings');
  const others = args.value('others');
  return {
    tasks: args.positionals[0]!,
    webs: needed(args, 'webs', 'lab run'),
    out: needed(args, 'out', 'lab run'),
    ...(orderings === undefined ? {} : { orderings: readOrderings(orderings) }),
    ...(only.length === 0 ? {} : { only }),
    ...(others === undefined ? {} : { others: readCount('--others', others, 0, { min: 0 }) }),
    ...(jobs === undefined ? {} : { jobs: readCount('--jobs', jobs, 1) }),
    seed: readCount('--seed', args.value('seed'), 1, { min: 0 }),
    settings: readLabSettings(args.values('set')),
    compare: args.has('compare'),
    recall: args.has('recall'),
    skipDamaged: args.has('skip-damaged'),
    ...readReview(args),
    ...readAnswers(args),
    ...readExplore(args),
    ...readSpread(args),
  };
}

function readReview(args: Args): Pick<LabRunOptions, 'review'> {
  const [after, order] = [args.value('review-after'), args.value('review-order') ?? 'unsure'];
  if (!args.has('review')) {
    for (const flag of ['review-after', 'review-order'])
      if (args.has(flag)) throw new UsageError(`--${flag} requires --review.`);
    return {};
  }
  const known = REVIEW_ORDERS.find((name) => name === order);
  if (known === undefined)
    throw new UsageError(`Unknown order of review "${order}".`, `Known: ${REVIEW_ORDERS.join(', ')}`);
  const pages = readCount('--review', args.value('review'), 1);
  return { review: { pages, after: readCount('--review-after', after, 100), order: known } };
}

function readSpread(args: Args): Pick<LabRunOptions, 'spread'> {
  if (!args.has('shards')) {
    if (args.has('lag')) throw new UsageError('--lag requires --shards.');
    return {};
  }
  for (const flag of ['review', 'answers', 'explore'])
    if (args.has(flag)) throw new UsageError(`--shards and --${flag} cannot be combined.`);
  const shards = readCount('--shards', args.value('shards'), 1, { max: MAX_SHARDS });
  const rule = duration();
  const lag = rule.read(args.value('lag') ?? '500ms');
  if (!lag.ok) throw new UsageError(`--lag takes ${rule.expects}, got "${args.value('lag')}".`);
  return { spread: { shards, lagMs: lag.value } };
}

/** Number of questions per topic of an exploration. */
const EXPLORE_ANSWERS = 10;

function readExplore(args: Args): Pick<LabRunOptions, 'explore'> {
  if (!args.has('explore')) {
    for (const flag of ['explore-extra', 'explore-order'])
      if (args.has(flag)) throw new UsageError(`--${flag} requires --explore.`);
    return {};
  }
  const pages = readCount('--explore', args.value('explore'), 1);
  const order = oneOf('order', args.value('explore-order') ?? QUESTION_ORDERS[0], QUESTION_ORDERS);
  return { explore: { pages, answers: EXPLORE_ANSWERS, order, isExtra: args.has('explore-extra') } };
}

function readAnswers(args: Args): Pick<LabRunOptions, 'answers'> {
  if (!args.has('answers')) {
    for (const flag of ['answer-lag', 'answer-errors', 'answer-order', 'answer-reader'])
      if (args.has(flag)) throw new UsageError(`--${flag} requires --answers.`);
    return {};
  }
  return {
    answers: {
      answers: readCount('--answers', args.value('answers'), 1),
      lag: readCount('--answer-lag', args.value('answer-lag'), 0, { min: 0 }),
      errors: readShare('--answer-errors', args.value('answer-errors')),
      isReader: args.has('answer-reader'),
      order: oneOf('order', args.value('answer-order') ?? QUESTION_ORDERS[0], QUESTION_ORDERS),
    },
  };
}

export function readLabSettings(assignments: readonly string[]): LabSettings {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of readFlags(new Map(assignments.map(splitAssignment)))) {
    const [section = '', name = ''] = key.split('.');
    groups[section] = { ...groups[section], [name]: value };
  }
  return groups;
}

export const labTableCommand: Command = {
  name: 'lab table',
  summary: 'Show the figures of finished lab runs over groups of tasks, with confidence intervals.',
  positionals: ['RESULTS'],
  flags: {
    and: { value: 'RESULTS', greedy: true, repeats: true, help: 'More results to add.' },
    by: { value: 'WHAT', help: `Group tasks by ${GROUPINGS.slice(1).join(', ')}. Default: all together.` },
    against: { value: 'ORDERING', help: 'Show the differences between this ordering and each other one.' },
    'against-web': { value: 'WEB', help: 'Show the differences of each other web from this one, if they share tasks.' },
    before: { value: 'RESULTS', help: 'Show the changes since this earlier run of the same tasks.' },
    json: { help: 'The figures as one JSON object on stdout.' },
  },
  examples: [
    ['bingo lab table out', 'Means over all tasks of out/results.json.'],
    ['bingo lab table out --and out2 --by examples --against learned', 'By number of examples.'],
    ['bingo lab table changed --before out', 'What a change of the program or of a setting did, task by task.'],
  ],
  notes: [
    'With --json, "figures" has one object per group and ordering, "differences" one per ordering compared with --against, "changes" one per measure compared with --before. A missing figure is null. ' +
      '"low" and "high" are the ends of its 95 % interval, "count" is the number of task families.',
  ],
  run: (args, io) => withSignal(io, (lab) => labTable(tableOptions(args), lab)),
};

function tableOptions(args: Args): Parameters<typeof labTable>[0] {
  const against = args.value('against');
  const before = args.value('before');
  const againstWeb = args.value('against-web');
  return {
    results: [args.positionals[0]!, ...args.values('and')],
    by: oneOf('grouping', args.value('by') ?? GROUPINGS[0], GROUPINGS),
    json: args.has('json'),
    ...(before === undefined ? {} : { before }),
    ...(againstWeb === undefined ? {} : { againstWeb }),
    ...(against === undefined ? {} : { against: oneOf('ordering', against, ORDERINGS) }),
  };
}

export const labTasksCommand: Command = {
  name: 'lab tasks',
  summary: 'Draw tasks from labelled frozen webs: topics, start pages and examples.',
  positionals: ['WEBS'],
  flags: {
    webs: { value: 'DIR', help: 'Folder with NAME.warc.gz and NAME.labels.tsv.' },
    out: { value: 'FILE', help: 'The task file to write.' },
    part: {
      value: 'PART',
      help: `${TASK_PARTS.join(' or ')}: one half of the topics, for tuning or for the final test.`,
    },
    topics: { value: 'N', help: 'Draws of topics per web. Default: 10.' },
    examples: { value: 'N,N,…', help: 'Numbers of examples, one task per number. Default: 3.' },
    draws: { value: 'N', help: 'Draws of examples and start pages per choice of topics. Default: 1.' },
    without: { value: 'FILE', help: 'Leave out the topics of this task file.' },
    like: { value: 'FILE', help: 'Take the topics of this task file, with other examples.' },
    seed: { value: 'N', help: 'Random seed. Default: 1.' },
    jobs: { value: 'N', help: 'Worker threads. Default: one per core.' },
    'skip-damaged': { help: 'Continue if an archive is truncated or damaged.' },
    json: { help: 'Print errors as JSON.' },
  },
  examples: [
    ['bingo lab tasks foldoc,archwiki --webs webs --out dev.json', 'Tasks to tune on.'],
    [
      'bingo lab tasks foldoc --webs webs --part held-out --examples 1,3,10 --out kept.json',
      'Tasks of other topics, each with 1, 3 and 10 examples.',
    ],
    [
      'bingo lab tasks foldoc --webs webs --like tasks.json --draws 3 --out drawn.json',
      'Each task three times, with other examples.',
    ],
  ],
  run: (args, io) => withSignal(io, (lab) => labTasks(tasksOptions(args), lab)),
};

function tasksOptions(args: Args): Parameters<typeof labTasks>[0] {
  const without = args.value('without');
  const like = args.value('like');
  if (like !== undefined)
    for (const flag of ['part', 'topics', 'without'] as const)
      if (args.has(flag))
        throw new UsageError(`--like and --${flag} cannot be combined.`, '--like takes the topics of the task file.');
  const jobs = args.value('jobs');
  const examples = (args.value('examples') ?? '3').split(',').map((text) => readCount('--examples', text.trim(), 3));
  const names = args.positionals[0]!.split(',').map((name) => name.trim());
  return {
    names: [...new Set(names)],
    webs: needed(args, 'webs', 'lab tasks'),
    out: needed(args, 'out', 'lab tasks'),
    part: oneOf('part', args.value('part') ?? TASK_PARTS[0], TASK_PARTS),
    seed: readCount('--seed', args.value('seed'), 1, { min: 0 }),
    topics: readCount('--topics', args.value('topics'), 10),
    examples: [...new Set(examples)],
    draws: readCount('--draws', args.value('draws'), 1),
    skipDamaged: args.has('skip-damaged'),
    ...(without === undefined ? {} : { without }),
    ...(like === undefined ? {} : { like }),
    ...(jobs === undefined ? {} : { jobs: readCount('--jobs', jobs, 1) }),
  };
}

export function oneOf<T extends string>(what: string, text: string, names: readonly T[]): T {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new UsageError(`Unknown ${what}: "${text}".`, didYouMean(text, names) ?? `Known are: ${names.join(', ')}.`);
}

function needed(args: Args, flag: string, command: 'lab run' | 'lab tasks'): string {
  const value = args.value(flag);
  if (value === undefined) throw new UsageError(`--${flag} is missing.`, `bingo ${command} --help has examples.`);
  return value;
}

function readOrderings(text: string): readonly OrderingName[] {
  return text.split(',').map((name) => oneOf('ordering', name.trim(), ORDERINGS));
}

/** Runs a lab command with its streams, and with Ctrl-C as an abort signal; a second Ctrl-C ends the process. */
export async function withSignal(io: Io, run: (lab: LabIo) => Promise<number>): Promise<number> {
  const abort = new AbortController();
  const stop = (): void => {
    if (abort.signal.aborted) io.exit(EXIT.stopped);
    abort.abort();
  };
  const lab = { out: (text: string) => void io.out(text), err: io.err, signal: abort.signal };
  return await hearingInterrupts(io, stop, () => run(lab));
}
