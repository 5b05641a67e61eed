import { type CanonicalUrl, canonicalize, type FetchOutcome, type PageHeaders } from '../../core/index.ts';
import type { Fetcher } from '../../engine/index.ts';
import type { FrozenPage, FrozenWeb } from './frozen-web.ts';
import { type HeaderFields, headerValue, headerValues } from './http-message.ts';

/**
 * A fetcher that answers from a frozen web: deterministic, no network, no clock. Times are those of the recording.
 * What the archive lacks is a 404 that need not be tried again.
 */
export class ArchiveFetcher implements Fetcher {
  readonly #web: FrozenWeb;
  readonly #hosts: ReadonlySet<string>;

  constructor(web: FrozenWeb) {
    this.#web = web;
    this.#hosts = new Set(web.hosts());
  }

  async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    const page = this.#web.page(url);
    if (page === undefined) return failed(url, 404, 'not in the archive', 0);
    return outcomeOf(page);
  }

  crawlDelayMs(_host: string): number {
    return 0;
  }

  async resolve(host: string): Promise<boolean> {
    return this.#hosts.has(host);
  }

  async close(): Promise<void> {}
}

function outcomeOf(page: FrozenPage): FetchOutcome {
  const { url, status, recordedAt } = page;
  if (status >= 200 && status < 300)
    return {
      kind: 'fetched',
      url,
      status,
      headers: pageHeaders(page.headers),
      body: page.body,
      address: '',
      fetchedAt: recordedAt,
      durationMs: 0,
    };
  if (REDIRECTS.has(status)) {
    const target = canonicalize(headerValue(page.headers, 'location'), url);
    if (target === undefined) return failed(url, status, 'a redirect without a usable Location', recordedAt);
    return {
      kind: 'redirected',
      url,
      target,
      status,
      permanent: status === 301 || status === 308,
      fetchedAt: recordedAt,
    };
  }
  return failed(url, status, `recorded with status ${status}`, recordedAt);
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Never worth another try: the archive will say the same again. */
function failed(url: CanonicalUrl, status: number, detail: string, fetchedAt: number): FetchOutcome {
  return { kind: 'failed', url, retry: 'never', reason: 'http', detail, status, fetchedAt };
}

function pageHeaders(fields: HeaderFields): PageHeaders {
  const type = headerValue(fields, 'content-type');
  return {
    contentType: (type.split(';')[0] ?? '').trim().toLowerCase(),
    charset: /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? '',
    etag: headerValue(fields, 'etag'),
    lastModified: headerValue(fields, 'last-modified'),
    xRobotsTag: headerValues(fields, 'x-robots-tag').join('\n'),
    contentLanguage: headerValue(fields, 'content-language'),
    refresh: headerValue(fields, 'refresh'),
    link: headerValues(fields, 'link').join(', '),
  };
}
