import { hash32 } from '../../kit/index.ts';
import type { PackageWeb } from './package-web.ts';

/** Response for a page of a package web. */
export interface PackageAnswer {
  readonly status: 200 | 301 | 404 | 410;
  readonly html?: string;
  /** Path of the page on the same host, if it has moved. */
  readonly location?: string;
}

export const NO_PAGE: PackageAnswer = { status: 404 };

const NEWS = '/news.html';
const MOVED = '/moved';
/** One in this many pages is gone; the next has moved; the next two have changed. */
const SHARE = 12;

/** Returns the current version of a page. */
export function answerNow(web: PackageWeb, host: string, path: string, port: number): PackageAnswer {
  const html = web.page(host, path, port);
  return html === undefined ? NO_PAGE : { status: 200, html };
}

/**
 * Returns the page as if some time had passed: some pages are gone, some have moved, some have changed and link to a
 * new page of news. The addresses decide which, so the result is repeatable.
 */
export function answerLater(web: PackageWeb, host: string, path: string, port: number): PackageAnswer {
  if (path === NEWS) return newsOf(web, host, port);
  const isMoved = path.startsWith(`${MOVED}/`);
  const now = answerNow(web, host, isMoved ? path.slice(MOVED.length) : path, port);
  if (now.html === undefined || isMoved || path === '/') return now;
  const fate = hash32(`${host}${path}`, 1) % SHARE;
  if (fate === 0) return { status: 410 };
  if (fate === 1) return { status: 301, location: `${MOVED}${path}` };
  return fate <= 3 ? { status: 200, html: withNews(now.html) } : now;
}

function withNews(html: string): string {
  return html.replace(
    '</body>',
    `<h2>What is new</h2>\n<p>There is <a href="${NEWS}">news of a new version</a>.</p>\n</body>`,
  );
}

/** News page of a package, as if a new version had been released. */
function newsOf(web: PackageWeb, host: string, port: number): PackageAnswer {
  const index = web.page(host, '/', port);
  if (index === undefined) return NO_PAGE;
  const html = index
    .replace(/<title>(.*?)<\/title>/, '<title>$1: news of a new version</title>')
    .replace('<h1>', '<h1>News of ')
    .replace(
      '</h1>',
      '</h1>\n<p>A new version is out. It does what it did before, faster, and says so more clearly.</p>',
    );
  return { status: 200, html };
}
