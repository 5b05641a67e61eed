import type { IncomingHttpHeaders } from 'node:http';
import {
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
} from '../core/index.ts';
import { asReceived } from './http-message.ts';
import type { RecordedPage } from './recorded-page.ts';

/** Returns the outcome of the same response in a crawl of the network, if its last attempt ends alike. */
export function recordedOutcome(page: RecordedPage, maxBodyBytes: number): FetchOutcome {
  const { url, status, recordedAt: fetchedAt } = page;
  const received = asReceived(page.headers);
  if (status >= 200 && status < 300) return pageOf(page, received, maxBodyBytes);
  const target = redirectTarget(url, status, received);
  if (target === url) return recordedFailure(page, 'too-many-redirects', 'the page redirects to itself');
  const stray = strayRedirect(url, status, received);
  if (stray !== undefined) return { kind: 'refused', url, reason: 'scheme', detail: stray, fetchedAt };
  if (target === undefined) return recordedFailure(page, 'http', `recorded with status ${status}`);
  const permanent = status === 301 || status === 308;
  return { kind: 'redirected', url, target, status, permanent, fetchedAt };
}

function pageOf(page: RecordedPage, received: IncomingHttpHeaders, maxBodyBytes: number): FetchOutcome {
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
  if (isMissing) return recordedFailure({ ...page, status: 0 }, 'reset', 'the recording lacks its body');
  const { body, isWhole } = unpackedText(page, contentType, maxBodyBytes);
  const whole = { kind: 'fetched', url, headers, body, address: '', fetchedAt, durationMs: 0 } as const;
  const part = { ...whole, status: PART_STATUS, headers: { ...headers, etag: '', lastModified: '' } };
  if (isPartial(status, received)) return part;
  if (isWhole) return { ...whole, status: status === PART_STATUS ? 200 : status };
  return isReadableInPart(contentType) ? part : recordedFailure(page, 'truncated', 'the body broke off');
}

interface Text {
  readonly body: Uint8Array;
  readonly isWhole: boolean;
}

/** Decompresses bodies declared as text, as a crawl does. */
function unpackedText({ body, breaksOff }: RecordedPage, type: string, maxBodyBytes: number): Text {
  const packed = { body, isWhole: !breaksOff };
  if (!isPackedText(type, body)) return packed;
  const { buffer, byteOffset, length } = body;
  const inner = decodeBodySync(Buffer.from(buffer, byteOffset, length), 'gzip', maxBodyBytes);
  return inner.kind === 'decoded' ? { body: inner.body, isWhole: packed.isWhole && inner.isWhole } : packed;
}

/** Returns a failure that is never retried: the archive would return the same again. */
export function recordedFailure({ url, status, recordedAt }: Answer, reason: string, detail: string): FetchOutcome {
  return { kind: 'failed', url, retry: 'never', reason, detail, status, fetchedAt: recordedAt };
}

type Answer = Pick<RecordedPage, 'url' | 'status' | 'recordedAt'>;
