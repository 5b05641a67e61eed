import type { IncomingHttpHeaders } from 'node:http';
import { type PageHeaders, utf8 } from '../../core/index.ts';
import { parseMediaType } from './media-type.ts';

/** The value of a header; the first one where a server sends several; `''` for none. */
export function one(value: string | string[] | undefined): string {
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** All values of a header that is a list, as one; `''` for none. */
export function all(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

/** The headers that later steps need. */
export function pageHeaders(headers: IncomingHttpHeaders): PageHeaders {
  const { type, charset } = parseMediaType(all(headers['content-type']));
  return {
    contentType: type,
    charset,
    etag: one(headers.etag),
    lastModified: one(headers['last-modified']),
    xRobotsTag: lines(headers['x-robots-tag']),
    contentLanguage: one(headers['content-language']),
    refresh: utf8(one(headers.refresh)),
    link: utf8(all(headers.link)),
  };
}

/** All values of a header, one a line. */
function lines(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join('\n') ?? '');
}
