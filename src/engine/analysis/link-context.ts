import { anchorFeatures, neighbourFeatures, type PointingAnchor, strongestTerms } from '../../analyze/index.ts';
import {
  type AnalyzedDocument,
  baseSpaces,
  type DocumentFeatures,
  EMPTY_COUNTS,
  type FeatureSpace,
  LINK_FLAG,
  type LinkTable,
  type PageRecord,
  type SpaceName,
  type TermCounts,
} from '../../core/index.ts';
import { type Fields, hash53, ownCopy } from '../../kit/index.ts';
import type { PageContext } from '../ports.ts';

/** Upper limits, all > 0. If a limit is reached, the oldest entries are dropped. */
export interface SurroundingsLimits {
  /** URLs that links point to. */
  readonly targets: number;
  /** Anchors kept per URL: the first ones found. */
  readonly anchors: number;
  /** Predecessors per URL, and successors per page. */
  readonly neighbours: number;
  /** Pages whose strongest terms are in memory. */
  readonly recent: number;
}

/** About 30 MB when full: the queues of four topics hold 100,000 URLs. */
const LIMITS: SurroundingsLimits = Object.freeze({ targets: 100_000, anchors: 10, neighbours: 10, recent: 5_000 });

/** Limits only per page: for everything in a store. */
export const UNLIMITED: SurroundingsLimits = Object.freeze({
  ...LIMITS,
  targets: Number.POSITIVE_INFINITY,
  recent: Number.POSITIVE_INFINITY,
});

/** Longer anchors are cut, as in the store's table of links. */
const MAX_ANCHOR_CHARS = 200;

/** What the linking pages reveal about a URL. */
interface Target {
  /** Each is one string with the language of its page, see {@link keptAnchor}. */
  readonly anchors: string[];
  /** URL hashes of the linking pages. */
  readonly from: number[];
}

/** A page whose links are recorded. */
interface LinkingPage {
  /** URL hash of the page. */
  readonly page: number;
  readonly language: string;
}

/** A page's strongest terms; missing after a resume until they are loaded. */
interface RecentPage {
  readonly sequence: number;
  terms: TermCounts | undefined;
}

/**
 * What pages reveal about each other: anchors of the links to a URL, and the strongest terms of its neighbour pages
 * (BINGO! §3.4). A fold over page records, like the crawl state that holds it. Stores nothing if no feature space
 * needs it.
 */
export class Surroundings {
  readonly #limits: SurroundingsLimits;
  readonly #wants: ReadonlySet<FeatureSpace>;
  readonly #targets = new Map<number, Target>();
  /** Training pages: their links are collected throughout the crawl. */
  readonly #kept: Map<number, Target>;
  readonly #recent = new Map<number, RecentPage>();

  /** @param kept URLs that are never dropped */
  constructor(
    spaces: readonly SpaceName[],
    options: { readonly kept?: Iterable<string>; readonly limits?: SurroundingsLimits } = {},
  ) {
    this.#limits = options.limits ?? LIMITS;
    this.#wants = new Set(baseSpaces(spaces).filter((space) => space === 'anchors' || space === 'neighbours'));
    this.#kept = new Map([...(options.kept ?? [])].map((url) => [hash53(url), { anchors: [], from: [] }]));
  }

  /** True if a feature space is built from other pages. */
  get isNeeded(): boolean {
    return this.#wants.size > 0;
  }

