import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ALL_SHARDS } from '../../src/core/index.ts';
import { seededRandom } from '../../src/kit/index.ts';
import { type ExchangeState, openStore } from '../../src/store/index.ts';
import { mysql, onServer, sqlite } from '../contracts/store-databases.ts';
import { type Cluster, startGalera, whyNoGalera } from '../support/galera.ts';
import { type ManySites, manySitesWorkspace, startManySites } from '../support/many-sites.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { VethLink, whyNoVeth } from '../support/veth-link.ts';
import { type StartedBingo, startBingo } from './support/bingo-process.ts';

/** Number of faults: `npm run test:chaos` sets more. */
const ROUNDS = Number(process.env.BINGO_CHAOS ?? 4);
const SEED = Number(process.env.BINGO_CHAOS_SEED ?? 1);
/** `SQLite`, `MySQL` or `Galera`. Default: SQLite and MySQL. */
const ONLY = process.env.BINGO_CHAOS_STORE;
const SHARDS = Number(process.env.BINGO_CHAOS_SHARDS ?? 4);
const WORKERS = Number(process.env.BINGO_CHAOS_WORKERS ?? 3);
/** Requests between two faults. */
const STEP = Number(process.env.BINGO_CHAOS_STEP ?? 10);
/** `veth`: network links that are set down, instead of proxies that forward nothing. */
const isVeth = process.env.BINGO_CHAOS_LINKS === 'veth';
const linkTo = (url: string): Promise<Link> => (isVeth ? VethLink.to(url) : TcpProxy.to(url));
const SITES = Math.max(12, 2 * SHARDS);
/** Connections that a worker has per shard, at most. */
const CONNECTIONS = 5;
const ON_SERVER = [...repeat('kill', 4), ...repeat('pause', 2), ...repeat('stall', 2), ...repeat('reset', 2)];
/** Faults with their shares: a stall and a reset concern the connections to the server. */
const FAULTS = { SQLite: [...repeat('kill', 6), ...repeat('pause', 4)], MySQL: ON_SERVER, Galera: ON_SERVER };
/** Duration of a pause, a stall or a hanging node. On a server it is longer than a lease. */
const PAUSE_MS = { SQLite: 2_000, MySQL: 14_000, Galera: 14_000 };
/** When a node of the cluster hangs, and when another one is lost: shares of all rounds. */
const HANGS_AT = 0.3;
const LOST_AT = 0.6;
/** A process in these namespaces has a folder and process numbers of its own, as on a machine of its own. */
const NAMESPACES = ['-rmpf', '--mount-proc', '--kill-child'];
const hasNamespaces = spawnSync('unshare', [...NAMESPACES, 'true']).status === 0;

type FaultKind = 'kill' | 'pause' | 'stall' | 'reset' | 'node hung' | 'node lost';

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

/** A way to the server. */
type Link = TcpProxy | VethLink;

/** A worker, its way to the server, and the name with which it asks the sites. */
interface ChaosWorker {
  readonly started: StartedBingo;
  readonly agent: string;
  readonly link: Link | undefined;
  isSuspended: boolean;
}

/** Where the stores of a crawl are. */
interface ChaosPlace {
  readonly url: string;
  /** The same store on each node of a cluster; one server has one. */
  readonly nodes: readonly string[];
  readonly cluster?: Cluster;
  drop(): Promise<void>;
}

interface ChaosDatabase {
  readonly name: keyof typeof FAULTS;
  readonly missing: string | undefined;
  place(): Promise<ChaosPlace>;
}

const STORES: readonly ChaosDatabase[] = [
  {
    ...{ name: 'SQLite', missing: sqlite.missing },
    place: async () => {
      const { options, drop } = await sqlite.place();
      return { url: options.url, nodes: [], drop };
    },
  },
  {
    ...{ name: 'MySQL', missing: mysql.missing },
    place: async () => {
      const place = await mysql.place();
      const { url } = place.options;
      await allowConnections();
      const drop = async (): Promise<void> => {
        for (let shard = 0; shard < SHARDS; shard++)
          await onServer(`drop database if exists ${new URL(url).pathname.slice(1)}_s${shard}`);
        await place.drop();
      };
      return { url, nodes: [url], drop };
    },
  },
  {
    ...{
      name: 'Galera',
      missing: ONLY === 'Galera' ? whyNoGalera() : 'it takes minutes: set BINGO_CHAOS_STORE=Galera',
    },
    place: async () => {
      const cluster = await startGalera();
      const nodes = cluster.nodes.map((node) => `${node}/bingo`);
      return { url: nodes[0]!, nodes, cluster, drop: async () => cluster.close() };
    },
  },
];

