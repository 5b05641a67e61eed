import type { CanonicalUrl } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { JudgedPage, LinkOffer, Ordering } from '../ordering.ts';
import { type UrlKey, urlKey } from '../url-key.ts';
import { LiveEntries } from './live-entries.ts';

/** Share of a page's rank that it passes on through its links (Cho 1998 §6). */
const D = 0.9;

/**
 * Ranks are recomputed after the crawl has grown by this share and this minimum number of pages. That is our choice;
 * the paper does not say. If they are recomputed more often, new URLs get high ranks early and fewer relevant pages
 * are found.
 */
const GROWTH = 0.1;
const MIN_GROWTH = 100;

const TOLERANCE = 1e-6;
const MAX_ITERATIONS = 100;

/** A waiting or fetched URL. */
interface Node {
  rank: number;
  /** Rank during the computation. */
  next: number;
  /** The priority known to the frontier. */
  given: number;
  /** Number of links, including links to unknown nodes; 0 until fetched. */
  outDegree: number;
  /** Known nodes it links to; empty until fetched. */
  targets: Node[];
  isForgotten: boolean;
}

/**
 * PageRank over the pages seen so far (Cho 1998 §2, §6): IR(P) = (1 − d) + d·Σ IR(T)/c(T) over the fetched pages T
 * that link to P and have c(T) links. A fetched page without links counts as linking to every known URL. Between two
 * computations, a new URL has the lowest possible rank.
 */
export class PageRankOrdering implements Ordering {
  readonly name = 'pagerank';
  readonly focused = false;
  readonly #waiting = new LiveEntries<Node>((node) => {
    node.isForgotten = node.outDegree === 0 && node.targets.length === 0 && !this.#pages.has(node);
  });
  readonly #fetched = new Map<CanonicalUrl, Node>();
  readonly #pages = new Set<Node>();
  #current: { readonly page: JudgedPage; readonly node: Node; readonly linked: Set<Node> } | undefined;
  readonly #interval: number;
  #computeAt: number;

  /** @param interval pages between two computations (Cho 1998 §4: 100); 0 = as the crawl grows */
  constructor(interval = 0) {
    this.#interval = interval;
    this.#computeAt = interval > 0 ? interval : MIN_GROWTH;
  }

  judged(page: JudgedPage): void {
    const known = page.entry && this.#waiting.get(page.entry.url);
    const node = known ?? this.#fetched.get(page.url) ?? newNode();
    if (page.entry !== undefined) this.#fetched.set(page.entry.url, node);
    this.#fetched.set(page.url, node);
    this.#pages.add(node);
    const urls = new Set(page.links.map((link) => link.url as CanonicalUrl));
    node.outDegree = urls.size;
    node.targets = [];
    this.#current = { page, node, linked: new Set() };
    for (const url of urls) {
      const target = this.#fetched.get(url) ?? this.#waiting.get(url);
      if (target !== undefined) this.#link(target);
    }
  }

  priorityOf({ url, page }: LinkOffer): number {
    const node = this.#waiting.get(url) ?? newNode();
    this.#waiting.set(url, node);
    if (this.#current?.page === page) this.#link(node);
    node.given = node.rank;
    return node.rank;
  }

  /** Computes ranks if due: now all links of the last page are known. */
  *changes(): Generator<readonly [UrlKey, number]> {
    if (this.#pages.size < this.#computeAt) return;
    this.#compute();
    for (const [url, node] of this.#waiting.entries()) {
      if (node.rank === node.given) continue;
      node.given = node.rank;
      yield [urlKey(url), node.rank];
    }
  }

  gone(url: CanonicalUrl): void {
    this.#waiting.gone(url);
  }

  /** Adds a link from the current page to `target`. */
  #link(target: Node): void {
    const { node, linked } = this.#current!;
    if (target === node || linked.has(target)) return;
    linked.add(target);
    node.targets.push(target);
  }

  #compute(): void {
    for (const page of this.#pages) page.targets = page.targets.filter((target) => !target.isForgotten);
    for (let i = 0; i < MAX_ITERATIONS; i++) if (this.#iterate() < TOLERANCE) break;
    const growth = Math.max(MIN_GROWTH, Math.ceil(this.#pages.size * GROWTH));
    this.#computeAt = this.#pages.size + (this.#interval > 0 ? this.#interval : growth);
  }

  /** Runs one step of the power iteration. Returns the largest change. */
  #iterate(): number {
    const nodes = this.#allNodes();
    let loose = 0;
    for (const page of this.#pages) if (page.outDegree === 0) loose += page.rank;
    const base = 1 - D + (D * loose) / nodes.size;
    for (const node of nodes) node.next = base;
    for (const page of this.#pages) {
      const share = (D * page.rank) / page.outDegree;
      for (const target of page.targets) target.next += share;
    }
    let change = 0;
    for (const node of nodes) {
      change = Math.max(change, Math.abs(node.next - node.rank));
      node.rank = node.next;
    }
    return change;
  }

  /** Returns all nodes that are still reachable. */
  #everyNode(): Set<Node> {
    const nodes = new Set([...this.#waiting.all(), ...this.#fetched.values(), ...this.#pages]);
    for (const { targets } of this.#pages) for (const target of targets) nodes.add(target);
    return nodes;
  }

  #allNodes(): Set<Node> {
    const nodes = new Set(this.#pages);
    for (const [, node] of this.#waiting.entries()) nodes.add(node);
    return nodes;
  }

  exchange(fields: Fields): void {
    const nodes = fields.isLoading ? [] : [...this.#everyNode()];
    fields.list(nodes, {
      pack: ({ targets: _, ...plain }) => plain,
      unpack: (plain): Node => ({ ...plain, targets: [] }),
    });
    const numbers = new Map(nodes.map((node, i) => [node, i]));
    const form = { pack: (node: Node) => numbers.get(node)!, unpack: (i: number) => nodes[i]! };
    this.#waiting.exchange(fields, form);
    fields.map(this.#fetched, form);
    const pages = [...this.#pages];
    fields.list(pages, form);
    for (const page of pages) this.#pages.add(page);
    const targets = nodes.map((node) => node.targets);
    fields.list(targets, { pack: (all) => all.map(form.pack), unpack: (all) => all.map(form.unpack) });
    nodes.forEach((node, i) => {
      node.targets = targets[i]!;
    });
    this.#current = undefined; // All of its links have been offered.
    this.#computeAt = fields.value(this.#computeAt);
  }
}

function newNode(): Node {
  return { rank: 1 - D, next: 0, given: Number.NaN, outDegree: 0, targets: [], isForgotten: false };
}
