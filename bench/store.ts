/**
 * `npm run bench:store`: what storing a page costs, how fast a crawl is read back, how long a search takes; on
 * SQLite, and on the MySQL or MariaDB server that BINGO_TEST_MYSQL names or that runs on this machine.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { DEFAULTS } from '../src/core/index.ts';
import { openStore, type SearchQuery, type Store } from '../src/store/index.ts';
import { temporaryDatabase } from './mysql-database.ts';
import { PageRecords, TREE } from './records.ts';
import { bytesWritten, machine, median, table } from './table.ts';

const HELP = `npm run bench:store -- [options]

  --documents a,b   stored in all when searches are timed (default 10000,100000)
  --mysql a,b       the same for the server at BINGO_TEST_MYSQL (default mysql://root@127.0.0.1:3306/); default 10000
  --json            one JSON object on stdout
`;

/** Records in the queue at the most, as in a crawl. */
const MAX_BACKLOG = 1_000;
const SEARCHES = 20;

const flags = readFlags({
  documents: { type: 'string', default: '10000,100000' },
  mysql: { type: 'string', default: '10000' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

if (flags.help) process.stdout.write(HELP);
else await main();

interface StoreRow {
  readonly store: string;
  readonly documents: number;
  /** Documents written a second, from one size to the next. */
  readonly perSecond: number;
  /** CPU seconds of our process for 1,000 documents; a database server's are its own. */
  readonly cpu: number;
  readonly kbPerDocument: number;
  /** KB that our process wrote to files per document, from one size to the next; means nothing for a server. */
  readonly writtenKb: number;
  /** Records read back a second, links and verdicts included: a crawl that resumes. */
  readonly readPerSecond: number;
  /** Median time of a search, in ms, by kind. */
  readonly searchMs: Readonly<Record<string, number>>;
}

async function main(): Promise<void> {
  const records = new PageRecords();
  const rows = await measureSqlite(records, sizes(flags.documents));
  rows.push(...(await measureMysql(records, sizes(flags.mysql))));
  if (flags.json) process.stdout.write(`${JSON.stringify({ machine: machine(), rows })}\n`);
  else process.stdout.write(`${machine()}\n\n${report(rows)}\n`);
}

function sizes(list: string): number[] {
  return list.split(',').map(Number);
}

async function measureSqlite(records: PageRecords, goals: readonly number[]): Promise<StoreRow[]> {
  const workspace = mkdtempSync(join(tmpdir(), 'bingo-bench-store-'));
  try {
    const bytes = async (): Promise<number> =>
      readdirSync(workspace).reduce((sum, file) => sum + statSync(join(workspace, file)).size, 0);
    return await measure({ name: 'SQLite', url: 'sqlite', workspace, bytes }, records, goals);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function measureMysql(records: PageRecords, goals: readonly number[]): Promise<StoreRow[]> {
  const server = process.env.BINGO_TEST_MYSQL ?? 'mysql://root@127.0.0.1:3306/';
  const database = await temporaryDatabase(server).catch((error: Error) => {
    process.stderr.write(`MySQL: skipped, no server can be used (BINGO_TEST_MYSQL): ${error.message}\n`);
  });
  if (database === undefined) return [];
  const workspace = mkdtempSync(join(tmpdir(), 'bingo-bench-store-'));
  try {
    return await measure({ ...database, workspace }, records, goals);
  } finally {
    await database.drop();
    rmSync(workspace, { recursive: true, force: true });
  }
}

interface Place {
  readonly name: string;
  readonly url: string;
  readonly workspace: string;
  bytes(): Promise<number>;
}

async function measure(place: Place, records: PageRecords, goals: readonly number[]): Promise<StoreRow[]> {
  const rows: StoreRow[] = [];
  let stored = 0;
  for (const goal of goals) {
    const written = await withStore(place, (store) => write(store, records, stored + 1, goal));
    const read = await withStore(place, (store) => readAll(store));
    const searchMs = await withStore(place, (store) => search(store, records.stems));
    if (read.count < goal) throw new Error(`Expected ${goal} records to come back, got ${read.count}`);
    rows.push({
      store: place.name,
      documents: goal,
      ...written,
      kbPerDocument: (await place.bytes()) / goal / 1000,
      readPerSecond: read.perSecond,
      searchMs,
    });
    stored = goal;
  }
  return rows;
}

async function withStore<T>({ url, workspace }: Place, work: (store: Store) => Promise<T>): Promise<T> {
  const { batch, flushMs } = DEFAULTS.store;
  const store = await openStore({ url, workspace, batch, flushMs });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function write(
  store: Store,
  records: PageRecords,
  from: number,
  to: number,
): Promise<{ perSecond: number; cpu: number; writtenKb: number }> {
  if (from === 1) await store.saveTopics(TREE);
  let wake = (): void => {};
  store.onStored(() => wake());
  const before = process.cpuUsage();
  const began = performance.now();
  const written = bytesWritten();
  let making = 0;
  for (let sequence = from; sequence <= to; sequence++) {
    // Making the record up is not the store's work.
    const start = process.threadCpuUsage();
    const record = records.record(sequence);
    making += seconds(process.threadCpuUsage(start));
    store.append(record);
    if (store.backlog >= MAX_BACKLOG)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await store.flush();
  const documents = to - from + 1;
  const elapsed = (performance.now() - began) / 1000;
  return {
    perSecond: documents / elapsed,
    cpu: ((seconds(process.cpuUsage(before)) - making) / documents) * 1000,
    writtenKb: (bytesWritten() - written) / documents / 1000,
  };
}

function seconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}

async function readAll(store: Store): Promise<{ count: number; perSecond: number }> {
  const began = performance.now();
  let count = 0;
  for await (const chunk of store.read()) count += chunk.length;
  return { count, perSecond: (count / (performance.now() - began)) * 1000 };
}

/** Twenty searches of each kind; the words of a kind are about equally frequent. */
async function search(store: Store, stems: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const at = (share: number, i: number): string => stems[Math.floor(stems.length * share) + i]!;
  const kinds: Readonly<Record<string, (i: number) => SearchQuery>> = {
    'one rare word': (i) => ({ all: [at(0.6, i)], limit: 10 }),
    'two common words': (i) => ({ all: [at(0.02, i), at(0.03, i)], limit: 10 }),
    'any of four, one topic': (i) => ({
      any: [at(0.05, i), at(0.1, i), at(0.2, i), at(0.3, i)],
      topics: [[...TREE.nodes.keys()][1 + (i % 5)]!],
      limit: 10,
    }),
  };
  const times: Record<string, number> = {};
  for (const [kind, query] of Object.entries(kinds)) {
    const taken: number[] = [];
    for (let i = 0; i < SEARCHES; i++) {
      const began = performance.now();
      const { hits } = await store.search(query(i));
      if (hits.length === 0) throw new Error(`Expected hits for ${JSON.stringify(query(i))}`);
      taken.push(performance.now() - began);
    }
    times[kind] = median(taken);
  }
  return times;
}

function report(rows: readonly StoreRow[]): string {
  const kinds = Object.keys(rows[0]?.searchMs ?? {});
  const head = [
    'store',
    'documents',
    'written/s',
    'CPU s/1000',
    'KB each',
    'written KB each',
    'read back/s',
    ...kinds.map((k) => `${k}, ms`),
  ];
  const cells = rows.map((row) => [
    row.store,
    String(row.documents),
    row.perSecond.toFixed(0),
    row.cpu.toFixed(2),
    row.kbPerDocument.toFixed(1),
    row.store === 'SQLite' ? row.writtenKb.toFixed(1) : '–',
    row.readPerSecond.toFixed(0),
    ...kinds.map((kind) => row.searchMs[kind]!.toFixed(1)),
  ]);
  return table(head, cells);
}
