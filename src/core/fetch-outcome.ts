import type { CanonicalUrl } from './ids.ts';

/** Why a URL was deliberately not fetched. */
export type Refusal = 'robots' | 'type' | 'size' | 'private-address' | 'port' | 'scheme' | 'locked-host' | 'bad-host';

/** Response headers that later steps need; absent ones are `''`. */
export interface PageHeaders {
  /** Media type in lower case, without parameters. */
  readonly contentType: string;
  /** The `charset` parameter as sent. */
  readonly charset: string;
  readonly etag: string;
  readonly lastModified: string;
  /** Several headers are joined by line breaks, because a robot's name applies only to its own header. */
  readonly xRobotsTag: string;
  readonly contentLanguage: string;
  /** `1`: the rights to text and data mining are reserved (TDMRep). */
  readonly tdmReservation?: string;
  /** Redirects the reader, like a meta refresh. */
  readonly refresh: string;
  /** All `Link` headers as one list: related pages, including the original of this page. */
  readonly link: string;
}

/** Headers of a response without any of them. */
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

/** Result of a fetch. Everyday failures of the web are values, never exceptions. */
export type FetchOutcome =
  | FetchedPage
  | {
      readonly kind: 'redirected';
      readonly url: CanonicalUrl;
      /** Canonical. One hop: the engine queues the target like any link, so that politeness applies to it too. */
      readonly target: CanonicalUrl;
      readonly status: number;
      readonly permanent: boolean;
      /** Wait requested by the server (Retry-After), in ms from now, if any. */
      readonly retryAfterMs?: number;
      readonly fetchedAt: number;
    }
  | {
      readonly kind: 'unchanged';
      readonly url: CanonicalUrl;
      /** Current version according to the server; absent or `''` if unknown. */
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
      /** `later`: a temporary failure; the entry returns to the frontier while attempts are left. */
      readonly retry: 'later' | 'never';
      /** Stable: `dns`, `connect`, `tls`, `timeout`, `reset`, `http`, `protocol`, `truncated`, `too-many-redirects`. */
      readonly reason: string;
      readonly detail: string;
      /** HTTP status, or 0 without one. */
      readonly status: number;
      /** Wait until the next attempt requested by the server (Retry-After), in ms from now. */
      readonly retryAfterMs?: number;
      /** The received part of a truncated page, in case all attempts end like this. */
      readonly part?: FetchedPage;
      readonly fetchedAt: number;
    };

/** Reason of a fetch without a request, because the address or host was busy. The job keeps its place in the queue. */
export const NOT_NOW = 'not-now';

/** Partial Content: status of a page of which only the beginning was received, whatever status the server sent. */
export const PART_STATUS = 206;

/** Proxy Authentication Required: sent by a proxy, not by the page's server. */
export const PROXY_PASSWORD_STATUS = 407;

/** Request Timeout, Too Early, Too Many Requests. */
const PASSING: ReadonlySet<number> = new Set([PROXY_PASSWORD_STATUS, 408, 425, 429]);

/** Returns true for temporary HTTP statuses of the host: those above, and all of 5xx. */
export function isPassingStatus(status: number): boolean {
  return status >= 500 || PASSING.has(status);
}

/** Where a page is from that was not fetched from its server. */
export interface Capture {
  /** Name of the file, or address of the service. */
  readonly archive: string;
  /** The address as archived. */
  readonly url: string;
  /** Time of the recording, in ms since 1970. */
  readonly at: number;
}

/** A response with a body, status 200–299. */
export interface FetchedPage {
  readonly kind: 'fetched';
  readonly url: CanonicalUrl;
  readonly status: number;
  readonly headers: PageHeaders;
  /** Without its content coding. */
  readonly body: Uint8Array;
  /** Address of the server, `''` if an archive answered. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
  readonly durationMs: number;
  /** Set if an archive answered. */
  readonly capture?: Capture;
}