  /** Adds a page: its links and its strongest terms. */
  note({ sequence, finalUrl, document }: Pick<PageRecord, 'sequence' | 'finalUrl' | 'document'>): void {
    if (!this.isNeeded) return;
    const page = hash53(finalUrl);
    if (!document.nofollow) this.#noteLinks({ page, language: document.language }, document.links);
    if (!this.#wants.has('neighbours')) return;
    this.#recent.set(page, { sequence, terms: strongest(document) });
    if (this.#recent.size > this.#limits.recent) forgetOldest(this.#recent);
  }

  /**
   * Returns what is now known about a page; `undefined` if no feature space needs it.
   * @param urls all URLs that lead to it
   * @param links URLs it links to, joined by `\n`, if known
   */
  of(urls: readonly string[], links = ''): PageContext | undefined {
    if (!this.isNeeded) return undefined;
    const targets = [...new Set(urls)].flatMap((url) => this.#target(hash53(url)) ?? []);
    const kept = targets.flatMap((target) => target.anchors).slice(0, this.#limits.anchors);
    const anchors = kept.map(pointingAnchor);
    if (!this.#wants.has('neighbours')) return { anchors };
    const before = targets.flatMap((target) => target.from).slice(0, this.#limits.neighbours);
    const after = links === '' ? [] : links.split('\n').map((url) => hash53(url));
    const bags = [...this.#terms(before), ...this.#terms(after).slice(0, this.#limits.neighbours)];
    return { anchors, neighbours: neighbourFeatures(bags) };
  }

  /** Returns pages whose terms are not in memory: a resumed crawl reads records without terms. */
  missing(): number[] {
    return [...this.#recent.values()].flatMap(({ sequence, terms }) => (terms === undefined ? [sequence] : []));
  }

  /** Sets the terms of {@link missing} pages. */
  fill(documents: ReadonlyMap<number, AnalyzedDocument>): void {
    for (const page of this.#recent.values()) {
      const document = documents.get(page.sequence);
      if (document !== undefined) page.terms = strongest(document) ?? EMPTY_COUNTS;
    }
  }

  #noteLinks(from: LinkingPage, links: LinkTable): void {
    if (links.size === 0) return;
    const anchors = links.anchors.split('\n');
    links.urls.split('\n').forEach((url, i) => {
      if (((links.flags[i] ?? 0) & LINK_FLAG.nofollow) === 0) this.#noteLink(from, url, anchors[i] ?? '');
    });
  }

  #noteLink({ page, language }: LinkingPage, url: string, anchor: string): void {
    const key = hash53(url);
    let target = this.#target(key);
    if (target === undefined) {
      target = { anchors: [], from: [] };
      this.#targets.set(key, target);
      if (this.#targets.size > this.#limits.targets) forgetOldest(this.#targets);
    }
    const { anchors, from } = target;
    if (anchor !== '' && anchors.length < this.#limits.anchors) anchors.push(keptAnchor(anchor, language));
    if (from.length < this.#limits.neighbours && !from.includes(page)) from.push(page);
  }

  #target(key: number): Target | undefined {
    return this.#kept.get(key) ?? this.#targets.get(key);
  }

  #terms(pages: readonly number[]): TermCounts[] {
    return [...new Set(pages)].flatMap((page) => this.#recent.get(page)?.terms ?? []);
  }

  exchange(fields: Fields): void {
    fields.map(this.#targets);
    fields.map(this.#kept);
    // Terms are loaded from the store again.
    fields.map(this.#recent, {
      pack: ({ sequence }) => sequence,
      unpack: (sequence): RecentPage => ({ sequence, terms: undefined }),
    });
  }
}

/** Returns a page's features, plus those from its surroundings if a space needs them. */
export function surroundedFeatures(
  own: DocumentFeatures,
  context: PageContext | undefined,
  wanted: readonly FeatureSpace[],
): DocumentFeatures {
  return {
    ...own,
    ...(wanted.includes('anchors') ? { anchors: anchorFeatures(context?.anchors ?? []) } : {}),
    ...(wanted.includes('neighbours') ? { neighbours: context?.neighbours ?? EMPTY_COUNTS } : {}),
  };
}

/** Returns what {@link Surroundings} reads of a document's features. */
export function featuresNoted(document: AnalyzedDocument, wanted: readonly FeatureSpace[]): DocumentFeatures {
  const terms = wanted.includes('neighbours') ? strongest(document) : undefined;
  return terms === undefined ? {} : { terms };
}

/** Joins the language and text of an anchor: one object per anchor would double the memory. */
function keptAnchor(text: string, language: string): string {
  return ownCopy(`${language} ${text.slice(0, MAX_ANCHOR_CHARS)}`);
}

function pointingAnchor(kept: string): PointingAnchor {
  const space = kept.indexOf(' ');
  return { language: kept.slice(0, space), text: kept.slice(space + 1) };
}

function strongest({ features }: AnalyzedDocument): TermCounts | undefined {
  const { terms } = features;
  return terms === undefined || terms.counts.length === 0 ? undefined : strongestTerms(terms);
}

function forgetOldest(map: Map<number, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