/** Raises the server's limit if the processes may need more connections. Only an administrator may. */
async function allowConnections(): Promise<void> {
  const wanted = 50 + CONNECTIONS * SHARDS * WORKERS;
  await onServer(`set global max_connections = greatest(@@max_connections, ${wanted})`).catch(() => {});
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
  /** Records that do not follow the one before. */
  readonly gaps: number;
  /** Parcels that no shard has received. */
  readonly left: number;
}

async function heldBy(dir: string, url: string): Promise<Held> {
  const pages: string[] = [];
  const states: ExchangeState[] = [];
  let fetched = 0;
  let gaps = 0;
  for (let shard = 0; shard < SHARDS; shard++) {
    const workspace = join(dir, 'shards', String(shard));
    const shardUrl = url === 'sqlite' ? url : `${url}_s${shard}`;
    const store = await openStore({ url: shardUrl, workspace, batch: 10, flushMs: 10, readOnly: true });
    // All shards begin with the records from before the crawl was spread.
    let isOwn = shard === 0;
    let last = 0;
    for await (const records of store.read({ links: false }))
      for (const record of records) {
        if (record.sequence !== ++last) gaps++;
        if (record.kind === 'steer' && record.command.kind === 'begin-shard') isOwn = true;
        if (!isOwn || record.kind !== 'page') continue;
        pages.push(record.finalUrl);
        if (record.role === 'crawled' && record.origin.via !== 'seed') fetched++;
      }
    states.push(await store.exchange());
    await store.close();
  }
  const left = states.flatMap(({ sent }, source) =>
    states.filter(({ received }, target) => {
      const last = Math.max(sent.get(target) ?? 0, sent.get(ALL_SHARDS) ?? 0);
      return target !== source && (received.get(source) ?? 0) < last;
    }),
  );
  return { pages, fetched, gaps, left: left.length };
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

/** Sends a signal to the process itself, which `unshare` started. Does nothing if it has ended. */
function signal({ pid }: StartedBingo['child'], isUnder: boolean, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    const own = isUnder ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim() : String(pid);
    process.kill(Number(own), name);
  } catch {
    // See above.
  }
}

