import type { CanonicalUrl } from '../../core/index.ts';
import { type Fields, type Form, LruMap, ownCopy } from '../../kit/index.ts';
import type { JudgedPage, LinkOffer, Ordering } from '../ordering.ts';
import { type UrlKey, urlKey } from '../url-key.ts';
import { LiveEntries } from './live-entries.ts';

/** Weight of a page's own confidence in its record as a hub, in pages. */
const OWN_WEIGHT = 5;
/** Bounds of a page's contribution, so that no outlier decides about a hub. On the calibrated scale. */
const LEAST = -1;
const MOST = 3;
/** Bonus for links of the best hubs of a training round. */
const ROUND_BOOST = 0.1;
/** Maximum number of pages remembered per link; our choice. */
const MAX_PARENTS = 12;
/**
 * Maximum number of recent pages kept as possible hubs, and of those whose confidence a hub may still receive. About
 * 60 MB.
 */
const MAX_HUBS = 100_000;
const MAX_KNOWN = 200_000;
/** Waiting links are rescored after this many pages. */
const RESCORE_EVERY = 5;

/** A fetched page and the outcome of its links. */
interface Hub {
  readonly own: number;
  /** Sum of the confidence of the fetched pages it links to, and their number. */
  sum: number;
  count: number;
  isBest: boolean;
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly url: CanonicalUrl;
  readonly parents: Hub[];
  /** The priority known to the frontier. */
  given: number;
}

/**
 * Puts links of good hubs first (Focused crawling §3.2). A page's score starts as its own confidence, as in
 * `confidence`. The more pages behind it are fetched, the more their confidence replaces its own. So a bare list of
 * good links rises after a few fetches, and a good page with useless links falls. A link has the score of the best
 * page that has it. The best hubs of a training round get a small bonus.
 */
export class HubBoostedOrdering implements Ordering {
  readonly name = 'hub-boosted';
  readonly focused = false;
  readonly #entries = new LiveEntries<Waiting>();
  readonly #hubs = new LruMap<CanonicalUrl, Hub>(MAX_HUBS);
  /** Confidence of fetched pages. */
  readonly #known = new LruMap<CanonicalUrl, number>(MAX_KNOWN);
  readonly #changed = new Set<Hub>();
  #best: readonly Hub[] = [];
  #current: Hub | undefined;
  #judged = 0;

  judged(page: JudgedPage): void {
    this.#judged++;
    const own = bestConfidence(page);
    const counted = Math.min(MOST, Math.max(LEAST, own));
    const parents = page.entry === undefined ? [] : (this.#entries.get(page.entry.url)?.parents ?? []);
    for (const hub of parents) this.#learn(hub, counted);
    const hub: Hub = { own, sum: 0, count: 0, isBest: false, waiting: new Set() };
    this.#hubs.set(page.url, hub);
    this.#current = hub;
    for (const url of new Set(page.links.map((link) => link.url as CanonicalUrl))) {
      const known = this.#known.peek(url);
      if (known === undefined) continue;
      hub.sum += known;
      hub.count++;
    }
    this.#known.set(page.url, counted);
    if (page.entry !== undefined) this.#known.set(page.entry.url, counted);
  }

  priorityOf({ url }: LinkOffer): number {
    const hub = this.#current!;
    let waiting = this.#entries.get(url);
    if (waiting === undefined)
      waiting = { url: ownCopy(url) as CanonicalUrl, parents: [], given: Number.NEGATIVE_INFINITY };
    this.#entries.set(url, waiting);
    if (!hub.waiting.has(waiting) && waiting.parents.length < MAX_PARENTS) {
      waiting.parents.push(hub);
      hub.waiting.add(waiting);
    }
    waiting.given = promiseOf(waiting);
    return waiting.given;
  }

  *changes(): Generator<readonly [UrlKey, number]> {
    if (this.#judged % RESCORE_EVERY !== 0) return;
    const moved = new Set<Waiting>();
    for (const hub of this.#changed) for (const waiting of hub.waiting) moved.add(waiting);
    this.#changed.clear();
    for (const waiting of moved) {
      const priority = promiseOf(waiting);
      if (priority === waiting.given) continue;
      waiting.given = priority;
      yield [urlKey(waiting.url), priority];
    }
  }

  gone(url: CanonicalUrl): void {
    for (const hub of this.#entries.get(url)?.parents ?? []) hub.waiting.delete(this.#entries.get(url)!);
    this.#entries.gone(url);
  }

  hubsFound(urls: ReadonlySet<CanonicalUrl>): void {
    for (const hub of this.#best) this.#mark(hub, false);
    this.#best = [...urls].flatMap((url) => this.#hubs.peek(url) ?? []);
    for (const hub of this.#best) this.#mark(hub, true);
  }

  #everyHub(entries: readonly Waiting[]): Set<Hub> {
    return new Set([
      ...this.#hubs.values(),
      ...this.#changed,
      ...this.#best,
      ...entries.flatMap(({ parents }) => parents),
    ]);
  }

  #mark(hub: Hub, isBest: boolean): void {
    hub.isBest = isBest;
    this.#changed.add(hub);
  }

  #learn(hub: Hub, confidence: number): void {
    hub.sum += confidence;
    hub.count++;
    this.#changed.add(hub);
  }

  exchange(fields: Fields): void {
    const entries = fields.isLoading ? [] : [...this.#entries.all()];
    fields.list(entries, {
      pack: ({ url, given }) => ({ url, given }),
      unpack: (plain): Waiting => ({ ...plain, parents: [] }),
    });
    const hubs = fields.isLoading ? [] : [...this.#everyHub(entries)];
    fields.list(hubs, {
      pack: ({ waiting: _, ...plain }) => plain,
      unpack: (plain): Hub => ({ ...plain, waiting: new Set() }),
    });
    const ofEntries = numbered(entries);
    const ofHubs = numbered(hubs);
    this.#entries.exchange(fields, ofEntries);
    this.#hubs.exchange(fields, ofHubs);
    this.#known.exchange(fields);
    for (const { parents } of entries) fields.list(parents, ofHubs);
    for (const hub of hubs) {
      const waiting = [...hub.waiting];
      fields.list(waiting, ofEntries);
      for (const entry of waiting) hub.waiting.add(entry);
    }
    const changed = [...this.#changed];
    fields.list(changed, ofHubs);
    for (const hub of changed) this.#changed.add(hub);
    const best = [...this.#best];
    fields.list(best, ofHubs);
    this.#best = best;
    this.#current = undefined; // All of its links have been offered.
    this.#judged = fields.value(this.#judged);
  }
}

/** Stores shared values as numbers, because many entries refer to one value. */
function numbered<T>(all: readonly T[]): Form<T, number> {
  const numbers = new Map(all.map((each, i) => [each, i]));
  return { pack: (each) => numbers.get(each)!, unpack: (i) => all[i]! };
}

/** Returns the score of the best page that has the link. */
function promiseOf({ parents }: Waiting): number {
  let best = Number.NEGATIVE_INFINITY;
  for (const { own, sum, count, isBest } of parents) {
    const promise = (OWN_WEIGHT * own + sum) / (OWN_WEIGHT + count);
    best = Math.max(best, isBest ? promise + ROUND_BOOST : promise);
  }
  return best;
}

function bestConfidence({ assignment }: JudgedPage): number {
  let best = Number.NEGATIVE_INFINITY;
  for (const { calibrated } of assignment.scores) best = Math.max(best, calibrated);
  return best === Number.NEGATIVE_INFINITY ? 0 : best;
}
