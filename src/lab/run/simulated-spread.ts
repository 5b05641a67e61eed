import {
  ALL_SHARDS,
  type CanonicalUrl,
  HOME,
  hostOf,
  isForAllShards,
  type JournalRecord,
  joinParcels,
  type PageRecord,
  type Parcel,
  registeredDomain,
  type ShardOf,
  type ShardStanding,
  shardOf,
  type VisitRecord,
} from '../../core/index.ts';
import { type Crawl, type CrawlOptions, Granting, placing } from '../../engine/index.ts';
import { hash53 } from '../../kit/index.ts';
import { FETCH_MS, type SpreadFigures, type SpreadOptions } from '../score/spread-figures.ts';
import { MemoryJournal } from './memory-journal.ts';

/** What a simulated spread crawl needs. */
export interface SpreadPorts {
  readonly options: SpreadOptions;
  /** Pages to fetch. */
  readonly budget: number;
  /** Hosts of the web. */
  readonly hosts: readonly string[];
  /** Makes a crawl with this budget. */
  readonly open: (budget: number, options: Partial<CrawlOptions>) => Crawl;
}

/** A crawl that has learned. */
interface Learned {
  readonly journal: MemoryJournal;
  /** Pages that count against the budget. */
  readonly fetched: number;
}

/**
 * Learns in one crawl, then harvests with shards and a home, as the processes of `bingo work` do, but in one process
 * and simulated time. The shards fetch one page at a time, in turn. Links, fetches, figures, grants and models arrive
 * after the lag. Without one, a single shard fetches what one crawl does.
 */
export async function simulateSpread(ports: SpreadPorts): Promise<SpreadFigures> {
  const journal = new MemoryJournal(undefined, (record) => {
    if (record.kind === 'phase' && record.phase === 'harvesting') learning.stop();
  });
  const learning = ports.open(ports.budget, { journal });
  await learning.run();
  const spread = new SimulatedSpread(ports, { journal, fetched: learning.standing.fetched });
  await spread.run();
  return spread.figures;
}

/** A crawl that changes only when it is asked to. */
class Running {
  readonly crawl: Crawl;
  #release = (): void => {};
  #running: Promise<unknown> = Promise.resolve();

  constructor(crawl: Crawl) {
    this.crawl = crawl;
  }

  async begin(): Promise<void> {
    await this.change(() => {
      this.#release = this.crawl.hold();
      this.#running = this.crawl.run();
    });
  }

