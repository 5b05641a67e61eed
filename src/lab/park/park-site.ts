import { escapeHtml } from '../../analyze/index.ts';
/** Traps whose pages all have plausible titles. */
export const PLAUSIBLE_KINDS = [
  'event-calendar',
  'made-products',
  'pagination',
  'translations',
  'empty-search',
] as const;

/** Kinds of traps, by their names in scores. */
export const TRAP_KINDS = [
  'calendar',
  'facets',
  'noindex',
  'session-path',
  'session-query',
  'deeper-links',
  'redirects',
  'soft-404',
  'near-duplicates',
  'slow-drip',
  'endless-body',
  'wrong-headers',
  'dying-host',
  'subdomains',
] as const;

/** Endless text in the topic's words: each page is different, and a classifier takes all of them for relevant. */
export const FARM_KINDS = ['tag-combinations', 'search-echo', 'random-text', 'generated-wiki'] as const;
export type TrapKind = (typeof TRAP_KINDS | typeof PLAUSIBLE_KINDS | typeof FARM_KINDS)[number];

/**
 * Kind of an address in the park. `page`: a document worth fetching once; fetching it again counts for its trap
 * (`trap`) or as a repeat. `passage`: not a document, but on the way to one: calendar months with events, or hops of
 * a redirect chain that ends. `trap`: worthless. `outside`: not a host of the park.
 */
export type Place =
  | { readonly kind: 'page'; readonly id: string; readonly relevant: boolean; readonly trap: TrapKind | undefined }
  | { readonly kind: 'passage'; readonly trap: TrapKind }
  | { readonly kind: 'trap'; readonly trap: TrapKind }
  | { readonly kind: 'missing' }
  | { readonly kind: 'outside' };

/**
 * How the server sends a body. `drip`: single bytes at intervals, forever; `endless`: as fast as it is read, forever.
 */
export type Manner = 'plain' | 'drip' | 'endless' | 'cut-short' | 'reset';

/** The park's response to a request. */
export interface ParkAnswer {
  readonly place: Place;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly manner: Manner;
}

/** A document of a site. */
export interface ParkPage {
  /** `host/path`, the same for every address that leads to it. */
  readonly id: string;
  readonly path: string;
  readonly subject: string;
  readonly relevant: boolean;
  readonly title: string;
  /** Number of words of prose. */
  readonly words: number;
  /** Addresses of its links, relative or absolute. */
  readonly links: string[];
}

/** A host of the park with its documents. */
export interface ParkSite {
  readonly host: string;
  readonly subject: string;
  readonly title: string;
  readonly trap: TrapKind | undefined;
  /** 0, 1 or 2: traps of a kind vary slightly. */
  readonly variant: number;
  readonly seed: number;
  readonly pages: Map<string, ParkPage>;
  /** Links on every page of the site, including those into the trap. */
  readonly doors: string[];
  /** Documents reachable only through the trap's passages. */
  readonly hidden: ParkPage[];
}

/** One kind of trap: the links into it, and the responses of its addresses. */
export interface Trap {
  /** Links on every page of the site. */
  doors(site: ParkSite): readonly string[];
  /** The response to an address of the trap; `undefined` for other addresses. */
  answer(site: ParkSite, url: URL): ParkAnswer | undefined;
}

/** Renders a document as HTML, in the layout of its site. */
export function renderPage(site: ParkSite, { title, paragraphs, links, doors = site.doors }: PageParts): string {
  const list = (urls: readonly string[]): string =>
    urls.map((url) => `<li><a href="${escapeHtml(url)}">${escapeHtml(anchorOf(url))}</a></li>`).join('\n');
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
    `<nav><ul>\n<li><a href="/">${escapeHtml(site.title)}</a></li>\n${list(doors)}\n</ul></nav>`,
    `<main><h1>${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    links.length > 0 ? `<p>See also</p><ul>\n${list(links)}\n</ul>` : '',
    `</main><footer>${escapeHtml(site.title)}. All rights reserved.</footer></body></html>\n`,
  ].join('\n');
}

export interface PageParts {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly links: readonly string[];
  /** Default: those of the site. */
  readonly doors?: readonly string[];
}

export function htmlAnswer(place: Place, body: string, more: Partial<ParkAnswer> = {}): ParkAnswer {
  return {
    place,
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body,
    manner: 'plain',
    ...more,
  };
}

export function redirectAnswer(place: Place, location: string): ParkAnswer {
  return { place, status: 302, headers: { location }, body: '', manner: 'plain' };
}

/** Returns the words of an address: "queen hive wax" for `/2/queen-hive-wax.html`. */
function anchorOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/\.html$/, '');
  const words = path.split(/[^A-Za-z]+/).filter((word) => word.length > 2);
  return words.slice(-4).join(' ') || url.replace(/^https?:\/\//, '').replace(/\.test.*$/, '') || 'home';
}
