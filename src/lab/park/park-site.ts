/** Traps every page of which has a title that a reader would believe. */
export const PLAUSIBLE_KINDS = [
  'event-calendar',
  'made-products',
  'pagination',
  'translations',
  'empty-search',
] as const;

/** What a crawler can fall into, by the name that scores use. */
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

/** Endless text in the topic's own words: each page is another one, and a classifier takes all of them for relevant. */
export const FARM_KINDS = ['tag-combinations', 'search-echo', 'random-text', 'generated-wiki'] as const;
export type TrapKind = (typeof TRAP_KINDS | typeof PLAUSIBLE_KINDS | typeof FARM_KINDS)[number];

/**
 * What an address of the park is. `page`: a document worth fetching once, under one address; a second time counts as its trap
 * (`trap`), or as a repeat. `passage`: no document, but a way to one: the months of a calendar that have events, the hops of a
 * chain of redirects that ends. `trap`: worth nothing. `outside`: the park has no such host.
 */
export type Place =
  | { readonly kind: 'page'; readonly id: string; readonly relevant: boolean; readonly trap: TrapKind | undefined }
  | { readonly kind: 'passage'; readonly trap: TrapKind }
  | { readonly kind: 'trap'; readonly trap: TrapKind }
  | { readonly kind: 'missing' }
  | { readonly kind: 'outside' };

/** How the server sends a body. `drip`: a byte now and then, for ever; `endless`: as fast as it is read, for ever. */
export type Manner = 'plain' | 'drip' | 'endless' | 'cut-short' | 'reset';

/** What the park answers to a request. */
export interface ParkAnswer {
  readonly place: Place;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly manner: Manner;
}

/** A document of a site. */
export interface ParkPage {
  /** `host/path`, the same under every address that leads to it. */
  readonly id: string;
  readonly path: string;
  readonly subject: string;
  readonly relevant: boolean;
  readonly title: string;
  /** Words of prose. */
  readonly words: number;
  /** Addresses that it links to, relative or absolute. */
  readonly links: string[];
}

/** A host of the park with its documents. */
export interface ParkSite {
  readonly host: string;
  readonly subject: string;
  readonly title: string;
  readonly trap: TrapKind | undefined;
  /** 0, 1 or 2: traps of a kind are not quite alike. */
  readonly variant: number;
  readonly seed: number;
  readonly pages: Map<string, ParkPage>;
  /** Links that every page of the site shows, into the trap among others. */
  readonly doors: string[];
  /** Documents that only the trap's passages lead to. */
  readonly hidden: ParkPage[];
}

/** One kind of trap: how its site leads into it, and what its own addresses answer. */
export interface Trap {
  /** Links that every page of the site shows. */
  doors(site: ParkSite): readonly string[];
  /** The answer to an address of the trap's own, or `undefined` for one that is none. */
  answer(site: ParkSite, url: URL): ParkAnswer | undefined;
}

/** A document as HTML, in the frame that all pages of its site have. */
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

/** Words of an address: `/2/queen-hive-wax.html` reads "queen hive wax". */
function anchorOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/\.html$/, '');
  const words = path.split(/[^A-Za-z]+/).filter((word) => word.length > 2);
  return words.slice(-4).join(' ') || url.replace(/^https?:\/\//, '').replace(/\.test.*$/, '') || 'home';
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
}
