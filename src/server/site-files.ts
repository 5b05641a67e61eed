import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.xml': 'application/atom+xml; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.avif': 'image/avif',
};

/** Headers of the files of a portal, whose pages bring a policy of their own. */
export const SITE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** A file of a site. */
export interface SiteFile {
  readonly body: Buffer<ArrayBuffer>;
  readonly type: string;
}

/**
 * Reads a file of a site by its URL path; `undefined` for a missing file, a path that leaves the folder, a hidden
 * file, or an unknown type.
 */
export async function siteFile(folder: string, url: string): Promise<SiteFile | undefined> {
  const path = pathOf(url);
  const type = path === undefined ? undefined : TYPES[extname(path)];
  if (path === undefined || type === undefined) return undefined;
  const body = await readFile(join(folder, path)).catch(() => undefined);
  return body === undefined ? undefined : { body, type };
}

/** Returns a path inside the folder; `undefined` for a path outside it or an invalid one. */
function pathOf(url: string): string | undefined {
  try {
    const path = normalize(decodeURIComponent(url.split(/[?#]/)[0] ?? ''));
    const isHidden = path.split(sep).some((part) => part.startsWith('.') || part.includes('\0'));
    if (isHidden || !path.startsWith(sep)) return undefined;
    return path.endsWith(sep) ? `${path}index.html` : path;
  } catch {
    return undefined;
  }
}
