import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { type ExchangeState, openStore } from '../../src/store/index.ts';
import { DATABASES, onServer } from '../contracts/store-databases.ts';
import { type ManySites, manySitesWorkspace, startManySites } from '../support/many-sites.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { type StartedBingo, startBingo } from './support/bingo-process.ts';

/** Number of faults: `npm run test:chaos` sets more. */
const ROUNDS = Number(process.env.BINGO_CHAOS ?? 4);
const SEED = Number(process.env.BINGO_CHAOS_SEED ?? 1);
/** `SQLite` or `MySQL`. Default: both. */
const ONLY = process.env.BINGO_CHAOS_STORE;
const SITES = 12;
const SHARDS = Number(process.env.BINGO_CHAOS_SHARDS ?? 4);
const WORKERS = Number(process.env.BINGO_CHAOS_WORKERS ?? 3);
/** Requests between two faults. */
const STEP = Number(process.env.BINGO_CHAOS_STEP ?? 10);
/** Duration of a pause or a stall. On a server it is longer than a lease. */
const PAUSE_MS = { SQLite: 2_000, MySQL: 14_000 };
/** Faults with their shares: a stall and a reset concern the connections to the server. */
const FAULTS = {
  SQLite: [...repeat('kill', 6), ...repeat('pause', 4)],
  MySQL: [...repeat('kill', 4), ...repeat('pause', 2), ...repeat('stall', 2), ...repeat('reset', 2)],
};
/** A process in a mount namespace of its own has a folder of its own, as on a machine of its own. */
const hasNamespaces = spawnSync('unshare', ['-rm', 'true']).status === 0;

type FaultKind = 'kill' | 'pause' | 'stall' | 'reset';

interface Fault {
  readonly kind: FaultKind;
  /** The process that it hit. */
  readonly agent: string;
  /** Requests before it. */
  readonly at: number;
}

function repeat(kind: FaultKind, times: number): readonly FaultKind[] {
  return new Array<FaultKind>(times).fill(kind);
}

/** A worker, its way to the server, and the name with which it asks the sites. */
interface ChaosWorker {
  readonly started: StartedBingo;
  readonly agent: string;
  readonly proxy: TcpProxy | undefined;
  isSuspended: boolean;
}

/** Counts repeated requests by the last fault of the process that made the request before; `none` without one. */
function repeatsByCause(
  { requests, headers }: ManySites,
  faults: readonly Fault[],
  from: number,
): Record<string, number> {
  const causes: Record<string, number> = {};
  const before = new Map<string, number>();
  for (let i = from; i < requests.length; i++) {
    const request = requests[i]!;
    if (request.endsWith('/robots.txt')) continue;
    const last = before.get(request);
    before.set(request, i);
    if (last === undefined) continue;
    const [agent] = headers[last]!['user-agent']!.split(' ');
    const cause = faults.findLast((fault) => fault.agent === agent && fault.at <= i)?.kind ?? 'none';
    causes[cause] = (causes[cause] ?? 0) + 1;
  }
  return causes;
}

/** What the shards hold when the crawl is over. */
interface Held {
  readonly pages: readonly string[];
  readonly fetched: number;
  /** Parcels that no shard has received. */
  readonly left: number;
}

async function heldBy(dir: string, url: string): Promise<Held> {
  const pages: string[] = [];
  const states: ExchangeState[] = [];
  let fetched = 0;
  for (let shard = 0; shard < SHARDS; shard++) {
    const workspace = join(dir, 'shards', String(shard));
    const shardUrl = url === 'sqlite' ? url : `${url}_s${shard}`;
    const store = await openStore({ url: shardUrl, workspace, batch: 10, flushMs: 10, readOnly: true });
    // All shards begin with the records from before the crawl was spread.
    let isOwn = shard === 0;
    // Reading rejects a journal with a gap.
    for await (const records of store.read({ links: false }))
      for (const record of records) {
        if (record.kind === 'steer' && record.command.kind === 'begin-shard') isOwn = true;
        if (!isOwn || record.kind !== 'page') continue;
        pages.push(record.finalUrl);
        if (record.role === 'crawled' && record.origin.via !== 'seed') fetched++;
      }
    states.push(await store.exchange());
    await store.close();
  }
  const left = states.flatMap(({ sent }, source) =>
    [...sent].filter(([target, last]) => (states[target]?.received.get(source) ?? 0) < last),
  );
  return { pages, fetched, left: left.length };
}

/** Addresses of all pages that the store of the workspace has. */
async function shownBy(workspace: string, url: string): Promise<readonly string[]> {
  const store = await openStore({ url, workspace, batch: 10, flushMs: 10, readOnly: true });
  const pages: string[] = [];
  for await (const records of store.read({ links: false }))
    for (const record of records) if (record.kind === 'page') pages.push(record.finalUrl);
  await store.close();
  return pages.sort();
}

/** The web answers meanwhile. */
async function runToEnd(words: readonly string[]): Promise<void> {
  const { code, err } = await startBingo(words).ended;
  expect(code, err).toBe(0);
}

