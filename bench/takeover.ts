import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { shardOf } from '../src/core/index.ts';
import { finish, type Running, startBingo } from './bingo-process.ts';
import { writeWorkspace } from './bingo-workspace.ts';
import { temporaryDatabase } from './mysql-database.ts';
import { cpuOf } from './process-cpu.ts';
import { type Server, startServer } from './server.ts';
import { table } from './table.ts';

/** What takeovers are measured with. */
export interface TakeoverOptions {
  /** `bin/bingo.js` */
  readonly bingo: string;
  /** `mysql://user:password@host:port/` */
  readonly server: string;
  /** Pages of each shard. */
  readonly pages: number;
  readonly shards: number;
  readonly workers: number;
  /** Number of workers that are killed, one after the other. */
  readonly kills: number;
  /** Records that the crawled shard stores before a worker is killed. */
  readonly between: number;
  readonly note: (text: string) => void;
}

/** What happened after a worker was killed. Times are seconds since then. */
export interface Takeover {
  /** Number of shards that it had. */
  readonly lost: number;
  /** Records of the crawled shard after the last checkpoint on the server. */
  readonly tail: number;
  /** When another process had the lease of the crawled shard, and when it had stored something there. */
  readonly claimed: number;
  readonly stored: number;
  /** When other processes had stored something in all shards that it had. */
  readonly storedInAll: number;
  /** CPU seconds of all other workers until then. */
  readonly cpu: number;
}

/** A shard at one moment. */
interface Look {
  /** Machine of the process that has or had it. */
  readonly host: string;
  readonly epoch: number;
  /** 0 if no process has it. */
  readonly isHeld: number;
  /** Its last record. */
  readonly sequence: number;
}

/** The site that has all pages. */
const DOMAIN = 'one.test';
const CONCURRENCY = 32;
/** Time before each answer. It leaves the processors time to open shards, as on machines of their own. */
const LATENCY_MS = 100;
const LOOK_MS = 50;
const LONGEST_MS = 300_000;
/** Pages that may be fetched after the crawl was spread. */
const MORE = 100_000;
/** A process in these namespaces has mounts, a host name and process numbers of its own. If unshare is killed, it is too. */
const MACHINE = ['unshare', '-rmupf', '--mount-proc', '--kill-child', 'sh', '-c'];
const SET_UP = 'hostname "$0" && mount --bind "$1" "$2" && shift 2 && exec "$@"';

/**
 * Kills workers of a spread crawl, and measures the time until others continue their shards. All pages of its web are of
 * one site, so one shard has all links that wait. The other shards have the same pages, and wait for links. Each worker
 * has a folder, a host name and process numbers of its own, as on a machine of its own.
 */