function counted(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** Prints to a user who asked for chaos. */
function report(text: string): void {
  if (process.env.BINGO_CHAOS !== undefined)
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

test.for(STORES)(
  `a spread crawl in $name with ${ROUNDS} faults of its processes and connections loses no page and stores none twice`,
  {
    timeout: 600_000 + ROUNDS * (30_000 + 200 * STEP) * Math.max(1, SHARDS / 4),
  },
  async (database, { skip }) => {
    if (isVeth) skip(whyNoVeth() !== undefined, whyNoVeth());
    skip(database.missing !== undefined || (ONLY !== undefined && ONLY !== database.name), database.missing);
    const place = await database.place();
    const { url, nodes, cluster } = place;
    const random = seededRandom(SEED);
    const root = mkdtempSync(join(tmpdir(), 'bingo-chaos-'));
    const dir = join(root, 'crawl');
    const pages = Math.max(8, Math.ceil((1.4 * STEP * ROUNDS) / SITES));
    const web = await startManySites(SITES, pages);
    const running: ChaosWorker[] = [];
    const faults: Fault[] = [];
    const links: Link[] = [];
    let awake: Promise<unknown> = Promise.resolve();
    try {
      mkdirSync(dir);
      const more = `store: {url: "${url}", batch: 5, flushMs: 20ms}\n`;
      writeFileSync(join(dir, 'bingo.yaml'), manySitesWorkspace(web, more, Math.ceil(SHARDS / 2)));
      await runToEnd(['crawl', dir, '--budget', '12', '--json']);
      await runToEnd(['spread', dir, '--shards', String(SHARDS)]);
      report('spread');
      web.takeRequests();
      const before = web.requests.length;
      const budget = 2 * web.reachable;
      const isUnder = nodes.length > 0 && hasNamespaces;
      for (let i = 0; nodes.length > 0 && i < WORKERS; i++) {
        links.push(await linkTo(nodes[i % nodes.length]!));
        if (isUnder) cpSync(dir, join(root, `machine${i}`), { recursive: true });
      }
      let started = 0;
      const start = (i: number): ChaosWorker => {
        const agent = `worker${i}.${++started}`;
        const link = links[i];
        const env = {
          ...process.env,
          BINGO_NETWORK_USER_AGENT: agent,
          ...(link && { BINGO_STORE_URL: link.through(url) }),
        };
        const script = 'mount --bind "$0" "$1" && shift && exec "$@"';
        const own = ['unshare', ...NAMESPACES, 'sh', '-c', script, join(root, `machine${i}`), dir];
        const words = ['work', dir, '--budget', String(budget)];
        return { started: startBingo(words, env, isUnder ? own : []), agent, link, isSuspended: false };
      };
      for (let i = 0; i < WORKERS; i++) running.push(start(i));
      const note = (kind: FaultKind, { agent }: ChaosWorker): void => {
        faults.push({ kind, agent, at: web.requests.length });
        report(`${faults.length}: ${kind} of ${agent} after ${web.requests.length - before} requests`);
      };
      const suspend = (worker: ChaosWorker, begin: () => void, end: () => void): void => {
        worker.isSuspended = true;
        begin();
        setTimeout(() => {
          end();
          worker.isSuspended = false;
        }, PAUSE_MS[database.name]);
      };
      const restart = (i: number): void => {
        running[i]!.started.child.kill('SIGKILL');
        running[i] = start(i);
      };
      // A process that a fault kept from reaching the server at its start ends with that cause.
      const endOf = async (i: number): Promise<string> => {
        const { started, agent } = running[i]!;
        const { err } = await started.ended;
        const hasBegun = web.headers.some((headers) => headers['user-agent']?.split(' ')[0] === agent);
        if (hasBegun || !err.includes('Check that the server runs')) return err;
        running[i] = start(i);
        return await endOf(i);
      };
      const workersAt = (node: number): readonly number[] =>
        [...running.keys()].filter((i) => i % nodes.length === node);
      const hangNode = async (node: number): Promise<void> => {
        for (const i of workersAt(node)) note('node hung', running[i]!);
        cluster!.hang(node);
        await sleep(PAUSE_MS[database.name]);
        await cluster!.wake(node);
      };
      // Its processes are started again with the address of another node.
      const loseNode = async (node: number): Promise<void> => {
        await awake;
        cluster!.kill(node);
        for (const i of workersAt(node)) {
          note('node lost', running[i]!);
          await links[i]!.refuse();
          links[i] = await linkTo(url);
          restart(i);
        }
      };
      const kinds = FAULTS[database.name];
      for (let round = 1; round <= ROUNDS; round++) {
        const isOver = Promise.all(running.map((worker) => worker.started.ended)).then(() => 'over' as const);
        if ((await Promise.race([isOver, web.requested(STEP)])) === 'over') break;
        if (cluster !== undefined && round === Math.ceil(HANGS_AT * ROUNDS)) {
          awake = hangNode(1);
          continue;
        }
        if (cluster !== undefined && round === Math.ceil(LOST_AT * ROUNDS)) {
          await loseNode(2);
          continue;
        }
        while (running.every(({ isSuspended }) => isSuspended)) await sleep(100);
        const able = [...running.keys()].filter((i) => !running[i]!.isSuspended);
        const victim = able[Math.floor(random() * able.length)]!;
        const worker = running[victim]!;
        const kind = kinds[Math.floor(random() * kinds.length)]!;
        note(kind, worker);
        if (kind === 'kill') restart(victim);
        else if (kind === 'reset') worker.link!.reset();
        else if (kind === 'stall')
          suspend(
            worker,
            () => worker.link!.stall(),
            () => void worker.link!.resume(),
          );
        else
          suspend(
            worker,
            () => signal(worker.started.child, isUnder, 'SIGSTOP'),
            () => signal(worker.started.child, isUnder, 'SIGCONT'),
          );
      }
      await awake;
      report('no further faults');
      for (const i of running.keys()) expect(await endOf(i)).toContain('fetched by all shards');
      const held = await heldBy(dir, url);
      const food = held.pages.filter((url) => url.includes('food.test'));
      const found = held.pages.filter((url) => !url.includes('food.test'));
      const requests = web.takeRequests();
      const causes = repeatsByCause(web, faults, before);
      const repeated = Object.values(causes).reduce((all, some) => all + some, 0);
      const result = {
        lost: web.reachable - new Set(found).size,
        twice: held.pages.length - new Set(held.pages).size,
        gaps: held.gaps,
        parcelsLeft: held.left,
        beyondBudget: Math.max(0, held.fetched - budget),
      };
      const kindsOf = Object.fromEntries(
        [...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, { length }]) => [kind, length]),
      );
      report(
        `${database.name}, seed ${SEED}, ${WORKERS} workers, ${SHARDS} shards, ${ROUNDS} rounds: faults ${counted(kindsOf)}; ` +
          `pages ${found.length}, lost ${result.lost}, twice ${result.twice}, gaps ${result.gaps}, ` +
          `parcels left ${result.parcelsLeft}, fetched ${held.fetched} of a budget of ${budget}; requests ${requests.length}, ` +
          `repeated ${repeated} (${((100 * repeated) / requests.length).toFixed(1)} %), by cause ${counted(causes)}`,
      );
      expect(food).toHaveLength(4);
      // The processes gathered it while they were killed.
      expect(await shownBy(dir, url)).toEqual([...held.pages].sort());
      expect(result).toEqual({ lost: 0, twice: 0, gaps: 0, parcelsLeft: 0, beyondBudget: 0 });
    } finally {
      for (const { started } of running) started.child.kill('SIGKILL');
      for (const link of links) await link.refuse();
      await web.close();
      await place.drop();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);
