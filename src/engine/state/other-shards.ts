import {
  ALL_SHARDS,
  type CanonicalUrl,
  hostOf,
  type Lesson,
  type Parcel,
  type SentEntry,
  type SentPage,
  type Shard,
  type ShardOf,
  shardOf,
} from '../../core/index.ts';
import type { FrontierEntry, JudgedPage, Ordering } from '../../crawl/index.ts';
import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';
import type { SeenUrls } from './seen-urls.ts';

/** Hosts whose shard is remembered: looking up a registered domain takes a microsecond. */
const MAX_HOSTS = 10_000;

interface Draft {
  readonly pages: SentPage[];
  readonly redirects: SentEntry[];
  readonly lessons: Lesson[];
}

/** Links that lead to other shards of a spread crawl. Until the crawl is spread, no link does. */
export class OtherShards {
  readonly #seen: Pick<SeenUrls, 'has'>;
  readonly #partition: ShardOf;
  readonly #hosts = new LruMap<string, number>(MAX_HOSTS);
  #own: Shard | undefined;
  #leaving = new Map<number, Draft>();

  constructor(seen: Pick<SeenUrls, 'has'>, partition: ShardOf = shardOf) {
    this.#seen = seen;
    this.#partition = partition;
  }

  /** From now on, links to other shards leave the crawl. */
  begin(own: Shard): void {
    this.#own = own;
  }

  /** True if another shard fetches this host. */
  isForeign(host: string): boolean {
    return this.#own !== undefined && this.#shardOf(host, this.#own.shards) !== this.#own.shard;
  }

  /** Sends the links of the page judged last, and what it teaches, to the other shards. */
  send(page: JudgedPage, ordering: Pick<Ordering, 'lesson' | 'wholeOf'>): void {
    const own = this.#own;
    if (own === undefined) return;
    const lesson = own.shards === 1 ? undefined : ordering.lesson?.(page);
    if (lesson !== undefined) this.#draft(ALL_SHARDS).lessons.push(lesson);
    const byShard = Map.groupBy(page.links, ({ url }) => this.#shardOf(hostOf(url as CanonicalUrl), own.shards));
    byShard.delete(own.shard);
    if (byShard.size === 0) return;
    const whole = ordering.wholeOf?.(page) ?? { links: page.links.length, known: [] };
    for (const [shard, links] of byShard) {
      // Pages fetched before the crawl was spread are known to all shards.
      const fresh = links.filter(({ url }) => !this.#seen.has(url as CanonicalUrl));
      if (fresh.length > 0) this.#draft(shard).pages.push({ ...sent(page), links: fresh, whole });
    }
  }

  /** Sends the target of a redirect to the shard that fetches it. */
  redirect(entry: SentEntry): void {
    if (this.#own !== undefined) this.#draft(this.#shardOf(entry.host, this.#own.shards)).redirects.push(entry);
  }

  /** Returns what leaves with the current record, by shard or {@link ALL_SHARDS}. */
  take(): ReadonlyMap<number, Parcel> {
    const leaving = this.#leaving;
    if (leaving.size > 0) this.#leaving = new Map();
    return leaving;
  }

  #draft(target: number): Draft {
    const known = this.#leaving.get(target);
    if (known !== undefined) return known;
    const draft: Draft = { pages: [], redirects: [], lessons: [] };
    this.#leaving.set(target, draft);
    return draft;
  }

  #shardOf(host: string, shards: number): number {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const shard = this.#partition(host, shards);
    this.#hosts.set(ownCopy(host), shard);
    return shard;
  }

  exchange(fields: Fields): void {
    this.#own = fields.value(this.#own);
  }
}

function sent({ sequence: _, links: __, whole: ___, entry, ...page }: JudgedPage): Omit<SentPage, 'links' | 'whole'> {
  return { ...page, entry: entry && sentEntry(entry) };
}

/** Returns what another shard needs of an entry. */
export function sentEntry({ tries: _, redirects: __, ...entry }: FrontierEntry): SentEntry {
  return entry;
}

/** Returns the entry that a shard received. */
export function receivedEntry(entry: SentEntry): FrontierEntry {
  return { ...entry, tries: 0, redirects: [] };
}

/** Returns the page that a shard received with a record. */
export function receivedPage({ entry, ...page }: SentPage, sequence: number): JudgedPage {
  return { ...page, sequence, entry: entry && receivedEntry(entry) };
}
