import { type CanonicalUrl, type Config, hostOf, KEPT_SCORES, type LinkScore, type TopicId } from '../../core/index.ts';
import { urlKey } from '../../crawl/index.ts';
import { type DistillationGraph, distilling } from '../../graph/index.ts';
import { freeBytes, GROWTH, grown, HashSlots, type Turns } from '../../kit/index.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import type { TopicPage } from '../state/topic-pages.ts';

/** Result of the link analysis of one topic. */
export interface Distilled {
  readonly topic: TopicId;
  /** Authority score of fetched pages by URL. */
  readonly authorities: ReadonlyMap<string, number>;
  /** Number of other accepted pages of the topic that link to an accepted page, by its URL. Absent: none. */
  readonly citations: ReadonlyMap<string, number>;
  /** Best hubs and authorities, for the record. */
  readonly scores: readonly LinkScore[];
  /** Unvisited links of the best hubs, best hub first. */
  readonly unvisited: readonly { readonly url: CanonicalUrl; readonly topic: TopicId; readonly from: string }[];
}

/**
 * Maximum number of unvisited links per hub that move to the front; our choice, so that one long list does not fill
 * it.
 */
const KEPT_LINKS = 50;

/**
 * Distils one topic (BINGO! §2.5, docs/methods.md#hubs-and-authorities): its accepted pages, their successors and
 * known predecessors, weighted by relevance, and those of `crawl.backlinks` that are not fetched. Aliases count as the
 * page they lead to. The crawl may run on between two pages.
 */
export async function distillTopic(
  topic: TopicId,
  state: CrawlState,
  config: Config['distill'],
  turns: Turns,
): Promise<Distilled> {
  const pages = state.kept.topics.get(topic)?.best() ?? [];
  const base = new BaseSet(state);
  for (const page of pages) base.addPage(page);
  const before = base.size;
  for (const page of pages) {
    base.addSuccessors(page);
    if (turns.isOver) await turns.come();
  }
  const predecessors = state.kept.predecessors.best(config.maxPredecessors);
  for (const page of predecessors) {
    base.addPredecessor(page);
    if (turns.isOver) await turns.come();
  }
  base.addUnfetched(await unfetchedPredecessors({ pages, state, most: config.maxPredecessors }, turns));
  const { hubs, authorities } = await turns.through(distilling(base.graph(before), config));
  const open = state.tree.nodes.get(topic)?.follow === false ? [] : pages;
  const named = [...base.urls].map(([i, url]) => ({ url, topic, hub: hubs[i] ?? 0, authority: authorities[i] ?? 0 }));
  const found = {
    topic,
    citations: base.citations(before),
    authorities: new Map(named.filter((n) => n.authority > 0).map((n) => [n.url, n.authority])),
    scores: bestScores(named),
    unvisited: unvisitedLinks(topic, bestHubs([...open, ...predecessors], base, hubs, config.hubs), state),
  };
  freeBytes(hubs, authorities);
  base.free();
  return found;
}

/**
 * Returns the accepted pages that each page outside links to, by its URL: as many pages outside as predecessors may be
 * used, those of the best pages first.
 */
async function unfetchedPredecessors(
  { pages, state, most }: { readonly pages: readonly TopicPage[]; readonly state: CrawlState; readonly most: number },
  turns: Turns,
): Promise<ReadonlyMap<string, readonly TopicPage[]>> {
  const cited = new Map<string, TopicPage[]>();
  for (const page of pages) {
    for (const url of state.unfetchedBacklinks(page.url)) {
      const known = cited.get(url);
      if (known !== undefined) known.push(page);
      else if (cited.size < most) cited.set(url, [page]);
    }
    if (turns.isOver) await turns.come();
  }
  return cited;
}

const FIRST_CAPACITY = 1 << 12;

/** Numbers the nodes of a base set and collects its edges. */
class BaseSet {
  readonly #state: CrawlState;
  /**
   * Nodes of fetched pages by page, and of other URLs by URL: these are ten times as many, and only their links
   * matter.
   */
  readonly #pages = new Map<number, number>();
  readonly #others = new HashSlots();
  readonly #hosts = new Map<string, number>();
  /**
   * Relevance per node, and the ends of each edge. As lists on the heap they would leave many megabytes of garbage
   * per topic.
   */
  #relevance = new Float64Array(FIRST_CAPACITY);
  #hostOf = new Int32Array(FIRST_CAPACITY);
  #size = 0;
  #sources = new Int32Array(FIRST_CAPACITY);
  #targets = new Int32Array(FIRST_CAPACITY);
  #links = 0;
  /** URLs of the added pages, by node. */
  readonly urls: Map<number, string> = new Map();

  constructor(state: CrawlState) {
    this.#state = state;
  }

  get size(): number {
    return this.#size;
  }

  addPage({ url, sequence, relevance }: TopicPage): number {
    const node = this.#node(url, sequence);
    this.urls.set(node, url);
    this.#relevance[node] = relevance;
    return node;
  }

