import type { IncomingHttpHeaders } from 'node:http';
import { utf8 } from '../../kit/index.ts';
import { PART_STATUS, type PageHeaders } from '../fetch-outcome.ts';
import type { CanonicalUrl } from '../ids.ts';
import { parseMediaType } from './media-type.ts';
import { canonicalize } from './url.ts';

/** The first line of an answer, with its status, as forgivingly as browsers read it. */
export const STATUS_LINE: RegExp = /^HTTP\/\d+(?:\.\d+)?[ \t]+(\d{3})(?!\d)/i;

/** The value of a header; the first one where a server sends several; `''` for none. */
export function firstValue(value: string | string[] | undefined): string {
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** All values of a header that is a list, as one; `''` for none. */
export function allValues(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

/** The headers that later steps need. */
export function pageHeaders(headers: IncomingHttpHeaders): PageHeaders {
  const { type, charset } = parseMediaType(allValues(headers['content-type']));
  return {
    contentType: type,
    charset,
    etag: firstValue(headers.etag),
    lastModified: firstValue(headers['last-modified']),
    xRobotsTag: lines(headers['x-robots-tag']),
    contentLanguage: firstValue(headers['content-language']),
    refresh: utf8(firstValue(headers.refresh)),
    link: utf8(allValues(headers.link)),
  };
}

/** All values of a header, one a line. */
function lines(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join('\n') ?? '');
}

/** Where a redirect leads, when that is on the web. */
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

/** What is to be told of a redirect that leads off the web; `undefined` for all other answers. */
export function strayRedirect(url: CanonicalUrl, status: number, headers: IncomingHttpHeaders): string | undefined {
  const location = firstValue(headers.location);
  const isRedirect = status >= 300 && status < 400 && status !== 304 && location !== '';
  if (!isRedirect || redirectTarget(url, status, headers) !== undefined) return undefined;
  return `redirect to ${location.slice(0, 200)}, which is no address of the web`;
}

/** A server may answer for a range that nobody asked for: it is a part, unless it is all of the page. */
export function isPartial(status: number, headers: IncomingHttpHeaders): boolean {
  const [, last, length] = /^bytes 0-(\d+)\/(\d+)$/.exec(firstValue(headers['content-range'])) ?? [];
  return status === PART_STATUS && (last === undefined || Number(last) + 1 !== Number(length));
}
