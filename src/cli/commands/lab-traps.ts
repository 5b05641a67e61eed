import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import { counted, safeJson } from '../../kit/index.ts';
import {
  type ParkScore,
  type ParkServer,
  type ParkVisit,
  readVisits,
  renderScore,
  scorePark,
  servePark,
  TrapPark,
} from '../../lab/index.ts';
import { openStore } from '../../store/index.ts';
import {
  claimWorkspace,
  FILE_LIMITS,
  loadWorkspace,
  openSession,
  quoted,
  readBounded,
  renderWorkspace,
  splitAssignment,
  WORKSPACE_FILE,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { makeReporter } from '../crawl/crawl-reporter.ts';
import { runSession } from '../crawl/run-crawl.ts';
import { readCount, readPort } from '../read-count.ts';
import { untilInterrupt } from '../until-interrupt.ts';

const BUDGET = 10_000;
/** Target values (docs/quality.md#traps). */
const GOAL = { found: 0.95, trapped: 0.1 };

export const labTrapsCommand: Command = {
  name: 'lab traps',
  summary: 'Crawl a web full of traps and count found and wasted pages, or serve it to any crawler.',
  positionals: [],
  flags: {
    port: { value: 'PORT', help: 'Port of the park. Default: any free port.' },
    budget: { value: 'N', help: `Requests that count. Default: ${BUDGET}.` },
    seed: { value: 'N', help: 'Random seed of the park. Default: 1.' },
    farms: { help: 'Add twelve sites with endless pages full of words of the topic.' },
    plausible: { help: 'Add fifteen sites with traps whose pages have plausible titles.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'A setting of the crawl, such as --set traps.enabled=false.' },
    keep: { value: 'DIR', help: 'Keep the workspace of the crawl in this folder, for bingo why and bingo sql.' },
    serve: { help: 'Serve the park until Ctrl-C without a crawl, then print the score of the requests.' },
    'dns-port': { value: 'PORT', help: 'With --serve: answer DNS queries for the hosts of the park on this port.' },
    score: { value: 'FILE', help: 'Score a file of fetched addresses, one per line, in the order of fetching.' },
    json: { help: 'The score as one JSON object; with --serve, another one before it with the addresses.' },
  },
  examples: [
    ['bingo lab traps', 'Bingo, 10,000 requests; takes some minutes.'],
    ['bingo lab traps --farms', 'The same, with endless text on the topic.'],
    ['bingo lab traps --serve --port 8080', 'Then use any crawler through the proxy http://127.0.0.1:8080.'],
    ['bingo lab traps --score fetched.txt', 'The score of its list of fetched addresses.'],
  ],
  notes: [
    '200 relevant pages are hidden on 42 sites, each with a trap: calendars, filters, sessions in addresses, and so on. ' +
      '"Trapped" counts requests for worthless pages and for copies of a page under another address, ' +
      'as a share of the budget. A crawler that ends early scores better. 12,000 honest pages of other subjects can use the rest.',
    '--farms adds 12 sites with 60 relevant pages and endless pages made of the words of the topic.',
    'The goal: 95 % found, at most 10 % trapped. The crawler knows nothing of the park; only its waiting times are shorter.',
  ],
  run: runTraps,
};

async function runTraps(args: Args, io: Io): Promise<number> {
  checkFlags(args);
  const budget = readCount('--budget', args.value('budget'), BUDGET);
  const seed = readCount('--seed', args.value('seed'), 1, { min: 0 });
  const port = readPort('--port', args.value('port'));
  const park = new TrapPark(seed, { farms: args.has('farms'), plausible: args.has('plausible') });
  const file = args.value('score');
  if (file !== undefined) return report(scorePark(park, visitsIn(file), budget), args, io);
  const dns = args.value('dns-port');
  const dnsPort = dns === undefined ? {} : { dnsPort: readPort('--dns-port', dns) };
  const server = await servePark({ park, port, ...dnsPort });
  try {
    if (args.has('serve')) {
      await serveUntilInterrupted(park, server, args.has('json'), io);
      return await report(scorePark(park, server.visits, budget), args, io);
    }
    const summary = await crawlPark(park, server, { args, budget }, io);
    const score = scorePark(park, server.visits, budget);
    await report(score, args, io, summary);
    if (summary.reason === 'stopped') return EXIT.stopped;
    return EXIT.done;
  } finally {
    await server.close();
  }
}

/** Flags without effect in each mode. They are errors, because a crawl takes minutes. */
const LEFT_OUT = {
  score: {
    flags: ['serve', 'port', 'dns-port', 'keep', 'set'],
    hint: '--score needs no server and no crawl.',
  },
  serve: { flags: ['keep', 'set'], hint: 'With --serve, another crawler crawls.' },
} as const;

/** @throws UsageError for flags that exclude each other */
function checkFlags(args: Args): void {
  for (const [way, { flags, hint }] of Object.entries(LEFT_OUT)) {
    const flag = args.has(way) ? flags.find((name) => args.has(name)) : undefined;
    if (flag !== undefined) throw new UsageError(`--${way} and --${flag} cannot be combined.`, hint);
  }
  if (args.has('dns-port') && !args.has('serve'))
    throw new UsageError('--dns-port requires --serve.', 'Bingo reaches the park through a proxy.');
}

function visitsIn(file: string): readonly ParkVisit[] {
  const hint = 'Name a file of fetched addresses, one per line.';
  let text: string;
  try {
    text = readBounded(file, FILE_LIMITS.list).toString('utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`, hint);
  }
  const visits = readVisits(text);
  if (visits.length === 0) throw new UsageError(`${file} has no address.`, hint);
  return visits;
}

async function serveUntilInterrupted(park: TrapPark, server: ParkServer, isJson: boolean, io: Io): Promise<void> {
  await io.out(isJson ? `${safeJson(whereToCrawl(park, server))}\n` : parkLines(park, server));
  io.err(
    `${counted(park.hosts.length, 'host')}, ${counted(park.documents, 'document')}. Ctrl-C ends and shows the score.\n`,
  );
  await untilInterrupt(io);
}

/** Connection data for another crawler; `dns` answers with hosts that listen on the port of the proxy. */
function whereToCrawl(park: TrapPark, { port, dnsPort }: ParkServer): object {
  const { seeds, examples, others } = park;
  const dns = dnsPort === undefined ? {} : { dns: `127.0.0.1:${dnsPort}` };
  return { proxy: `http://127.0.0.1:${port}`, ...dns, seeds, examples, others };
}

function parkLines(park: TrapPark, server: ParkServer): string {
  return [
    `proxy     http://127.0.0.1:${server.port}`,
    ...(server.dnsPort === undefined
      ? []
      : [`dns       127.0.0.1:${server.dnsPort}   (hosts answer on port ${server.port})`]),
    ...park.seeds.map((url) => `seed      ${url}`),
    ...park.examples.map((url) => `example   ${url}`),
    ...park.others.map((url) => `others    ${url}`),
    '',
  ].join('\n');
}

interface ParkRun {
  readonly args: Args;
  readonly budget: number;
}

/** Runs our own crawler in its own workspace through the proxy, so that URLs have no port. */
async function crawlPark(park: TrapPark, server: ParkServer, { args, budget }: ParkRun, io: Io): Promise<CrawlSummary> {
  const keep = args.value('keep');
  const dir = keep === undefined ? mkdtempSync(join(tmpdir(), 'bingo-traps-')) : resolve(keep);
  try {
    writeWorkspace(dir, park, server, budget);
    // No environment variables: a proxy or store set for other crawls would lead out of the park.
    const { tree, config } = loadWorkspace(dir, { flags: new Map(args.values('set').map(splitAssignment)) });
    const lock = await claimWorkspace(dir);
    const store = await openStore({ ...config.store, workspace: dir });
    try {
      await store.saveTopics(tree);
      const reporter = makeReporter(io, false);
      const session = await openSession({ dir, tree, config, journal: store, onEvent: reporter.onEvent });
      return await runSession(session, reporter, io);
    } finally {
      await store.close();
      lock.release();
    }
  } finally {
    if (keep === undefined) rmSync(dir, { recursive: true, force: true });
    else io.err(`The workspace is in ${quoted(keep)}: bingo status ${quoted(keep)}\n`);
  }
}

function writeWorkspace(dir: string, park: TrapPark, server: ParkServer, budget: number): void {
  const values = new Map<string, unknown>([
    ['crawl.budget', budget],
    ['network.contact', 'lab@bingo.example'],
    ['network.proxy', `http://127.0.0.1:${server.port}`],
    ['network.allowPrivate', true],
    // No delay needed: the park is on loopback.
    ['network.delayMs', 0],
    ['network.headersTimeoutMs', 2_000],
    ['network.totalTimeoutMs', 2_000],
    ['network.backoffMs', 200],
    ['network.backoffMaxMs', 5_000],
  ]);
  mkdirSync(dir, { recursive: true });
  const url = (address: string): { readonly kind: 'url'; readonly url: string } => ({ kind: 'url', url: address });
  const topic = { name: 'beekeeping', examples: park.examples.map(url), seeds: [...park.seeds] };
  const others = park.others.map(url);
  writeFileSync(join(dir, WORKSPACE_FILE), renderWorkspace({ topics: [topic], others, values }, dir), { flag: 'wx' });
}

async function report(score: ParkScore, args: Args, io: Io, summary?: CrawlSummary): Promise<number> {
  const goal = score.foundShare >= GOAL.found && score.trappedShare <= GOAL.trapped;
  if (args.has('json')) {
    const { elapsedMs, fetched } = summary?.status ?? {};
    await io.out(`${safeJson({ ...score, goal, ...(summary && { elapsedMs, fetched, reason: summary.reason }) })}\n`);
  } else {
    await io.out(
      `${renderScore(score)}\nThe goal (95 % found, at most 10 % trapped) is ${goal ? '' : 'not '}reached.\n`,
    );
  }
  return EXIT.done;
}
