import type { IncomingHttpHeaders } from 'node:http';
import {
  type CanonicalUrl,
  DEFAULTS,
  type FetchOutcome,
  firstValue,
  isReadableInPart,
  isUsableType,
  PART_STATUS,
  pageHeaders,
  redirectTarget,
} from '../../core/index.ts';
import type { Fetcher } from '../../engine/index.ts';
import type { FrozenPage, FrozenWeb } from './frozen-web.ts';
import { asReceived } from './http-message.ts';

/**
 * A fetcher that answers from a frozen web: deterministic, no network, no clock. Times are those of the recording.
 * What the archive lacks is a 404 that need not be tried again.
 */
export class ArchiveFetcher implements Fetcher {
  readonly #web: FrozenWeb;
  readonly #hosts: ReadonlySet<string>;
  readonly #maxBodyBytes: number;

  /** @param maxBodyBytes - larger pages are refused, see `network.maxBodyBytes` */
  constructor(web: FrozenWeb, maxBodyBytes: number = DEFAULTS.network.maxBodyBytes) {
    this.#web = web;
    this.#maxBodyBytes = maxBodyBytes;
    this.#hosts = new Set(web.hosts());
  }

  async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    const page = this.#web.page(url);
    if (page === undefined) return failed({ url, status: 404, recordedAt: 0 }, 'http', 'not in the archive');
    return outcomeOf(page, this.#maxBodyBytes);
  }

  crawlDelayMs(_host: string): number {
    return 0;
  }

  async resolve(host: string): Promise<boolean> {
    return this.#hosts.has(host);
  }

  async close(): Promise<void> {}
}

/** What a crawl of the network makes of the same answer, when its last try has the same end. */
function outcomeOf(page: FrozenPage, maxBodyBytes: number): FetchOutcome {
  const { url, status, recordedAt } = page;
  const received = asReceived(page.headers);
  if (status >= 200 && status < 300) return pageOf(page, received, maxBodyBytes);
  const target = redirectTarget(url, status, received);
  if (target === url) return failed(page, 'too-many-redirects', 'the page redirects to itself');
  if (target === undefined) return failed(page, 'http', `recorded with status ${status}`);
  const permanent = status === 301 || status === 308;
  return { kind: 'redirected', url, target, status, permanent, fetchedAt: recordedAt };
}

function pageOf(page: FrozenPage, received: IncomingHttpHeaders, maxBodyBytes: number): FetchOutcome {
  const { url, status, body, breaksOff, recordedAt: fetchedAt } = page;
  const headers = pageHeaders(received);
  const { contentType } = headers;
  if (!isUsableType(contentType, url, firstValue(received['content-disposition'])))
    return { kind: 'refused', url, reason: 'type', detail: `media type ${contentType}`, fetchedAt };
  if (body.length > maxBodyBytes)
    return { kind: 'refused', url, reason: 'size', detail: `the body has more than ${maxBodyBytes} bytes`, fetchedAt };
  const whole = { kind: 'fetched', url, status, headers, body, address: '', fetchedAt, durationMs: 0 } as const;
  if (!breaksOff) return whole;
  if (body.length === 0 || !isReadableInPart(contentType)) return failed(page, 'truncated', 'the body broke off');
  return { ...whole, status: PART_STATUS, headers: { ...headers, etag: '', lastModified: '' } };
}

/** Never worth another try: the archive will say the same again. */
function failed({ url, status, recordedAt }: Answer, reason: string, detail: string): FetchOutcome {
  return { kind: 'failed', url, retry: 'never', reason, detail, status, fetchedAt: recordedAt };
}

type Answer = Pick<FrozenPage, 'url' | 'status' | 'recordedAt'>;
