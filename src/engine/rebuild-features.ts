import {
  type AnalyzedDocument,
  baseSpaces,
  type DocumentFeatures,
  type PageRecord,
  type SpaceName,
} from '../core/index.ts';
import type { Journal } from './ports.ts';
import { Surroundings, surroundedFeatures, UNLIMITED } from './surroundings.ts';
import { followedUrls } from './topic-pages.ts';

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
  if (asOf === 'now') for await (const pages of wholePages(store)) for (const page of pages) surroundings.note(page);
  for await (const pages of wholePages(store)) {
    for (const page of pages) {
      // A page that is classified while it is fetched has not been read: its successors are unknown.
      const links = asOf === 'now' ? followedUrls(page.document.links, 0) : '';
      const context = surroundings.of([page.url, ...page.redirects, page.finalUrl], links);
      const features = surroundedFeatures(own(page.document, spaces), context, spaces);
      yield { sequence: page.sequence, url: page.finalUrl, features };
      if (asOf === 'fetch') surroundings.note(page);
    }
  }
}

function own({ features }: AnalyzedDocument, spaces: readonly SpaceName[]): DocumentFeatures {
  const wanted = baseSpaces(spaces);
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
