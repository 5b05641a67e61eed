import { canonicalize, type FetchedPage, NO_HEADERS } from '../../core/index.ts';

const LOCAL = 'http://local-file.invalid/';

/** Makes a page of bytes that no server sent. Analysis needs a URL for relative links; this one is never fetched (RFC 6761). */
export function localDocument(body: Buffer, name: string, contentType: string): FetchedPage {
  const url = canonicalize(`${LOCAL}${encodeURIComponent(name)}`)!;
  const headers = { ...NO_HEADERS, contentType };
  return { kind: 'fetched', url, status: 200, headers, body, address: '', fetchedAt: 0, durationMs: 0 };
}

/** Returns the address of a page; `null` if no server sent it. */
export function addressOf({ url }: Pick<FetchedPage, 'url'>): string | null {
  return url.startsWith(LOCAL) ? null : url;
}
