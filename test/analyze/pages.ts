import {
  type AnalyzeOptions,
  analyze,
  isUnusable,
  type PageOptions,
  type RawPage,
  type Unusable,
} from '../../src/analyze/index.ts';
import {
  type AnalyzedDocument,
  type CanonicalUrl,
  canonicalize,
  DEFAULTS,
  type Link,
  NO_HEADERS,
  unpackLinks,
} from '../../src/core/index.ts';

export const PAGE_URL: CanonicalUrl = canonicalize('http://a.test/dir/page.html')!;

export const TEXT_OPTIONS: AnalyzeOptions = { ...DEFAULTS.analyze, spaces: ['terms'] };

export const OPTIONS: PageOptions = {
  ...TEXT_OPTIONS,
  maxLinksPerPage: DEFAULTS.crawl.maxLinksPerPage,
  maxUrlChars: DEFAULTS.crawl.maxUrlChars,
};

export interface PageParts {
  readonly url?: CanonicalUrl;
  readonly headers?: Partial<RawPage['headers']>;
  readonly options?: Partial<PageOptions>;
  readonly fetchedAt?: number;
}

/** Analyses a page at {@link PAGE_URL}, sent as text/html without a charset unless `parts` says otherwise. */
export function analyzePage(body: string | Uint8Array, parts: PageParts = {}): AnalyzedDocument | Unusable {
  const headers = { ...NO_HEADERS, contentType: 'text/html', ...parts.headers };
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const { url = PAGE_URL, fetchedAt = 0 } = parts;
  return analyze({ url, headers, body: bytes, fetchedAt }, { ...OPTIONS, ...parts.options });
}

/** Analyses a page that must become a document. */
export function documentOf(body: string | Uint8Array, parts: PageParts = {}): AnalyzedDocument {
  const result = analyzePage(body, parts);
  if (isUnusable(result)) throw new Error(`Expected a document, got ${result.reason}: ${result.detail}`);
  return result;
}

export function linksOf(body: string, parts: PageParts = {}): Link[] {
  return unpackLinks(documentOf(body, parts).links);
}

export function urlsOf(body: string, parts: PageParts = {}): string[] {
  return linksOf(body, parts).map((link) => link.url);
}
