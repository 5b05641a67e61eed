import { locationImportance } from '../../core/index.ts';
import { GrowingPageRank } from '../../graph/index.ts';
import { seededRandom } from '../../kit/index.ts';
import type { Measures } from './importance.ts';
import type { OrderWeb } from './order-web.ts';

/** Ordering metrics of Cho 1998 §4, §6, and location. `random` fetches any waiting page. */
export const BASE_ORDERINGS = ['breadth-first', 'random', 'backlink', 'pagerank', 'location'] as const;
type BaseOrdering = (typeof BASE_ORDERINGS)[number];

/**
 * Rules that put links into the `hot_queue`, which is served first (Cho 1998 §7). `hot`: a word of the query is in the
 * anchor or the address (Fig. 4). `near`: the same, or the link is fewer than three links from a hot page (Fig. 5).
 */
export const QUEUE_RULES = ['hot', 'near'] as const;
type QueueRule = (typeof QUEUE_RULES)[number];

export type VirtualOrdering = BaseOrdering | `${BaseOrdering}+${QueueRule}`;

/** Parses the name of an ordering; `undefined` if it is unknown. */
export function readOrdering(name: string): VirtualOrdering | undefined {
  const [base = '', rule, ...rest] = name.split('+');
  const isKnown = (BASE_ORDERINGS as readonly string[]).includes(base);
  const isRule = rule === undefined || (QUEUE_RULES as readonly string[]).includes(rule);
  return isKnown && isRule && rest.length === 0 ? (name as VirtualOrdering) : undefined;
}

export interface VirtualCrawlOptions {
  readonly ordering: VirtualOrdering;
  /** PageRank is computed again after this many pages. */
  readonly rankInterval: number;
  readonly seed: number;
  /** Pages are hot from this many occurrences of the query's words (see `OrderWeb.words`); for the rule `near`. */
  readonly words?: number | undefined;
}

/** Links from a hot page within which the rule `near` puts a link into the hot queue. */
const NEAR = 3;

/**
 * A crawler over a frozen web that fetches a page at a time, and knows only the links of pages that it has fetched
 * (Cho 1998 Fig. 1, 4, 5). The queue is scanned for each page, so that any metric may change at any time.
 */
export class VirtualCrawl {
  readonly #web: OrderWeb;
  readonly #options: VirtualCrawlOptions;
  readonly #base: BaseOrdering;
  readonly #rule: QueueRule | undefined;
  readonly #random: () => number;
  /** Found pages that wait, in the order of finding. */
  readonly #waiting: number[] = [];
  readonly #isFound: Uint8Array;
  readonly #isHot: Uint8Array;
  /** Links from the nearest known hot page. */
  readonly #distance: Uint8Array;
  readonly #backlinks: Int32Array;
  readonly #locations: Float64Array;
  readonly #growing: GrowingPageRank;
  /** Ranks as of the last computation that was due. */
  readonly #ranks: Float64Array;
  #fetched = 0;

  constructor(web: OrderWeb, options: VirtualCrawlOptions) {
    const { size } = web;
    const [base, rule] = options.ordering.split('+') as [BaseOrdering, QueueRule | undefined];
    this.#web = web;
    this.#options = options;
    this.#base = base;
    this.#rule = rule;
    this.#random = seededRandom(options.seed);
    this.#isFound = new Uint8Array(size);
    this.#isHot = new Uint8Array(size);
    this.#distance = new Uint8Array(size).fill(NEAR);
    this.#backlinks = new Int32Array(size);
    this.#locations = Float64Array.from(web.urls, locationImportance);
    this.#growing = new GrowingPageRank(size);
    this.#ranks = this.#growing.ranks.slice();
    this.#find(0, false);
  }

  /** Importance as this crawler can know it by now: its estimates IB', IR', and IL; IS of fetched pages. */
  get known(): Measures {
    return { is: this.#web.similarity, ib: this.#backlinks, ir: this.#ranks, il: this.#locations };
  }

  /** Fetches the next page. Returns its number; `undefined` if nothing waits. */
  next(): number | undefined {
    const at = this.#best();
    if (at < 0) return undefined;
    const page = this.#waiting.splice(at, 1)[0]!;
    this.#fetch(page);
    return page;
  }

  #fetch(page: number): void {
    const { starts, targets, named, words } = this.#web;
    if (words[page]! >= (this.#options.words ?? Number.POSITIVE_INFINITY)) this.#distance[page] = 0;
    for (let edge = starts[page]!; edge < starts[page + 1]!; edge++) {
      const target = targets[edge]!;
      this.#backlinks[target]! += 1;
      this.#distance[target] = Math.min(this.#distance[target]!, this.#distance[page]! + 1);
      if (this.#isFound[target] === 0) this.#find(target, this.#isForHotQueue(target, named[edge] === 1));
    }
    this.#growing.add(page, targets.subarray(starts[page]!, starts[page + 1]!));
    if (++this.#fetched % this.#options.rankInterval === 0) this.#ranks.set(this.#growing.ranks);
  }

  #isForHotQueue(page: number, isNamed: boolean): boolean {
    if (this.#rule === undefined) return false;
    return isNamed || (this.#rule === 'near' && this.#distance[page]! < NEAR);
  }

  #find(page: number, isHot: boolean): void {
    this.#isFound[page] = 1;
    this.#isHot[page] = isHot ? 1 : 0;
    this.#waiting.push(page);
  }

  /** Returns the index of the best waiting page: of the hot queue if it has any, of the greatest metric, found first. */
  #best(): number {
    let best = -1;
    let ties = 0;
    for (let i = 0; i < this.#waiting.length; i++) {
      const order = best < 0 ? 1 : this.#compare(this.#waiting[i]!, this.#waiting[best]!);
      if (order > 0) ties = 1;
      else if (order < 0 || this.#base !== 'random') continue;
      // Each of the equal pages is drawn with the same chance.
      else if (this.#random() * ++ties >= 1) continue;
      best = i;
    }
    return best;
  }

  #compare(a: number, b: number): number {
    return this.#isHot[a]! - this.#isHot[b]! || this.#metric(a) - this.#metric(b);
  }

  #metric(page: number): number {
    if (this.#base === 'backlink') return this.#backlinks[page]!;
    if (this.#base === 'pagerank') return this.#ranks[page]!;
    return this.#base === 'location' ? this.#locations[page]! : 0;
  }
}