  addSuccessors(page: TopicPage): void {
    const from = this.#node(page.url, page.sequence);
    for (const url of split(page.links)) this.#link(from, this.#node(url, this.#state.seen.pageOf(url) ?? 0));
  }

  /** Adds a page that was not accepted if it links to a node. */
  addPredecessor(page: TopicPage): void {
    const targets = split(page.links).flatMap((url) => this.nodeOf(url) ?? []);
    if (targets.length === 0) return;
    const from = this.addPage(page);
    for (const to of targets) this.#link(from, to);
  }

  /**
   * Adds pages that are not fetched, each with the mean relevance of the accepted pages that it links to. They get hub
   * scores, which are not recorded.
   */
  addUnfetched(predecessors: ReadonlyMap<string, readonly TopicPage[]>): void {
    for (const [url, cited] of predecessors) {
      const from = this.#node(url, 0);
      this.#relevance[from] = cited.reduce((sum, { relevance }) => sum + relevance, 0) / cited.length;
      for (const page of cited) this.#link(from, this.#node(page.url, page.sequence));
    }
  }

  /** Returns the node of a URL, or of the page it is an alias of. */
  nodeOf(url: string): number | undefined {
    const page = this.#state.seen.pageOf(url) ?? 0;
    return page > 0 ? this.#pages.get(page) : this.#others.find(urlKey(url));
  }

  /** Counts the links to each of the first nodes from the others of them. */
  citations(positives: number): Map<string, number> {
    const citations = new Map<string, number>();
    for (let link = 0; link < this.#links; link++) {
      const to = this.#targets[link]!;
      if (to >= positives || this.#sources[link]! >= positives) continue;
      const url = this.urls.get(to)!;
      citations.set(url, (citations.get(url) ?? 0) + 1);
    }
    return citations;
  }

  /** Builds the graph, valid until it is freed. */
  graph(positives: number): DistillationGraph {
    return {
      size: this.size,
      sources: this.#sources.subarray(0, this.#links),
      targets: this.#targets.subarray(0, this.#links),
      hosts: this.#hostOf.subarray(0, this.size),
      relevance: this.#relevance.subarray(0, this.size),
      positive: new Uint8Array(this.size).fill(1, 0, positives),
    };
  }

  free(): void {
    freeBytes(this.#relevance, this.#hostOf, this.#sources, this.#targets);
    this.#others.free();
  }

  #node(url: string, page: number): number {
    const known = page > 0 ? this.#pages.get(page) : this.#others.find(urlKey(url));
    if (known !== undefined) return known;
    if (this.#size === this.#hostOf.length) this.#growNodes();
    const node = this.#size++;
    this.#hostOf[node] = this.#hostNumber(hostOf(url as CanonicalUrl));
    if (page > 0) this.#pages.set(page, node);
    else this.#others.set(urlKey(url), node);
    return node;
  }

  #link(from: number, to: number): void {
    if (to === from) return;
    if (this.#links === this.#sources.length) this.#growLinks();
    this.#sources[this.#links] = from;
    this.#targets[this.#links++] = to;
  }

  #growNodes(): void {
    const capacity = Math.ceil(this.#size * GROWTH);
    this.#relevance = grown(this.#relevance, new Float64Array(capacity));
    this.#hostOf = grown(this.#hostOf, new Int32Array(capacity));
  }

  #growLinks(): void {
    const capacity = Math.ceil(this.#links * GROWTH);
    this.#sources = grown(this.#sources, new Int32Array(capacity));
    this.#targets = grown(this.#targets, new Int32Array(capacity));
  }

  #hostNumber(host: string): number {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    this.#hosts.set(host, this.#hosts.size);
    return this.#hosts.size - 1;
  }
}

function bestScores(named: readonly LinkScore[]): LinkScore[] {
  const top = (by: (score: LinkScore) => number): LinkScore[] =>
    named
      .filter((score) => by(score) > 0)
      .sort((a, b) => by(b) - by(a) || (a.url < b.url ? -1 : 1))
      .slice(0, KEPT_SCORES);
  return [...new Set([...top((s) => s.authority), ...top((s) => s.hub)])];
}

/** Returns the best hubs. A list of links may be off topic itself. */
function bestHubs(pages: readonly TopicPage[], base: BaseSet, hubs: Float64Array, n: number): TopicPage[] {
  return pages
    .map((page) => ({ page, score: hubs[base.nodeOf(page.url) ?? -1] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.page.sequence - b.page.sequence)
    .slice(0, n)
    .map(({ page }) => page);
}

function unvisitedLinks(topic: TopicId, hubs: readonly TopicPage[], state: CrawlState): Distilled['unvisited'] {
  const found = new Map<string, { readonly url: CanonicalUrl; readonly topic: TopicId; readonly from: string }>();
  for (const hub of hubs) {
    const links = split(hub.links).filter((url) => !state.seen.has(url) && !found.has(url));
    for (const url of links.slice(0, KEPT_LINKS)) found.set(url, { url: url as CanonicalUrl, topic, from: hub.url });
  }
  return [...found.values()];
}

function split(links: string): string[] {
  return links === '' ? [] : links.split('\n');
}
