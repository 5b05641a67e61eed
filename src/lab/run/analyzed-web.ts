import {
  type AnalyzedDocument,
  type CanonicalUrl,
  EMPTY_LINKS,
  type FetchedPage,
  type Link,
  type OfKind,
  packLinks,
  redirectTarget,
  unpackLinks,
} from '../../core/index.ts';
import { type Analysis, type AnalyzerSettings, PageAnalyzer } from '../../engine/index.ts';
import { asReceived } from '../../warc/index.ts';
import type { LinkGraph } from '../tasks/relevance.ts';
import { ArchiveFetcher } from '../web/archive-fetcher.ts';
import type { RecordedWeb } from '../web/generated-web.ts';

/** Analysis of one page of a frozen web, independent of any model. */
export type PageAnalysis =
  | { readonly kind: 'analyzed'; readonly document: AnalyzedDocument }
  | OfKind<Analysis, 'unusable'>;

/**
 * Analyses pages of a frozen web for the lab. Two things differ from a stored crawl, without effect on models: the
 * running text is dropped, because the lab searches nothing and it takes most of the memory; links to pages missing
 * from the archive are dropped too, because the archive is the whole web.
 */
export class WebAnalyst {
  readonly #web: RecordedWeb;
  readonly #fetcher: ArchiveFetcher;
  readonly #analyzer: PageAnalyzer;

  constructor(web: RecordedWeb, settings: AnalyzerSettings) {
    this.#web = web;
    this.#fetcher = new ArchiveFetcher(web);
    this.#analyzer = new PageAnalyzer(settings);
  }

  /** Returns `undefined` if the archive has no page for the URL: missing, a redirect, or an error. */
  async analysisOf(url: CanonicalUrl): Promise<PageAnalysis | undefined> {
    const outcome = await this.#fetcher.fetch(url);
    if (outcome.kind !== 'fetched') return undefined;
    const analysis = await this.#analyze(outcome);
    return analysis.kind === 'analyzed' ? { kind: 'analyzed', document: this.#lean(analysis.document) } : analysis;
  }

  async close(): Promise<void> {
    await this.#analyzer.close();
  }

  /** Without a model, the mode does not matter. */
  #analyze(page: FetchedPage): Promise<Analysis> {
    return this.#analyzer.analyze(page, 'harvesting');
  }

  #lean(document: AnalyzedDocument): AnalyzedDocument {
    return { ...document, text: '', links: this.#inside(document) };
  }

  #inside({ links }: AnalyzedDocument): AnalyzedDocument['links'] {
    const all = unpackLinks(links);
    const inside = all.filter((link: Link) => this.#web.has(link.url as CanonicalUrl));
    if (inside.length === all.length) return links;
    return inside.length === 0 ? EMPTY_LINKS : packLinks(inside);
  }
}

/** A frozen web with the analyses of all pages. */
export interface AnalyzedWeb {
  readonly web: RecordedWeb;
  readonly analyses: ReadonlyMap<CanonicalUrl, PageAnalysis>;
}

/** Returns the link targets of an analysed web; a link to a redirect leads to its target. */
export function linkGraph({ web, analyses }: AnalyzedWeb): LinkGraph {
  return (url) => {
    const analysis = analyses.get(url);
    if (analysis?.kind === 'analyzed') {
      const { links } = analysis.document;
      return links.size === 0 ? [] : ([...new Set(links.urls.split('\n'))] as CanonicalUrl[]);
    }
    return analysis === undefined ? targetOf(web, url) : [];
  };
}

function targetOf(web: RecordedWeb, url: CanonicalUrl): readonly CanonicalUrl[] {
  const page = web.page(url);
  const target = page === undefined ? undefined : redirectTarget(url, page.status, asReceived(page.headers));
  return target !== undefined && web.has(target) ? [target] : [];
}