test.for(DATABASES)(
  `a spread crawl in $name with ${ROUNDS} faults of its processes and connections loses no page and stores none twice`,
  {
    timeout: 240_000 + ROUNDS * (30_000 + 200 * STEP),
  },
  async (database, { skip }) => {
    skip(database.missing !== undefined || (ONLY !== undefined && ONLY !== database.name));
    const place = await database.place();
    const { url } = place.options;
    const random = seededRandom(SEED);
    const root = mkdtempSync(join(tmpdir(), 'bingo-chaos-'));
    const dir = join(root, 'crawl');
    const pages = Math.max(8, Math.ceil((1.4 * STEP * ROUNDS) / SITES));
    const web = await startManySites(SITES, pages);
    const running: ChaosWorker[] = [];
    const faults: Fault[] = [];
    const proxies: TcpProxy[] = [];
    try {
      mkdirSync(dir);
      writeFileSync(
        join(dir, 'bingo.yaml'),
        manySitesWorkspace(web, `store: {url: "${url}", batch: 5, flushMs: 20ms}\n`),
      );
      await runToEnd(['crawl', dir, '--budget', '12', '--json']);
      await runToEnd(['spread', dir, '--shards', String(SHARDS)]);
      web.takeRequests();
      const before = web.requests.length;
      const budget = 2 * web.reachable;
      const isOnServer = url !== 'sqlite';
      for (let i = 0; isOnServer && i < WORKERS; i++) {
        proxies.push(await TcpProxy.to(url));
        if (hasNamespaces) cpSync(dir, join(root, `machine${i}`), { recursive: true });
      }
      let started = 0;
      const start = (i: number): ChaosWorker => {
        const agent = `worker${i}.${++started}`;
        const proxy = proxies[i];
        const env = {
          ...process.env,
          BINGO_NETWORK_USER_AGENT: agent,
          ...(proxy && { BINGO_STORE_URL: proxy.through(url) }),
        };
        const own = [
          'unshare',
          '-rm',
          'sh',
          '-c',
          'mount --bind "$0" "$1" && shift && exec "$@"',
          join(root, `machine${i}`),
          dir,
        ];
        const under = isOnServer && hasNamespaces ? own : [];
        const words = ['work', dir, '--budget', String(budget)];
        return { started: startBingo(words, env, under), agent, proxy, isSuspended: false };
      };
      for (let i = 0; i < WORKERS; i++) running.push(start(i));
      const suspend = (worker: ChaosWorker, begin: () => void, end: () => void): void => {
        worker.isSuspended = true;
        begin();
        setTimeout(() => {
          end();
          worker.isSuspended = false;
        }, PAUSE_MS[database.name]);
      };
      const kinds = FAULTS[database.name];
      for (let round = 1; round <= ROUNDS; round++) {
        const isOver = Promise.all(running.map((worker) => worker.started.ended)).then(() => 'over' as const);
        if ((await Promise.race([isOver, web.requested(STEP)])) === 'over') break;
        while (running.every(({ isSuspended }) => isSuspended)) await sleep(100);
        const awake = [...running.keys()].filter((i) => !running[i]!.isSuspended);
        const victim = awake[Math.floor(random() * awake.length)]!;
        const worker = running[victim]!;
        const kind = kinds[Math.floor(random() * kinds.length)]!;
        const { child } = worker.started;
        faults.push({ kind, agent: worker.agent, at: web.requests.length });
        if (kind === 'kill') {
          child.kill('SIGKILL');
          running[victim] = start(victim);
        } else if (kind === 'reset') worker.proxy!.reset();
        else if (kind === 'stall')
          suspend(
            worker,
            () => worker.proxy!.stall(),
            () => void worker.proxy!.resume(),
          );
        else
          suspend(
            worker,
            () => child.kill('SIGSTOP'),
            () => child.kill('SIGCONT'),
          );
      }
      for (const { started } of running) expect((await started.ended).err).toContain('fetched by all shards');
      const held = await heldBy(dir, url);
      const food = held.pages.filter((url) => url.includes('food.test'));
      const found = held.pages.filter((url) => !url.includes('food.test'));
      const requests = web.takeRequests();
      const causes = repeatsByCause(web, faults, before);
      const repeated = Object.values(causes).reduce((all, some) => all + some, 0);
      const result = {
        lost: web.reachable - new Set(found).size,
        twice: held.pages.length - new Set(held.pages).size,
        parcelsLeft: held.left,
        beyondBudget: Math.max(0, held.fetched - budget),
      };
      if (process.env.BINGO_CHAOS !== undefined)
        process.stderr.write(
          `${JSON.stringify({
            ...{ store: database.name, seed: SEED, shards: SHARDS, workers: WORKERS, pages: found.length },
            ...{ requests: requests.length, repeated, causes, ...result },
            faults: Object.fromEntries(
              [...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, { length }]) => [kind, length]),
            ),
          })}\n`,
        );
      expect(food).toHaveLength(4);
      // The processes gathered it while they were killed.
      expect(await shownBy(dir, url)).toEqual([...held.pages].sort());
      expect(result).toEqual({ lost: 0, twice: 0, parcelsLeft: 0, beyondBudget: 0 });
    } finally {
      for (const { started } of running) started.child.kill('SIGKILL');
      for (const proxy of proxies) await proxy.refuse();
      await web.close();
      for (let shard = 0; url !== 'sqlite' && shard < SHARDS; shard++)
        await onServer(`drop database if exists ${new URL(url).pathname.slice(1)}_s${shard}`);
      await place.drop();
      rmSync(root, { recursive: true, force: true });
    }
  },
);
