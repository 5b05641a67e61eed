import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BingoError, type CrawlEvent, HOME, type LoadedExtension, type ShardStanding } from '../../core/index.ts';
import { loadExtensions, sumGrants } from '../../engine/index.ts';
import { count, counted } from '../../kit/index.ts';
import { type Members, openStore, type Store } from '../../store/index.ts';
import { checkContact } from '../crawl/contact.ts';
import { openShards, type ShardStores } from '../gathering/shard-stores.ts';
import { quoted } from '../words/shell-words.ts';
import { checkAddressLimit, requireSpread, type Spread } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isTaken, Leader } from './leader.ts';
import { ShardCrawl } from './shard-crawl.ts';
import { SharedAnalysis } from './shared-analysis.ts';
import { type ShardLook, SpreadEnd } from './spread-end.ts';
import { isStoreLost, StoreLoss } from './store-loss.ts';
import { PublishedWhole, type Whole } from './whole.ts';
import { joinWorkers } from './workers.ts';

/** Interval between two turns. */
const TURN_MS = 250;
/** Turns between two removals of received parcels, and between two looks at all processes and shards. */
const FORGET_EVERY = 8;
const COUNT_EVERY = 4;

/** Why a worker ended. */
export type WorkEnd = 'budget' | 'frontier-dry' | 'time' | 'stopped';

/** The figures of all shards at one look. */
export interface WorkLook {
  readonly standings: ReadonlyMap<number, ShardStanding>;
  /** Shards that this process crawls. */
  readonly own: readonly number[];
  /** True if the user paused the crawl. */
  readonly isPaused: boolean;
}

/** How a worker reports what it does. */
export interface WorkFace {
  /** Receives the events of the shards that this process crawls, and those of the whole with {@link HOME}. */
  readonly onEvent: (shard: number, event: CrawlEvent) => void;
  /** Receives the figures at each look. */
  readonly onLook: (look: WorkLook) => void;
  /** Ends the worker. */
  readonly signal: AbortSignal;
}

/** What a worker did. */
export interface WorkSummary {
  readonly reason: WorkEnd;
  /** Pages fetched by all shards that count against the budget, with those before the crawl was spread. */
  readonly fetched: number;
  readonly budget: number;
}

/**
 * Works on a spread crawl: takes shards that no other process has, crawls them, and exchanges links with the others.
 * Processes may join and leave at any time. One of them divides the budget.
 * @throws UsageError if the crawl is not spread
 */
export async function workSpread(workspace: Workspace, face: WorkFace): Promise<WorkSummary> {
  const spread = requireSpread(workspace.dir);
  checkAddressLimit(spread.shards, workspace.config.network);
  const extensions = await loadExtensions(workspace.extensions ?? []);
  const again = `bingo work ${quoted(workspace.dir)}`;
  checkContact(workspace.config, workspace.tree, again, (text) =>
    face.onEvent(0, { kind: 'alarm', code: 'no-contact', message: text.trim(), remedy: 'Set network.contact.' }),
  );
  const worker = new Worker(workspace, { spread, extensions, face });
  try {
    return await worker.run();
  } finally {
    await worker.close();
  }
}

class Worker {
  readonly #workspace: Workspace;
  readonly #spread: Spread;
  readonly #extensions: readonly LoadedExtension[];
  readonly #face: WorkFace;
  readonly #held = new Map<number, ShardCrawl>();
  readonly #end = new SpreadEnd();
  readonly #analysis: SharedAnalysis;
  #shards: ShardStores | undefined;
  #home: Store | undefined;
  #members: Members | undefined;
  /** Shards per process. */
  #fair = 0;
  /** The shard that this process tries to take first. Others begin elsewhere, so that fewer try the same one at once. */
  readonly #firstShard: number;
  #looks: readonly ShardLook[] = [];
  #standings: ReadonlyMap<number, ShardStanding> = new Map();
  #leader: Leader | undefined;
  readonly #published = new PublishedWhole();
  /** The budget that was reported last. */
  #budget: number;
  readonly #startedAt = performance.now();
  #reason: WorkEnd = 'stopped';

  constructor(
    workspace: Workspace,
    {
      spread,
      extensions,
      face,
    }: { readonly spread: Spread; readonly extensions: readonly LoadedExtension[]; readonly face: WorkFace },
  ) {
    this.#workspace = workspace;
    this.#spread = spread;
    this.#firstShard = randomInt(spread.shards);
    this.#extensions = extensions;
    this.#face = face;
    const { dir, tree, config } = workspace;
    this.#budget = config.crawl.budget;
    const onEvent = (event: CrawlEvent): void => face.onEvent(HOME, event);
    this.#analysis = new SharedAnalysis({ dir, tree, config, extensions, onEvent });
  }

