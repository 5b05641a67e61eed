import type { IncomingHttpHeaders } from 'node:http';
import {
  type CanonicalUrl,
  DEFAULTS,
  decodeBodySync,
  type FetchOutcome,
  firstValue,
  isPackedText,
  isPartial,
  isReadableInPart,
  isUsableType,
  PART_STATUS,
  pageHeaders,
  type Refusal,
  redirectTarget,
  strayRedirect,
} from '../../core/index.ts';
import type { Fetcher } from '../../engine/index.ts';
import { asReceived } from '../../warc/index.ts';
import type { FrozenPage } from './frozen-web.ts';
import type { RecordedWeb } from './generated-web.ts';

/**
 * A fetcher that answers from a frozen web: deterministic, without network or clock. Times are those of the
 * recording. A page missing from the archive is a 404 that is never retried.
 */
export class ArchiveFetcher implements Fetcher {
  readonly #web: RecordedWeb;
  readonly #hosts: ReadonlySet<string>;
  readonly #maxBodyBytes: number;

  /** @param maxBodyBytes larger pages are rejected, see `network.maxBodyBytes` */
  constructor(web: RecordedWeb, maxBodyBytes: number = DEFAULTS.network.maxBodyBytes) {
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

/** Returns the outcome of the same response in a crawl of the network, if its last attempt ends alike. */
function outcomeOf(page: FrozenPage, maxBodyBytes: number): FetchOutcome {
  const { url, status, recordedAt: fetchedAt } = page;
  const received = asReceived(page.headers);
  if (status >= 200 && status < 300) return pageOf(page, received, maxBodyBytes);
  const target = redirectTarget(url, status, received);
  if (target === url) return failed(page, 'too-many-redirects', 'the page redirects to itself');
  const stray = strayRedirect(url, status, received);
  if (stray !== undefined) return { kind: 'refused', url, reason: 'scheme', detail: stray, fetchedAt };
  if (target === undefined) return failed(page, 'http', `recorded with status ${status}`);
  const permanent = status === 301 || status === 308;
  return { kind: 'redirected', url, target, status, permanent, fetchedAt };
}

function pageOf(page: FrozenPage, received: IncomingHttpHeaders, maxBodyBytes: number): FetchOutcome {
  const { url, status, breaksOff, recordedAt: fetchedAt } = page;
  const headers = pageHeaders(received);
  const { contentType } = headers;
  const refused = (reason: Refusal, detail: string): FetchOutcome => ({
    kind: 'refused',
    url,
    reason,
    detail,
    fetchedAt,
  });
  if (!isUsableType(contentType, url, firstValue(received['content-disposition'])))
    return refused('type', `media type ${contentType}`);
  // For a body that was not recorded, its announced length decides whether it would be accepted now.
  const isMissing = breaksOff && page.body.length === 0;
  const length = isMissing ? Number(firstValue(received['content-length'])) : page.body.length;
  if (length > maxBodyBytes) return refused('size', `the body has more than ${maxBodyBytes} bytes`);
  if (isMissing) return failed({ ...page, status: 0 }, 'reset', 'the recording lacks its body');
  const { body, isWhole } = unpackedText(page, contentType, maxBodyBytes);
  const whole = { kind: 'fetched', url, headers, body, address: '', fetchedAt, durationMs: 0 } as const;
  const part = { ...whole, status: PART_STATUS, headers: { ...headers, etag: '', lastModified: '' } };
  if (isPartial(status, received)) return part;
  if (isWhole) return { ...whole, status: status === PART_STATUS ? 200 : status };
  return isReadableInPart(contentType) ? part : failed(page, 'truncated', 'the body broke off');
}

interface Text {
  readonly body: Uint8Array;
  readonly isWhole: boolean;
}

/** Decompresses bodies declared as text, as a crawl does. */
function unpackedText({ body, breaksOff }: FrozenPage, type: string, maxBodyBytes: number): Text {
  const packed = { body, isWhole: !breaksOff };
  if (!isPackedText(type, body)) return packed;
  const { buffer, byteOffset, length } = body;
  const inner = decodeBodySync(Buffer.from(buffer, byteOffset, length), 'gzip', maxBodyBytes);
  return inner.kind === 'decoded' ? { body: inner.body, isWhole: packed.isWhole && inner.isWhole } : packed;
}

/** Never retried: the archive would return the same again. */
function failed({ url, status, recordedAt }: Answer, reason: string, detail: string): FetchOutcome {
  return { kind: 'failed', url, retry: 'never', reason, detail, status, fetchedAt: recordedAt };
}

type Answer = Pick<FrozenPage, 'url' | 'status' | 'recordedAt'>;
