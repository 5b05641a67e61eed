import type { CanonicalUrl } from './ids.ts';

/** Why a URL was not fetched although it could have been. */
export type Refusal = 'robots' | 'type' | 'size' | 'private-address' | 'port' | 'scheme' | 'locked-host' | 'bad-host';

/** Response headers that later steps need; absent ones are `''`. */
export interface PageHeaders {
  /** Media type in lower case, without parameters. */
  readonly contentType: string;
  /** The `charset` parameter as sent. */
  readonly charset: string;
  readonly etag: string;
  readonly lastModified: string;
  /** Of several such headers one a line: a robot's name holds to the end of its own. */
  readonly xRobotsTag: string;
  readonly contentLanguage: string;
  /** Sends the reader elsewhere, as a meta refresh does. */
  readonly refresh: string;
  /** All `Link` headers as one list: other pages, among them the one that is the original of this. */
  readonly link: string;
}

/** Of an answer that has none of them. */
export const NO_HEADERS: PageHeaders = Object.freeze({
  contentType: '',
  charset: '',
  etag: '',
  lastModified: '',
  xRobotsTag: '',
  contentLanguage: '',
  refresh: '',
  link: '',
});

/** How a fetch went. What the web does every day is a value, never an exception. */
export type FetchOutcome =
  | FetchedPage
  | {
      readonly kind: 'redirected';
      readonly url: CanonicalUrl;
      /** Canonical. One hop: the engine queues the target like any link, so that politeness holds there too. */
      readonly target: CanonicalUrl;
      readonly status: number;
      readonly permanent: boolean;
      /** How long its server wants to be left alone first, in ms from now, when it said so (Retry-After). */
      readonly retryAfterMs?: number;
      readonly fetchedAt: number;
    }
  | {
      readonly kind: 'unchanged';
      readonly url: CanonicalUrl;
      /** What the server calls the version now; absent or `''` where it says nothing. */
      readonly etag?: string;
      readonly lastModified?: string;
      readonly fetchedAt: number;
    }
  | {
      readonly kind: 'refused';
      readonly url: CanonicalUrl;
      readonly reason: Refusal;
      /** The deciding rule or figure, for `bingo why`: `robots.txt line 4: Disallow: /private`. */
      readonly detail: string;
      readonly fetchedAt: number;
    }
  | {
      readonly kind: 'failed';
      readonly url: CanonicalUrl;
      /** `later`: the trouble may pass, the entry goes back to the frontier while tries are left. */
      readonly retry: 'later' | 'never';
      /** Stable: `dns`, `connect`, `tls`, `timeout`, `reset`, `http`, `protocol`, `truncated`, `too-many-redirects`. */
      readonly reason: string;
      readonly detail: string;
      /** HTTP status when there was one, else 0. */
      readonly status: number;
      /** Earliest next try, in ms from now, when the server said so (Retry-After). */
      readonly retryAfterMs?: number;
      /** What came of a page whose body broke off, for when all tries end like that. */
      readonly part?: FetchedPage;
      readonly fetchedAt: number;
    };

/** The reason of a fetch that sent no request: the address or the host had too many. The job waits as if it had not been taken. */
export const NOT_NOW = 'not-now';

/** Partial Content: the status of a page of which only the beginning came, whatever the server called it. */
export const PART_STATUS = 206;

/** Proxy Authentication Required: whoever asks for it, it is not the page's server. */
export const PROXY_PASSWORD_STATUS = 407;

/** Request Timeout, Too Early, Too Many Requests. */
const PASSING: ReadonlySet<number> = new Set([PROXY_PASSWORD_STATUS, 408, 425, 429]);

/** HTTP statuses that say "not now", of the host rather than of the page: those, and all of 5xx. */
export function isPassingStatus(status: number): boolean {
  return status >= 500 || PASSING.has(status);
}

/** A response with a body, status 200–299. */
export interface FetchedPage {
  readonly kind: 'fetched';
  readonly url: CanonicalUrl;
  readonly status: number;
  readonly headers: PageHeaders;
  /** Decoded from its content coding. */
  readonly body: Uint8Array;
  /** Address dialled, `''` when there was none (an archive). */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
  readonly durationMs: number;
}
