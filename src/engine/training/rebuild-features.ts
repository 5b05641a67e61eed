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
import { Surroundings, surroundedFeatures, UNLIMITED } from '../analysis/surroundings.ts';
import type { Journal } from '../ports.ts';

/** What the feature spaces of a stored page are built from. */
export interface RebuildOptions {
  readonly spaces: readonly SpaceName[];
  /**
   * `now`: all that the store knows, pages found later included. `fetch`: what had been stored before the page, as the crawl
   * knew it. Default: `now`.
   */
  readonly asOf?: 'now' | 'fetch';
}

/** One stored page with its features in the spaces asked for. */
export interface RebuiltPage {
  readonly sequence: number;
  readonly url: string;
  readonly features: DocumentFeatures;
}

/**
 * Stored documents with every feature space that the settings name. A space that bingo.yaml did not name when a page was fetched is
 * built now: `pairs` out of the stored text, `anchors` and `neighbours` out of all that the store knows, for which it is read through once,
 * and only when a page lacks them.
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
      const { features } = withPairs(document, this.#config);
      const around = lacks(features, this.#config.learn.spaces) ? (await this.#around()).get(sequence) : undefined;
      whole.set(sequence, { ...document, features: { ...around, ...features } });
    }
    return whole;
  }

  /** `anchors` and `neighbours` of the pages that lack them. */
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

/** A document with its pairs, where they are wanted and were not when it was stored. */
export function withPairs(
  document: AnalyzedDocument,
  { analyze, learn }: Pick<Config, 'analyze' | 'learn'>,
): AnalyzedDocument {
  if (document.features.pairs !== undefined || !baseSpaces(learn.spaces).includes('pairs')) return document;
  const { pairs } = analyzeText(document.text, { ...analyze, spaces: ['pairs'], title: document.title }).features;
  return pairs === undefined ? document : { ...document, features: { ...document.features, pairs } };
}

/** Spaces that other pages say something for. */
const SURROUNDING: readonly FeatureSpace[] = ['anchors', 'neighbours'];

function lacks(features: DocumentFeatures, spaces: readonly SpaceName[]): boolean {
  const wanted = baseSpaces(spaces);
  return SURROUNDING.some((space) => wanted.includes(space) && features[space] === undefined);
}

/** Documents read from the store at a time. */
const CHUNK = 500;

/**
 * Builds the feature spaces of all stored pages again, in order of fetching: `anchors` and `neighbours` from the stored
 * links and the terms of the pages at their ends. `terms` and `pairs` are as they were stored; a space that was not
 * stored and needs the page's own words stays absent. With `now` the store is read twice, first for the links. Memory: the
 * anchors of all linked URLs, and 20 terms a page when `neighbours` is asked for.
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
      // A page that is classified while it is fetched has not been read: its successors are unknown.
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

/** Page records with their whole documents, some at a time. */
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