  get #stores(): readonly Store[] {
    return this.#shards?.stores ?? [];
  }

  async run(): Promise<WorkSummary> {
    const { dir, config } = this.#workspace;
    const { reconnectMs } = config.store;
    const { signal } = this.#face;
    // A server that was never reached is not waited for: its address may be wrong.
    this.#home = await openStore({ ...config.store, workspace: dir, readOnly: true });
    const loss = new StoreLoss({ reconnectMs, signal, onEvent: (event) => this.#face.onEvent(HOME, event) });
    for (let turn = 0; ; turn++) {
      const isOver = await loss.attempt(() => this.#turn(turn));
      if (isOver === true) return this.#summary(this.#isDry ? 'frontier-dry' : 'budget');
      if (signal.aborted) return this.#summary('stopped');
      if (this.#isTimeUp) return this.#summary('time');
      await this.#pause();
    }
  }

  /** Takes and frees shards, divides the budget, and passes on links. Returns true if the crawl is over. */
  async #turn(turn: number): Promise<boolean> {
    this.#members ??= await joinWorkers(this.#workspace, this.#home!);
    this.#shards ??= await openShards(this.#workspace, this.#spread);
    if (turn % COUNT_EVERY === 0) this.#fair = Math.ceil(this.#spread.shards / (await this.#members.count()));
    await this.#balance();
    // Only the process that divides the budget needs the others' figures at every moment.
    const isFresh = this.#leader !== undefined || turn % COUNT_EVERY === 0;
    if (isFresh) this.#looks = await this.#look();
    const looks = this.#looks;
    const granted = await this.#grant(looks, isFresh);
    this.#tellBudget();
    for (const crawl of [...this.#held.values()])
      await this.#exchange(crawl, { looks, granted, isForgetting: turn % FORGET_EVERY === 0 });
    this.#standings = standingsOf(looks);
    const isPaused = this.#whole?.isPaused === true;
    this.#face.onLook({ standings: this.#standings, own: [...this.#held.keys()], isPaused });
    if (!isFresh || !this.#isOver(looks, granted)) return false;
    await this.#finishLeading();
    // The user may have raised the budget meanwhile.
    return this.#isOver(looks, granted);
  }

  /** What the user decided; `undefined` until a process leads. */
  get #whole(): Whole | undefined {
    return this.#leader?.whole ?? this.#published.last;
  }

  /** True if the crawl is over: a paused one is not, nor one of which it is not known. */
  #isOver(looks: readonly ShardLook[], granted: ReadonlyMap<number, number>): boolean {
    const whole = this.#whole;
    if (whole === undefined || whole.isPaused) return false;
    return this.#end.isReached(looks, sumGrants(granted) >= whole.budget - this.#spread.fetched);
  }

  /** Reports a budget that the user changed, or that differs from that of this process. */
  #tellBudget(): void {
    const budget = this.#whole?.budget ?? this.#budget;
    if (budget === this.#budget) return;
    const message = `The budget of the crawl is ${counted(budget, 'page')}, not ${count(this.#budget)}.`;
    const remedy = `Change it with + and -: bingo dashboard ${quoted(this.#workspace.dir)}`;
    this.#budget = budget;
    this.#face.onEvent(HOME, { kind: 'alarm', code: 'other-budget', message, remedy });
  }

  get #isTimeUp(): boolean {
    const { timeMs } = this.#workspace.config.crawl;
    return timeMs > 0 && performance.now() - this.#startedAt >= timeMs;
  }

  /** Takes or frees at most one shard, so that all processes have about as many. */
  async #balance(): Promise<void> {
    const { shards } = this.#spread;
    const fair = this.#fair;
    if (this.#held.size > fair) {
      const [crawl] = [...this.#held.values()].slice(-1);
      this.#held.delete(crawl!.shard);
      await crawl!.end().catch((error: unknown) => this.#lost(crawl!, error));
      return;
    }
    for (let i = 0; i < shards && this.#held.size < fair; i++) {
      const shard = (this.#firstShard + i) % shards;
      if (this.#held.has(shard)) continue;
      const crawl = await this.#begin(shard);
      if (crawl === undefined) continue;
      this.#held.set(shard, crawl);
      return;
    }
  }

  async #begin(shard: number): Promise<ShardCrawl | undefined> {
    if ((await this.#stores[shard]!.writer()) !== undefined) return undefined;
    try {
      return await ShardCrawl.begin(shard, {
        workspace: this.#workspace,
        spread: this.#spread,
        extensions: this.#extensions,
        stores: this.#stores,
        analysis: this.#analysis,
        onEvent: (event) => this.#face.onEvent(shard, event),
      });
    } catch (error) {
      if (isTaken(error)) return undefined;
      throw error;
    }
  }

  async #look(): Promise<readonly ShardLook[]> {
    return await Promise.all(
      this.#stores.map(async (store): Promise<ShardLook> => {
        const published = await store.published();
        return { standing: published?.status.shard, exchange: await store.exchange() };
      }),
    );
  }

  /** Returns the pages that each shard may fetch; grants more if this process leads. */
  async #grant(looks: readonly ShardLook[], mayClaim: boolean): Promise<ReadonlyMap<number, number>> {
    const granted = await this.#home!.grants();
    this.#published.look(await this.#home!.published());
    try {
      if (mayClaim) this.#leader ??= await this.#claimLead();
      if (this.#leader === undefined) return granted;
      const whole = this.#whole;
      const { shards, fetched } = this.#spread;
      const budget = whole === undefined || whole.isPaused ? 0 : Math.max(0, whole.budget - fetched);
      return await this.#leader.grant({ shards, budget, standings: standingsOf(looks), fetchedBefore: fetched });
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#endLeading();
      return granted;
    }
  }

  async #claimLead(): Promise<Leader | undefined> {
    if ((await this.#home!.writer()) !== undefined) return undefined;
    return await Leader.claim({
      ...{ workspace: this.#workspace, extensions: this.#extensions },
      ...{ shards: this.#stores, at: this.#spread.at, pool: this.#analysis.pool, former: this.#published.last },
      onEvent: (event) => this.#face.onEvent(HOME, event),
    });
  }

  async #finishLeading(): Promise<void> {
    try {
      await this.#leader?.finish();
    } catch (error) {
      // Another process leads now, and gathers the rest.
      if (!isFenced(error)) throw error;
    }
  }

  async #endLeading(): Promise<void> {
    const leader = this.#leader;
    this.#leader = undefined;
    await leader?.close(this.#reason);
  }

  async #pause(): Promise<void> {
    await sleep(TURN_MS, undefined, { signal: this.#face.signal }).catch(() => {});
  }

  /** Passes on links and grants of one shard. A shard that another process took over is given up. */
  async #exchange(
    crawl: ShardCrawl,
    {
      looks,
      granted,
      isForgetting,
    }: {
      readonly looks: readonly ShardLook[];
      readonly granted: ReadonlyMap<number, number>;
      readonly isForgetting: boolean;
    },
  ): Promise<void> {
    try {
      if (crawl.failure !== undefined) throw crawl.failure;
      await crawl.adopt(this.#home!);
      crawl.pause(this.#whole?.isPaused ?? true);
      await crawl.receive();
      if (isForgetting) await crawl.forget((target) => looks[target]!.exchange.received);
      crawl.grant(granted.get(crawl.shard) ?? 0);
      await crawl.publish();
    } catch (error) {
      // If only another shard could not be read, this one continues.
      if (isStoreLost(error) && error !== crawl.failure) throw error;
      this.#lost(crawl, error);
      this.#held.delete(crawl.shard);
      await crawl.end().catch(() => {});
    }
  }

  /**
   * Reports a shard that this process can write no more.
   * @throws the error if it has another cause
   */
  #lost({ shard }: ShardCrawl, error: unknown): void {
    if (!isGone(error)) throw error;
    const remedy = 'This process takes other shards.';
    this.#face.onEvent(shard, { kind: 'alarm', code: 'shard-lost', message: error.message, remedy });
  }

  get #isDry(): boolean {
    return [...this.#standings.values()].every(({ waiting }) => waiting === 0);
  }

  #summary(reason: WorkEnd): WorkSummary {
    this.#reason = reason;
    const { fetched: before } = this.#spread;
    const fetched = [...this.#standings.values()].reduce((all, shard) => all + shard.fetched - before, before);
    return { reason, fetched, budget: this.#budget };
  }

  async close(): Promise<void> {
    const ends = await Promise.allSettled([...this.#held.values()].map((crawl) => crawl.end()));
    await this.#endLeading();
    await this.#analysis.close();
    await this.#home?.close();
    await this.#shards?.close();
    await this.#members?.leave();
    for (const end of ends) if (end.status === 'rejected' && !isFenced(end.reason)) throw end.reason;
  }
}

/** True if another process took over while this one was paused or cut off. */
function isFenced(error: unknown): error is BingoError {
  return error instanceof BingoError && error.code === 'STORE_FENCED';
}

/** True if what this process writes must be opened again, by this process or another one. */
function isGone(error: unknown): error is BingoError {
  return isFenced(error) || isStoreLost(error);
}

function standingsOf(looks: readonly ShardLook[]): ReadonlyMap<number, ShardStanding> {
  return new Map(looks.flatMap(({ standing }, shard) => (standing === undefined ? [] : [[shard, standing] as const])));
}
