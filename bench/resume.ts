/**
 * `npm run bench:resume`: what a resume costs. Folds a journal of made-up pages (30 links each) from its first record, writes a checkpoint
 * and opens it in a process of its own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFlags } from '../scripts/script-flags.ts';
import {
  type Config,
  canonicalize,
  DEFAULTS,
  type JournalRecord,
  ORDERINGS,
  type OrderingName,
  type RunRecord,
} from '../src/core/index.ts';
import { HostClocks } from '../src/crawl/index.ts';
import { Checkpointing, PACE } from '../src/engine/checkpoints/checkpointing.ts';
import { recordDigest } from '../src/engine/checkpoints/digests.ts';
import { FoldedState } from '../src/engine/folded-state.ts';
import type { Journal } from '../src/engine/index.ts';
import { Turns } from '../src/kit/index.ts';
import { CheckpointFiles } from '../src/store/index.ts';
import type { GeneratedWeb } from './generated-web.ts';
import { PageRecords, TREE, webOfRecords } from './records.ts';
import { machine, table } from './table.ts';

const HELP = `Usage: npm run bench:resume -- [options]
  --pages N,N,…      pages of the journal (default 30000,100000)
  --ordering NAME    (default learned)
  --queue N          links that wait for each of the five topics (default 60000, as many in all as twelve topics have)
`;

const CHUNK = 500;

interface Work {
  readonly dir: string;
  readonly pages: number;
  readonly ordering: OrderingName;
  readonly queue: number;
}

interface Figures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly longestTurnMs: number;
  readonly checkpointSeconds: number;
}

const RUN: RunRecord = { kind: 'run', sequence: 1, at: 1_700_000_000_000, settings: '{}' };
const BEGIN: readonly JournalRecord[] = [
  RUN,
  { kind: 'phase', sequence: 2, phase: 'harvesting', reason: '', at: RUN.at },
];

if (process.send === undefined) await main();
else process.once('message', (work: Work) => void step(work));

async function main(): Promise<void> {
  const flags = readFlags({
    pages: { type: 'string', default: '30000,100000' },
    ordering: { type: 'string', default: 'learned' },
    queue: { type: 'string', default: '60000' },
    help: { type: 'boolean', default: false },
  });
  if (flags.help) {
    console.log(HELP);
    return;
  }
  const ordering = ORDERINGS.find((name) => name === flags.ordering) ?? 'learned';
  const rows: string[][] = [];
  for (const pages of flags.pages.split(',').map(Number)) {
    const dir = mkdtempSync(join(tmpdir(), 'bingo-bench-resume-'));
    try {
      const work = { dir, pages, ordering, queue: Number(flags.queue) };
      const folded = await inProcess(work);
      const [file] = readdirSync(dir).filter((name) => /\d$/.test(name));
      const mb = statSync(join(dir, file!)).size / 1e6;
      const opened = await inProcess(work);
      rows.push([
        ...[pages.toLocaleString('en'), fixed(folded.cpuSeconds), fixed(folded.checkpointSeconds), mb.toFixed(0)],
        ...[fixed(opened.seconds), opened.peakMb.toFixed(0), opened.longestTurnMs.toFixed(0)],
      ]);
      process.stderr.write(`${rows.at(-1)!.join(' | ')}\n`);
    } finally {
      rmSync(dir, { recursive: true });
    }
  }
  const head = ['pages', 'folding, CPU s', 'checkpoint, s', 'MB', 'opening, s', 'peak MB', 'longest turn, ms'];
  console.log(`${machine()}, ${ordering}\n\n${table(head, rows)}`);
}

async function inProcess(work: Work): Promise<Figures> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: process.execArgv });
  child.send(work);
  const [figures] = (await once(child, 'message')) as [Figures];
  await once(child, 'exit');
  return figures;
}

/** The first process finds no checkpoint, folds all and writes one; the second begins with it. */
async function step({ dir, pages, ordering, queue }: Work): Promise<void> {
  const checkpoints = new CheckpointFiles(dir, 'bench');
  const isFirst = (await checkpoints.list()).length === 0;
  const journal = isFirst ? foldable(pages) : opened(pages);
  const crawl = { ...DEFAULTS.crawl, ordering, incomingQueue: queue };
  const config: Config = { ...DEFAULTS, crawl };
  const folded = new FoldedState({
    ...{ tree: TREE, config, journal, checkpoints },
    hosts: new HostClocks({ ...config.network, maxTries: config.crawl.maxTries }),
    isExact: true,
    ...{ now: () => RUN.at, steadyNow: () => RUN.at },
    isWanted: () => true,
    ...{ onRead: () => {}, onPage: () => {}, wake: () => {} },
    resolve: async () => true,
  });
  const turn = longestTurn();
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await folded.resume(RUN);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const longestTurnMs = turn();
  const wrote = performance.now();
  const checkpointing = new Checkpointing({
    ...{ store: checkpoints, journal, turns: new Turns(), pace: PACE, begunWith: folded.restoredTo },
    hold: (work) => work(() => true),
    exchange: (fields) => folded.exchange(fields),
    header: () => folded.checkpoint,
    record: (sequence) => recordDigest(journal, sequence),
    onFailed: (error) => {
      throw error;
    },
  });
  await checkpointing.end();
  const checkpointSeconds = (performance.now() - wrote) / 1000;
  const peakMb = process.resourceUsage().maxRSS / 1000;
  process.send!({ seconds, cpuSeconds: (user + system) / 1e6, peakMb, longestTurnMs, checkpointSeconds });
  process.disconnect();
}

/** A journal that makes its records as they are read. */
function foldable(pages: number): Journal {
  const records = new PageRecords();
  const recordAt = (sequence: number): JournalRecord => BEGIN[sequence - 1] ?? records.record(sequence);
  return journalOf(pages, recordAt);
}

/** The same, with no more of its records than tells one from another. */
function opened(pages: number): Journal {
  const web: GeneratedWeb = webOfRecords();
  return journalOf(pages, (sequence) => {
    const fetchedAt = RUN.at + sequence * 20;
    return { kind: 'page', sequence, url: canonicalize(web.urlOf(sequence)), fetchedAt } as JournalRecord;
  });
}

function journalOf(pages: number, recordAt: (sequence: number) => JournalRecord): Journal {
  const total = pages + BEGIN.length;
  return {
    ...{ append: () => {}, backlog: 0, onStored: () => {}, onFailed: () => {}, flush: async () => {} },
    count: async () => total,
    documents: async () => new Map(),
    async *read({ after = 0 } = {}) {
      for (let at = after; at < total; at += CHUNK)
        yield Array.from({ length: Math.min(CHUNK, total - at) }, (_, i) => recordAt(at + i + 1));
    },
  };
}

/** Until the result is called: the longest time in which no timer had its turn. */
function longestTurn(): () => number {
  let last = performance.now();
  let longest = 0;
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

function fixed(seconds: number): string {
  return seconds.toFixed(2);
}