  /** Resolves once all that follows from the change is done. */
  async change(make: () => unknown): Promise<void> {
    const { rested } = this.crawl;
    await make();
    await Promise.race([rested, this.#running]);
  }

  async end(): Promise<void> {
    this.crawl.stop();
    this.#release();
    await this.#running;
  }
}

class SimulatedSpread {
  readonly #ports: SpreadPorts;
  readonly #fetchedBefore: number;
  readonly #partition: ShardOf;
  readonly #home: Running;
  readonly #shards: readonly Running[];
  /** What is under way, in order of arrival. */
  readonly #mail: { readonly due: number; readonly arrive: () => unknown }[] = [];
  readonly #own: ShardStanding[] = [];
  /** What home knows of the shards. */
  readonly #standings = new Map<number, ShardStanding>();
  readonly #granting = new Granting();
  #granted: ReadonlyMap<number, number> = new Map();
  /** Sequence in the journal of the whole, by sequence in that of the shard. */
  readonly #places: readonly Map<number, number>[];
  readonly #fetches: number[];
  readonly #links = { all: 0, foreign: 0 };
  #now = 0;
  /** The shard that fetched last. */
  #last = -1;

  constructor(ports: SpreadPorts, { journal, fetched }: Learned) {
    this.#ports = ports;
    this.#fetchedBefore = fetched;
    const { open, budget, hosts } = ports;
    const { shards } = ports.options;
    this.#partition = partitionOf(hosts, shards);
    const whole = new MemoryJournal(journal, (record) => this.#decided(record));
    this.#home = new Running(open(budget, { part: 'home', journal: whole }));
    this.#shards = Array.from({ length: shards }, (_, shard) => {
      const own = new MemoryJournal(journal, (record, leaving) => this.#stored(shard, record, leaving));
      const command = { kind: 'begin-shard', shard, shards } as const;
      own.append({ kind: 'steer', sequence: journal.all.length + 1, at: 0, command });
      return new Running(open(fetched, { part: 'shard', journal: own, shardOf: this.#partition, onEvent: () => {} }));
    });
    this.#places = this.#shards.map(() => new Map());
    this.#fetches = this.#shards.map(() => 0);
  }

  get figures(): SpreadFigures {
    const { all, foreign } = this.#links;
    const by = this.#partition === shardOf ? 'site' : 'host';
    return { by, fetches: this.#fetches, foreign: all === 0 ? 0 : foreign / all };
  }

  async run(): Promise<void> {
    const crawls = [this.#home, ...this.#shards];
    for (const one of crawls) await one.begin();
    for (const [shard, { crawl }] of this.#shards.entries()) {
      crawl.steer({ kind: 'pause' });
      this.#publish(shard);
    }
    for (;;) {
      await this.#deliver();
      this.#grant();
      await this.#deliver();
      if (await this.#fetch()) this.#now += FETCH_MS;
      else if (this.#mail.length > 0) this.#now = this.#mail[0]!.due;
      else break;
    }
    for (const one of crawls) await one.end();
  }

  #post(arrive: () => unknown): void {
    this.#mail.push({ due: this.#now + this.#ports.options.lagMs, arrive });
  }

  async #deliver(): Promise<void> {
    while (this.#mail.length > 0 && this.#mail[0]!.due <= this.#now) await this.#mail.shift()!.arrive();
  }

  /** Lets the next shard that may fetch do so once. Returns false if none may. */
  async #fetch(): Promise<boolean> {
    for (let i = 1; i <= this.#shards.length; i++) {
      const shard = (this.#last + i) % this.#shards.length;
      const { crawl } = this.#shards[shard]!;
      const { waiting, fetched, budget } = this.#own[shard]!;
      if (waiting === 0 || fetched >= budget) continue;
      const before = this.#fetches[shard];
      await this.#shards[shard]!.change(() => crawl.steer({ kind: 'resume' }));
      crawl.steer({ kind: 'pause' });
      if (this.#fetches[shard] === before) continue;
      this.#last = shard;
      this.#publish(shard);
      return true;
    }
    return false;
  }

  /** Sends what a shard has stored. */
  #stored(shard: number, record: JournalRecord, leaving: ReadonlyMap<number, Parcel>): void {
    for (let target = 0; target < this.#ports.options.shards; target++) {
      const parcels = [target, ALL_SHARDS].flatMap((to) => leaving.get(to) ?? []);
      if (target === shard || parcels.length === 0) continue;
      const sent = { source: shard, upto: record.sequence, parcel: joinParcels(parcels) };
      this.#post(() => this.#changeShard(target, (crawl) => crawl.receive(sent)));
    }
    if (record.kind !== 'page' && record.kind !== 'visit') return;
    this.#shards[shard]!.crawl.steer({ kind: 'pause' });
    this.#fetches[shard]!++;
    this.#count(shard, record);
    this.#post(() => this.#gather(shard, record));
  }

  #gather(source: number, record: PageRecord | VisitRecord): Promise<void> {
    const { crawl } = this.#home;
    const place = placing(record, this.#places[source]!);
    return this.#home.change(() => crawl.gather(place, { source, own: record.sequence }));
  }

  /** Sends what the crawl of the whole has decided. */
  #decided(record: JournalRecord): void {
    const isForAll = record.kind === 'round' || (record.kind === 'steer' && isForAllShards(record.command));
    if (!isForAll) return;
    for (const shard of this.#shards.keys())
      this.#post(() =>
        this.#changeShard(shard, (crawl) => crawl.adopt(record, { source: HOME, own: record.sequence })),
      );
  }

  #grant(): void {
    const { options, budget } = this.#ports;
    const fetched = this.#fetchedBefore;
    const next = this.#granting.next(
      {
        ...{ shards: options.shards, budget: budget - fetched, granted: this.#granted },
        ...{ standings: this.#standings, fetchedBefore: fetched },
      },
      this.#now,
    );
    for (const [shard, pages] of next ?? []) {
      if (pages === this.#granted.get(shard)) continue;
      const command = { kind: 'set-budget', budget: fetched + pages } as const;
      this.#post(() => this.#changeShard(shard, (crawl) => crawl.steer(command)));
    }
    this.#granted = next ?? this.#granted;
  }

  async #changeShard(shard: number, make: (crawl: Crawl) => unknown): Promise<void> {
    const one = this.#shards[shard]!;
    await one.change(() => make(one.crawl));
    this.#publish(shard);
  }

  #publish(shard: number): void {
    const { standing } = this.#shards[shard]!.crawl;
    this.#own[shard] = standing;
    this.#post(() => this.#standings.set(shard, standing));
  }

  #count(shard: number, record: PageRecord | VisitRecord): void {
    if (record.kind !== 'page' || record.document.links.size === 0) return;
    for (const url of record.document.links.urls.split('\n')) {
      this.#links.all++;
      const target = this.#partition(hostOf(url as CanonicalUrl), this.#shards.length);
      if (target !== shard) this.#links.foreign++;
    }
  }
}

/** Returns the partition by registered domain if the web has enough of them; otherwise by host. */
function partitionOf(hosts: readonly string[], shards: number): ShardOf {
  const sites = new Set(hosts.map(registeredDomain));
  return sites.size >= shards ? shardOf : (host, all) => hash53(host) % all;
}
