import type { IncomingHttpHeaders } from 'node:http';
import { utf8 } from '../../kit/index.ts';
import { PART_STATUS, type PageHeaders } from '../fetch-outcome.ts';
import type { CanonicalUrl } from '../ids.ts';
import { parseMediaType } from './media-type.ts';
import { canonicalize } from './url.ts';

/** The status line of a response, parsed as leniently as browsers do. */
export const STATUS_LINE: RegExp = /^HTTP\/\d+(?:\.\d+)?[ \t]+(\d{3})(?!\d)/i;

/** Returns the first value of a header; `''` if missing. */
export function firstValue(value: string | string[] | undefined): string {
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** Returns all values of a list header as one; `''` if missing. */
export function allValues(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

/** Returns the headers that later steps need. */
export function pageHeaders(headers: IncomingHttpHeaders): PageHeaders {
  const { type, charset } = parseMediaType(allValues(headers['content-type']));
  return {
    contentType: type,
    charset,
    etag: firstValue(headers.etag),
    lastModified: firstValue(headers['last-modified']),
    xRobotsTag: lines(headers['x-robots-tag']),
    contentLanguage: firstValue(headers['content-language']),
    ...(headers['tdm-reservation'] !== undefined && {
      tdmReservation: firstValue(headers['tdm-reservation'] as string),
    }),
    refresh: utf8(firstValue(headers.refresh)),
    link: utf8(allValues(headers.link)),
  };
}

/** Returns all values of a header, one per line. */
function lines(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join('\n') ?? '');
}

/** Returns the target of a redirect if it is an http(s) URL. */
export function redirectTarget(
  url: CanonicalUrl,
  status: number,
  headers: IncomingHttpHeaders,
): CanonicalUrl | undefined {
  const location = firstValue(headers.location);
  return status >= 300 && status < 400 && status !== 304 && location !== ''
    ? canonicalize(utf8(location), url)
    : undefined;
}

/** Returns a description of a redirect to another scheme; `undefined` for all other responses. */
export function strayRedirect(url: CanonicalUrl, status: number, headers: IncomingHttpHeaders): string | undefined {
  const location = firstValue(headers.location);
  const isRedirect = status >= 300 && status < 400 && status !== 304 && location !== '';
  if (!isRedirect || redirectTarget(url, status, headers) !== undefined) return undefined;
  return `redirect to ${location.slice(0, 200)}, which is not a web address`;
}

/**
 * Returns true for a partial response, which servers may send without a range request. False if the range covers the
 * whole page.
 */
export function isPartial(status: number, headers: IncomingHttpHeaders): boolean {
  const [, last, length] = /^bytes 0-(\d+)\/(\d+)$/.exec(firstValue(headers['content-range'])) ?? [];
  return status === PART_STATUS && (last === undefined || Number(last) + 1 !== Number(length));
}
