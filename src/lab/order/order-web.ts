import { stemsOf } from '../../analyze/index.ts';
import {
  type AnalyzedDocument,
  type CanonicalUrl,
  EMPTY_COUNTS,
  EMPTY_LINKS,
  unpackCounts,
  unpackLinks,
} from '../../core/index.ts';
import type { LinkGraph } from '../../graph/index.ts';
import { type AnalyzedWeb, linkGraph } from '../run/analyzed-web.ts';
import { reach } from '../tasks/relevance.ts';

/** Pages of a frozen web that can be reached from a start page, as a graph of numbers. The start page is 0. */
export interface OrderWeb extends LinkGraph {
  /** Addresses by page number, nearest to the start first. */
  readonly urls: readonly string[];
  /** Links of page i are the edges `starts[i] … starts[i + 1] − 1`, in document order, distinct, without loops. */
  readonly starts: Int32Array;
  /** 1 for edges with a word of the query in the anchor or the address. Length = number of edges. */
  readonly named: Uint8Array;
  /** Cosine of each page and the query, by tf·idf over these pages; all 0 without a query. */
  readonly similarity: Float64Array;
  /** Occurrences of words of the query on each page; infinite if one is in the title. */
  readonly words: Float64Array;
}

export interface OrderWebOptions {
  readonly start: CanonicalUrl;
  readonly query?: string | undefined;
  /** Only this many pages, nearest to the start first. Default: all. */
  readonly most?: number | undefined;
}

/** Redirects followed before a link is given up. */
const MAX_REDIRECTS = 5;
/** Pages with the shortest addresses, among which the default start is chosen. */
const START_CANDIDATES = 20;

/** Returns the graph of the pages that can be reached from a start page. */
export function orderWeb(analyzed: AnalyzedWeb, { start, query = '', most }: OrderWebOptions): OrderWeb {
  const reached = [...reach([pageOf(analyzed, start) ?? start], pageLinks(analyzed))].slice(0, most);
  const numbers = new Map(reached.map((url, i) => [url, i]));
  const stems = new Set(stemsOf(query));
  const edges = { sources: [] as number[], targets: [] as number[], named: [] as number[] };
  const starts = new Int32Array(reached.length + 1);
  for (const [i, url] of reached.entries()) {
    for (const [target, isNamed] of namedTargets(analyzed, url, stems)) {
      const to = numbers.get(target);
      if (to === undefined || to === i) continue;
      edges.sources.push(i);
      edges.targets.push(to);
      edges.named.push(isNamed ? 1 : 0);
    }
    starts[i + 1] = edges.sources.length;
  }
  const documents = reached.map((url) => documentOf(analyzed, url));
  return {
    ...{ size: reached.length, urls: reached, starts },
    sources: Int32Array.from(edges.sources),
    targets: Int32Array.from(edges.targets),
    named: Uint8Array.from(edges.named),
    similarity: similarities(documents, stems),
    words: Float64Array.from(documents, (document) => occurrences(document, stems)),
  };
}

/** Returns the page with a short address that reaches the most pages; `undefined` if the web has no page. */
export function defaultStart(analyzed: AnalyzedWeb): CanonicalUrl | undefined {
  const links = pageLinks(analyzed);
  const pages = [...analyzed.analyses].flatMap(([url, { kind }]) => (kind === 'analyzed' ? [url] : []));
  const short = pages.sort((a, b) => a.length - b.length).slice(0, START_CANDIDATES);
  const reached = short.map((url) => reach([url], links).size);
  return short[reached.indexOf(Math.max(...reached))];
}

/** Returns whether an address is a page of the web, or redirects to one. */
export function isPage(analyzed: AnalyzedWeb, url: CanonicalUrl): boolean {
  return pageOf(analyzed, url) !== undefined;
}

function documentOf({ analyses }: AnalyzedWeb, url: CanonicalUrl): AnalyzedDocument | undefined {
  const analysis = analyses.get(url);
  return analysis?.kind === 'analyzed' ? analysis.document : undefined;
}

/** Follows redirects to an analysed page. */
function pageOf(analyzed: AnalyzedWeb, url: CanonicalUrl): CanonicalUrl | undefined {
  const targets = linkGraph(analyzed);
  let at: CanonicalUrl | undefined = url;
  for (let hops = 0; at !== undefined && hops <= MAX_REDIRECTS; hops++) {
    if (analyzed.analyses.has(at)) return documentOf(analyzed, at) === undefined ? undefined : at;
    at = targets(at)[0];
  }
  return undefined;
}

/** Link targets of a page that are analysed pages. */
function pageLinks(analyzed: AnalyzedWeb): (url: CanonicalUrl) => readonly CanonicalUrl[] {
  return (url) => {
    const links = documentOf(analyzed, url)?.links ?? EMPTY_LINKS;
    if (links.size === 0) return [];
    return links.urls.split('\n').flatMap((target) => pageOf(analyzed, target as CanonicalUrl) ?? []);
  };
}

/** Returns the target pages of a page, and whether an anchor or the address of the link has a word of the query. */
function namedTargets(
  analyzed: AnalyzedWeb,
  url: CanonicalUrl,
  stems: ReadonlySet<string>,
): ReadonlyMap<CanonicalUrl, boolean> {
  const found = new Map<CanonicalUrl, boolean>();
  for (const link of unpackLinks(documentOf(analyzed, url)!.links)) {
    const target = pageOf(analyzed, link.url as CanonicalUrl);
    if (target === undefined) continue;
    const isNamed = stems.size > 0 && hasStem(`${link.anchor} ${link.url.replace(/[^\p{L}\p{N}]+/gu, ' ')}`, stems);
    found.set(target, isNamed || found.get(target) === true);
  }
  return found;
}

function hasStem(text: string, stems: ReadonlySet<string>): boolean {
  return stemsOf(text).some((stem) => stems.has(stem));
}

function occurrences(document: AnalyzedDocument | undefined, stems: ReadonlySet<string>): number {
  if (document === undefined || stems.size === 0) return 0;
  if (hasStem(document.title, stems)) return Number.POSITIVE_INFINITY;
  const counts = unpackCounts(document.features.terms ?? EMPTY_COUNTS);
  return counts.reduce((sum, [stem, count]) => sum + (stems.has(stem) ? count : 0), 0);
}

/** Cosine with weights (1 + ln count)·ln(1 + N/n), as in `bingo search`, but with idf on both sides (Cho 1998 §2). */
function similarities(documents: readonly (AnalyzedDocument | undefined)[], stems: ReadonlySet<string>): Float64Array {
  const scores = new Float64Array(documents.length);
  if (stems.size === 0) return scores;
  const bags = documents.map((document) => unpackCounts(document?.features.terms ?? EMPTY_COUNTS));
  const pagesWith = new Map<string, number>();
  for (const bag of bags) for (const [stem] of bag) pagesWith.set(stem, (pagesWith.get(stem) ?? 0) + 1);
  const idf = (stem: string): number => Math.log(1 + documents.length / (pagesWith.get(stem) ?? 1));
  const queryNorm = Math.hypot(...[...stems].map(idf));
  for (const [page, bag] of bags.entries()) {
    let [dot, square] = [0, 0];
    for (const [stem, count] of bag) {
      const weight = (1 + Math.log(count)) * idf(stem);
      square += weight * weight;
      if (stems.has(stem)) dot += weight * idf(stem);
    }
    scores[page] = square > 0 ? dot / (Math.sqrt(square) * queryNorm) : 0;
  }
  return scores;
}
