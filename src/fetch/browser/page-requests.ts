import type { Request, Route } from 'playwright-core';
import { type CanonicalUrl, canonicalize, hostOf, registeredDomain } from '../../core/index.ts';
import { LruMap } from '../../kit/index.ts';

/** A response that a page's scripts may read. */
export interface Resource {
  readonly status: number;
  /** Fields of the response by lower-case name, without those of the connection, the coding and cookies. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Fetches what a page requests, under the same rules as pages: robots.txt, addresses, the host's pace, size and time.
 * `undefined` if it is refused or fails.
 */
export type ResourceSource = (url: CanonicalUrl, signal: AbortSignal) => Promise<Resource | undefined>;

/** Requests per page beyond this are refused. Our choice. */
const MAX_REQUESTS = 200;
/** Bytes of scripts kept for later pages of the same site. */
const KEPT_BYTES = 32 * 1024 * 1024;
const KEPT_ENTRY_BYTES = 4 * 1024 * 1024;

const WANTED: ReadonlySet<string> = new Set(['script', 'xhr', 'fetch', 'stylesheet']);
const EMPTY_STYLE = { status: 200, contentType: 'text/css', body: '' };
/** Sites that only count readers or show advertisements; their scripts add no text. */
const TRACKERS: ReadonlySet<string> = new Set([
  'doubleclick.net',
  'facebook.net',
  'google-analytics.com',
  'googlesyndication.com',
  'googletagmanager.com',
  'hotjar.com',
  'matomo.cloud',
  'mixpanel.com',
  'scorecardresearch.com',
  'segment.com',
]);

/** Scripts of earlier pages by site and address, so that a site's bundle is fetched once. */
export class KeptScripts {
  readonly #scripts = new LruMap<string, Resource>(KEPT_BYTES, ({ body }) => body.length + 500);

  get(site: string, url: CanonicalUrl): Resource | undefined {
    return this.#scripts.get(`${site} ${url}`);
  }

  keep(site: string, url: CanonicalUrl, script: Resource): void {
    if (script.status === 200 && script.body.length <= KEPT_ENTRY_BYTES) this.#scripts.set(`${site} ${url}`, script);
  }
}

/** What a page's requests are answered from. */
export interface RequestPorts {
  readonly page: CanonicalUrl;
  /** The page itself, as it was fetched. */
  readonly document: Resource;
  readonly source: ResourceSource;
  /** True: requests to other sites are refused. */
  readonly isWithinSite: boolean;
  readonly scripts: KeptScripts;
  readonly signal: AbortSignal;
}

/**
 * Answers every request of one page. The page itself was fetched before. Scripts and data come from the fetcher; style
 * sheets are empty; everything else is refused, also other documents: the browser's own network is cut.
 */
export class PageRequests {
  readonly #ports: RequestPorts;
  readonly #site: string;
  #isDocumentGiven = false;
  #count = 0;
  #open = 0;

  constructor(ports: RequestPorts) {
    this.#ports = ports;
    this.#site = registeredDomain(hostOf(ports.page));
  }

  /** Number of requests that are being answered. */
  get open(): number {
    return this.#open;
  }

  /** Number of requests that were made. */
  get count(): number {
    return this.#count;
  }

  readonly answer = async (route: Route): Promise<void> => {
    const request = route.request();
    this.#count++;
    this.#open++;
    try {
      await this.#answer(route, request);
    } catch {
      // The page is gone: nothing is left to answer.
      await route.abort('aborted').catch(() => undefined);
    } finally {
      this.#open--;
    }
  };

  async #answer(route: Route, request: Request): Promise<void> {
    const type = request.resourceType();
    if (!this.#isDocumentGiven && request.isNavigationRequest()) {
      this.#isDocumentGiven = true;
      const { status, fields, body } = this.#ports.document;
      await route.fulfill({ status, headers: { ...fields }, body });
      return;
    }
    const url = canonicalize(request.url());
    if (url === undefined || !WANTED.has(type) || request.method() !== 'GET' || this.#count > MAX_REQUESTS) {
      await route.abort('blockedbyclient');
      return;
    }
    if (type === 'stylesheet') {
      await route.fulfill(EMPTY_STYLE);
      return;
    }
    const found = this.#isShut(registeredDomain(hostOf(url))) ? undefined : await this.#fetch(url, type);
    if (found === undefined) await route.abort('failed');
    else await route.fulfill({ status: found.status, headers: { ...found.fields }, body: found.body });
  }

  #isShut(site: string): boolean {
    return TRACKERS.has(site) || (this.#ports.isWithinSite && site !== this.#site);
  }

  async #fetch(url: CanonicalUrl, type: string): Promise<Resource | undefined> {
    const { source, scripts, signal } = this.#ports;
    const isScript = type === 'script';
    const kept = isScript ? scripts.get(this.#site, url) : undefined;
    if (kept !== undefined) return kept;
    const found = await source(url, signal);
    if (isScript && found !== undefined) scripts.keep(this.#site, url, found);
    return found;
  }
}
