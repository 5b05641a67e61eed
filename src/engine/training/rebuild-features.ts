import { analyzeText } from '../../analyze/index.ts';
import {
  type AnalyzedDocument,
  baseSpaces,
  type Config,
  type DocumentFeatures,
  type FeatureSpace,
  linkedUrls,
  type PageRecord,
  type SpaceName,
} from '../../core/index.ts';
import { Surroundings, surroundedFeatures, UNLIMITED } from '../analysis/link-context.ts';
import { pageSpaces } from '../analysis/page-analyzer.ts';
import type { Journal } from '../ports.ts';

/** What the feature spaces of a stored page are built from. */
export interface RebuildOptions {
  readonly spaces: readonly SpaceName[];
  /**
   * `now`: everything in the store, including pages found later. `fetch`: only what was stored before the page, as
   * during the crawl. Default: `now`.
   */
  readonly asOf?: 'now' | 'fetch';
}

/** One stored page with its features in the requested spaces. */
export interface RebuiltPage {
  readonly sequence: number;
  readonly url: string;
  readonly features: DocumentFeatures;
}

/**
 * Stored documents with every feature space in the settings. A space that bingo.yaml did not name when a page was
 * fetched is built now: `pairs` from the stored text, `anchors` and `neighbours` from the whole store. The store is
 * read once for that, and only if some page lacks them.
 */
export class WholeDocuments {
  readonly #store: Pick<Journal, 'read' | 'documents'>;
  readonly #config: Pick<Config, 'analyze' | 'learn'>;
  #surrounding: Promise<ReadonlyMap<number, DocumentFeatures>> | undefined;

  constructor(store: Pick<Journal, 'read' | 'documents'>, config: Pick<Config, 'analyze' | 'learn'>) {
    this.#store = store;
    this.#config = config;
  }

  async documents(sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>> {
    const documents = await this.#store.documents(sequences);
    const whole = new Map<number, AnalyzedDocument>();
    for (const [sequence, document] of documents) {
      const { features } = withOwnSpaces(document, this.#config);
      const around = lacksSurroundings(features, this.#config.learn.spaces)
        ? (await this.#around()).get(sequence)
        : undefined;
      whole.set(sequence, { ...document, features: { ...around, ...features } });
    }
    return whole;
  }

  /** Returns `anchors` and `neighbours` of the pages that lack them. */
  #around(): Promise<ReadonlyMap<number, DocumentFeatures>> {
    this.#surrounding ??= this.#build();
    return this.#surrounding;
  }

  async #build(): Promise<ReadonlyMap<number, DocumentFeatures>> {
    const { spaces } = this.#config.learn;
    const built = new Map<number, DocumentFeatures>();
    for await (const { sequence, features } of rebuildFeatures(this.#store, { spaces })) {
      const { anchors, neighbours } = features;
      built.set(sequence, { ...(anchors && { anchors }), ...(neighbours && { neighbours }) });
    }
    return built;
  }
}

/** Has a value for each space that was built. */
type BuiltSpaces = Readonly<Partial<Record<FeatureSpace, unknown>>>;

/** True if a wanted space of a page's own words is missing. */
export function lacksOwnSpaces(features: BuiltSpaces, spaces: readonly SpaceName[]): boolean {
  return pageSpaces(spaces).some((space) => features[space] === undefined);
}

/** Returns a document with the spaces of its own words, if they are needed and were not stored. */
export function withOwnSpaces<T extends Pick<AnalyzedDocument, 'title' | 'text' | 'features'>>(
  document: T,
  { analyze, learn }: Pick<Config, 'analyze' | 'learn'>,
): T {
  const spaces = pageSpaces(learn.spaces).filter((space) => document.features[space] === undefined);
  if (spaces.length === 0) return document;
  const { features } = analyzeText(document.text, { ...analyze, spaces, title: document.title });
  return { ...document, features: { ...document.features, ...features } };
}

/** Spaces that other pages contribute to. */
const SURROUNDING: readonly FeatureSpace[] = ['anchors', 'neighbours'];

/** True if a wanted space is missing that other pages contribute to. */
export function lacksSurroundings(features: BuiltSpaces, spaces: readonly SpaceName[]): boolean {
  const wanted = baseSpaces(spaces);
  return SURROUNDING.some((space) => wanted.includes(space) && features[space] === undefined);
}

/** Documents read from the store per batch. */
const CHUNK = 500;

/**
 * Rebuilds the feature spaces of all stored pages, in fetch order: `anchors` and `neighbours` from the stored links
 * and the terms of the linked pages. The others stay as stored; one that was not stored is missing. With
 * `now` the store is read twice, first for the links. Memory: the anchors of all linked URLs, and 20 terms per page
 * if `neighbours` is requested.
 */
export async function* rebuildFeatures(
  store: Pick<Journal, 'read' | 'documents'>,
  { spaces, asOf = 'now' }: RebuildOptions,
): AsyncGenerator<RebuiltPage> {
  const surroundings = new Surroundings(spaces, { limits: UNLIMITED });
  const wanted = baseSpaces(spaces);
  if (asOf === 'now') for await (const pages of wholePages(store)) for (const page of pages) surroundings.note(page);
  for await (const pages of wholePages(store)) {
    for (const page of pages) {
      // During the crawl a page is classified before its links are followed: its successors are unknown.
      const links = asOf === 'now' ? linkedUrls(page.document.links, 0) : '';
      const context = surroundings.of([page.url, ...page.redirects, page.finalUrl], links);
      const features = surroundedFeatures(own(page.document, wanted), context, wanted);
      yield { sequence: page.sequence, url: page.finalUrl, features };
      if (asOf === 'fetch') surroundings.note(page);
    }
  }
}

function own({ features }: AnalyzedDocument, wanted: readonly FeatureSpace[]): DocumentFeatures {
  return Object.fromEntries(Object.entries(features).filter(([space]) => wanted.some((name) => name === space)));
}

/** Yields page records with their whole documents, in batches. */
async function* wholePages(store: Pick<Journal, 'read' | 'documents'>): AsyncGenerator<PageRecord[]> {
  for await (const records of store.read()) {
    const pages = records.filter((record) => record.kind === 'page');
    for (let at = 0; at < pages.length; at += CHUNK) {
      const part = pages.slice(at, at + CHUNK);
      const documents = await store.documents(part.map((page) => page.sequence));
      yield part.map((page) => ({ ...page, document: documents.get(page.sequence) ?? page.document }));
    }
  }
}
