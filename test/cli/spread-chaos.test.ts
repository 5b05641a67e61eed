import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { type ExchangeState, openStore } from '../../src/store/index.ts';
import { DATABASES, onServer } from '../contracts/store-databases.ts';
import { manySitesWorkspace, startManySites } from '../support/many-sites.ts';
import { type StartedBingo, startBingo } from './support/bingo-process.ts';

/** Kills and pauses: `npm run test:chaos` sets more. */
const ROUNDS = Number(process.env.BINGO_CHAOS ?? 4);
const SEED = Number(process.env.BINGO_CHAOS_SEED ?? 1);
/** `SQLite` or `MySQL`. Default: both. */
const ONLY = process.env.BINGO_CHAOS_STORE;
const SITES = 12;
const SHARDS = 4;
const WORKERS = 3;
/** Requests between two rounds. */
const STEP = 10;
/** On a server longer than a lease: on one machine the paused process keeps its shards nevertheless. */
const PAUSE_MS = { SQLite: 2_000, MySQL: 14_000 };

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
  `a spread crawl in $name whose processes are killed and paused ${ROUNDS} times loses no page and fetches none twice`,
  {
    timeout: 120_000 + 30_000 * ROUNDS,
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
    const running: StartedBingo[] = [];
    try {
      mkdirSync(dir);
      writeFileSync(
        join(dir, 'bingo.yaml'),
        manySitesWorkspace(web, `store: {url: "${url}", batch: 5, flushMs: 20ms}\n`),
      );
      await runToEnd(['crawl', dir, '--budget', '12', '--json']);
      await runToEnd(['spread', dir, '--shards', String(SHARDS)]);
      web.takeRequests();
      const budget = 2 * web.reachable;
      const start = (): StartedBingo => startBingo(['work', dir, '--budget', String(budget)]);
      for (let i = 0; i < WORKERS; i++) running.push(start());
      for (let round = 1; round <= ROUNDS; round++) {
        const isOver = Promise.all(running.map(({ ended }) => ended)).then(() => 'over' as const);
        if ((await Promise.race([isOver, web.requested(STEP)])) === 'over') break;
        const victim = Math.floor(random() * WORKERS);
        const { child } = running[victim]!;
        if (random() < 0.6) {
          child.kill('SIGKILL');
          running[victim] = start();
        } else {
          child.kill('SIGSTOP');
          setTimeout(() => child.kill('SIGCONT'), PAUSE_MS[database.name]);
        }
      }
      for (const { ended } of running) expect((await ended).err).toContain('fetched by all shards');
      const held = await heldBy(dir, url);
      const food = held.pages.filter((url) => url.includes('food.test'));
      const found = held.pages.filter((url) => !url.includes('food.test'));
      const requests = web.takeRequests();
      const repeated = requests.length - new Set(requests).size;
      const result = {
        lost: web.reachable - new Set(found).size,
        twice: held.pages.length - new Set(held.pages).size,
        parcelsLeft: held.left,
        beyondBudget: Math.max(0, held.fetched - budget),
      };
      if (process.env.BINGO_CHAOS !== undefined)
        process.stderr.write(
          `${JSON.stringify({ store: database.name, rounds: ROUNDS, pages: found.length, requests: requests.length, repeated, ...result })}\n`,
        );
      expect(food).toHaveLength(4);
      // The processes gathered it while they were killed.
      expect(await shownBy(dir, url)).toEqual([...held.pages].sort());
      expect(result).toEqual({ lost: 0, twice: 0, parcelsLeft: 0, beyondBudget: 0 });
    } finally {
      for (const { child } of running) child.kill('SIGKILL');
      await web.close();
      for (let shard = 0; url !== 'sqlite' && shard < SHARDS; shard++)
        await onServer(`drop database if exists ${new URL(url).pathname.slice(1)}_s${shard}`);
      await place.drop();
      rmSync(root, { recursive: true, force: true });
    }
  },
);