export async function measureTakeovers(options: TakeoverOptions): Promise<readonly Takeover[]> {
  const { pages, shards, workers, kills, bingo, note } = options;
  const web = {
    kind: 'generated',
    pages: 1_000_000,
    hosts: 400,
    topics: 5,
    seed: 1,
    links: 30,
    domain: DOMAIN,
  } as const;
  const root = mkdtempSync(join(tmpdir(), 'bingo-bench-'));
  const folder = join(root, 'workspace');
  const server = await startServer({ web, latencyMs: LATENCY_MS });
  const database = await temporaryDatabase(options.server);
  const connection = await createConnection(database.url);
  const names = Array.from({ length: shards }, (_, shard) => `${new URL(database.url).pathname.slice(1)}_s${shard}`);
  const running: Running[] = [];
  let started = 0;
  const start = (machine: number): void => {
    const under = [...MACHINE, SET_UP, `machine${machine}.${++started}`, join(root, `machine${machine}`), folder];
    const words = ['work', folder, '--budget', String(pages + MORE)];
    running[machine] = startBingo(words, { bingo, root, kind: 'working', under });
  };
  try {
    mkdirSync(folder);
    configure(folder, { server, pages, store: database.url });
    note(`crawling ${pages} pages`);
    await finish(startBingo(['crawl', folder, '--budget', String(pages)], { bingo, root, kind: 'learning' }));
    note(`copying them to ${shards} shards`);
    await finish(startBingo(['spread', folder, '--shards', String(shards)], { bingo, root, kind: 'spreading' }));
    for (let machine = 0; machine < workers; machine++) {
      cpSync(folder, join(root, `machine${machine}`), { recursive: true });
      start(machine);
    }
    const shard = shardOf(DOMAIN, shards);
    const takeovers: Takeover[] = [];
    while (takeovers.length < kills) {
      const before = await readyToKill(connection, { names, shard, between: options.between, note });
      const { host } = before[shard]!;
      const machine = Number(/\d+/.exec(host)![0]);
      const tail = before[shard]!.sequence - (await checkpointed(connection, names[shard]!));
      const others = running.filter((_, i) => i !== machine).map(({ child }) => child.pid!);
      const cpu = cpuOf(others);
      running[machine]!.child.kill('SIGKILL');
      const taken = await takeoverFrom(host, connection, { names, shard, before });
      const takeover = { tail, ...taken, cpu: cpuOf(others) - cpu };
      note(JSON.stringify(takeover));
      takeovers.push(takeover);
      start(machine);
    }
    return takeovers;
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    server.close();
    await connection.end();
    for (let shard = 0; shard < shards; shard++) await database.dropBeside(`_s${shard}`);
    await database.drop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function configure(
  folder: string,
  { server, pages, store }: { readonly server: Server; readonly pages: number; readonly store: string },
): void {
  writeWorkspace(folder, {
    ...{ start: server.start, names: server.names, pages, concurrency: CONCURRENCY },
    ...{ mode: 'focused', spaces: ['terms'], store },
  });
}

interface Watched {
  /** Databases of the shards. */
  readonly names: readonly string[];
  /** The shard that is crawled. */
  readonly shard: number;
}

/** Resolves when all shards have a process, and the crawled one has so many further records. */
async function readyToKill(
  connection: Connection,
  { names, shard, between, note }: Watched & Pick<TakeoverOptions, 'between' | 'note'>,
): Promise<readonly Look[]> {
  note(`waiting for ${between} records`);
  const from = (await lookAt(connection, names))[shard]!.sequence;
  for (const end = performance.now() + LONGEST_MS; performance.now() < end; await sleep(LOOK_MS)) {
    const looks = await lookAt(connection, names);
    // The number of processes decides who has which shard.
    const isSettled = looks.every(({ isHeld }) => isHeld === 1);
    if (isSettled && looks[shard]!.sequence >= from + between) return looks;
  }
  throw new Error('The shard that is crawled did not continue');
}

/** Waits until all shards of a killed process have been continued by others. */
async function takeoverFrom(
  host: string,
  connection: Connection,
  { names, shard, before }: Watched & { readonly before: readonly Look[] },
): Promise<Omit<Takeover, 'tail' | 'cpu'>> {
  const began = performance.now();
  const lost = before.flatMap((look, i) => (look.host === host ? [i] : []));
  const claimed = new Map<number, number>();
  const stored = new Map<number, number>();
  for (const end = began + LONGEST_MS; stored.size < lost.length && performance.now() < end; await sleep(LOOK_MS)) {
    const looks = await lookAt(connection, names);
    const seconds = (performance.now() - began) / 1000;
    for (const i of lost.filter((i) => looks[i]!.epoch > before[i]!.epoch)) {
      if (!claimed.has(i)) claimed.set(i, seconds);
      if (!stored.has(i) && looks[i]!.sequence > before[i]!.sequence) stored.set(i, seconds);
    }
  }
  if (stored.size < lost.length) throw new Error(`${stored.size} of ${lost.length} shards were continued`);
  return {
    ...{ lost: lost.length, claimed: claimed.get(shard)!, stored: stored.get(shard)! },
    storedInAll: Math.max(...stored.values()),
  };
}

async function lookAt(connection: Connection, names: readonly string[]): Promise<readonly Look[]> {
  const each = names.map(
    (name, shard) => `select ${shard} as shard, host, epoch, owner <> '' as isHeld,
      (select max(sequence) from ${name}.journal) as sequence from ${name}.lease`,
  );
  const [rows] = await connection.query<(Look & RowDataPacket)[]>(`${each.join(' union all ')} order by shard`);
  return rows;
}

/** Returns the sequence of the newest checkpoint on the server; that before the crawl was spread if it has none. */
async function checkpointed(connection: Connection, name: string): Promise<number> {
  const [[copy]] = await connection
    .query<RowDataPacket[]>(`select max(sequence) as sequence from ${name}.checkpoint_copy`)
    .catch(() => [[]]);
  const [[begun]] = await connection.query<RowDataPacket[]>(`select min(sequence) as sequence from ${name}.steer`);
  return Number(copy?.sequence ?? begun?.sequence);
}

/** Returns takeovers as a table. */
export function takeoverTable(takeovers: readonly Takeover[]): string {
  const head = [
    'kill',
    'shards lost',
    'records after checkpoint',
    'lease taken, s',
    'first commit, s',
    'in all lost shards, s',
    'CPU s of the others until then',
  ];
  const rows = takeovers.map(({ lost, tail, claimed, stored, storedInAll, cpu }, i) => [
    ...[String(i + 1), String(lost), String(tail)],
    ...[claimed, stored, storedInAll, cpu].map((seconds) => seconds.toFixed(1)),
  ]);
  return table(head, rows);
}
