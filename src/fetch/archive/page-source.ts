import type { CanonicalUrl, Capture } from '../../core/index.ts';
import type { RecordedPage } from '../../warc/index.ts';

/** What an archive has for a URL. */
export type Found =
  | { readonly kind: 'page'; readonly page: RecordedPage; readonly capture: Capture }
  | { readonly kind: 'absent' }
  /** Nothing was asked, since the crawl ends. */
  | { readonly kind: 'not-now' }
  /** The service did not answer, or wrongly. */
  | { readonly kind: 'failed'; readonly detail: string };

/** An archive that gives pages by URL. */
export interface PageSource {
  find(url: CanonicalUrl): Promise<Found>;
  close(): Promise<void>;
}
