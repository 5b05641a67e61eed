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

/** How much is kept. All > 0; of what is too much the oldest goes first. */
export interface SurroundingsLimits {
  /** URLs that links point to. */
  readonly targets: number;
  /** Anchors of one URL: the first ones that were found. */
  readonly anchors: number;
  /** Predecessors of one URL, and successors of one page. */
  readonly neighbours: number;
  /** Pages whose strongest terms are at hand. */
  readonly recent: number;
}

/** Some 30 MB when full: 100,000 URLs wait in four topics' queues. */
const LIMITS: SurroundingsLimits = Object.freeze({ targets: 100_000, anchors: 10, neighbours: 10, recent: 5_000 });

/** No limits but those of one page: all that a store knows. */
export const UNLIMITED: SurroundingsLimits = Object.freeze({
  ...LIMITS,
  targets: Number.POSITIVE_INFINITY,
  recent: Number.POSITIVE_INFINITY,
});

/** Longer anchors are cut, as in the store's table of links. */
const MAX_ANCHOR_CHARS = 200;

/** What is known of a URL from the pages that link to it. */
interface Target {
  /** Each in one string with the language of its page, see {@link keptAnchor}. */
  readonly anchors: string[];
  /** Hashes of their URLs. */
  readonly from: number[];
}

/** A page whose links are noted. */
interface LinkingPage {
  /** Hash of its URL. */
  readonly page: number;
  readonly language: string;
}

/** A page's strongest terms; absent after a resume, until they are loaded. */
interface RecentPage {
  readonly sequence: number;
  terms: TermCounts | undefined;
}

/**
 * What pages say of each other: the anchors of the links that point to a URL, and the strongest terms of the pages around
 * it (BINGO! §3.4). A fold over page records, like the state of the crawl that holds it. Keeps nothing when no feature
 * space needs it.
 */
export class Surroundings {
  readonly #limits: SurroundingsLimits;
  readonly #wants: ReadonlySet<FeatureSpace>;
  readonly #targets = new Map<number, Target>();
  /** Training pages: their links are gathered as long as the crawl runs. */
  readonly #kept: Map<number, Target>;
  readonly #recent = new Map<number, RecentPage>();

  /** @param kept URLs that are never forgotten */
  constructor(
    spaces: readonly SpaceName[],
    options: { readonly kept?: Iterable<string>; readonly limits?: SurroundingsLimits } = {},
  ) {
    this.#limits = options.limits ?? LIMITS;
    this.#wants = new Set(baseSpaces(spaces).filter((space) => space === 'anchors' || space === 'neighbours'));
    this.#kept = new Map([...(options.kept ?? [])].map((url) => [hash53(url), { anchors: [], from: [] }]));
  }

  /** True when some feature space is built from other pages. */
  get isNeeded(): boolean {
    return this.#wants.size > 0;
  }

  /** Takes in a page: its links, and its strongest terms. */
  note({ sequence, finalUrl, document }: Pick<PageRecord, 'sequence' | 'finalUrl' | 'document'>): void {
    if (!this.isNeeded) return;
    const page = hash53(finalUrl);
    if (!document.nofollow) this.#noteLinks({ page, language: document.language }, document.links);
    if (!this.#wants.has('neighbours')) return;
    this.#recent.set(page, { sequence, terms: strongest(document) });
    if (this.#recent.size > this.#limits.recent) forgetOldest(this.#recent);
  }

  /**
   * What is known now of a page.
   * @param urls all URLs that lead to it
   * @param links URLs it links to, joined by `\n`, where they are known
   * @returns `undefined` when no feature space wants it
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

  /** Pages whose terms are not at hand: a resumed crawl reads records without them. */
  missing(): number[] {
    return [...this.#recent.values()].flatMap(({ sequence, terms }) => (terms === undefined ? [sequence] : []));
  }

  /** Brings the terms of {@link missing} pages. */
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
    // Terms are read from the store again.
    fields.map(this.#recent, {
      pack: ({ sequence }) => sequence,
      unpack: (sequence): RecentPage => ({ sequence, terms: undefined }),
    });
  }
}

/** A page's features with those that its surroundings give, where they are wanted. */
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

/** What {@link Surroundings} reads of a document's features. */
export function featuresNoted(document: AnalyzedDocument, wanted: readonly FeatureSpace[]): DocumentFeatures {
  const terms = wanted.includes('neighbours') ? strongest(document) : undefined;
  return terms === undefined ? {} : { terms };
}

/** Language and text of an anchor: an object for each would take as much again. */
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
