import type { Curation } from './curation.ts';
import { html, type Markup } from './html.ts';
import type { PortalWords } from './words.ts';

/** Relative path from a page to the top of the portal. */
export type Root = '' | '../' | '../../';

/** What every page of a portal needs of it. */
export interface Portal {
  /** Name of the portal. */
  readonly title: string;
  readonly words: PortalWords;
  readonly curation: Curation;
}

/** What differs between the pages of a portal. */
export interface Shell {
  readonly title: string;
  /** Path of the page from the top of the portal. */
  readonly path: string;
  readonly description: string;
  /** When a page was last found or rechecked, in ms since 1970. */
  readonly updatedAt: number;
  /** Scripts at the top of the portal. */
  readonly scripts?: readonly string[];
  /** The feed of the page, and its name. */
  readonly feed?: { readonly path: string; readonly title: string };
  /** False on the search page, which has its own form. */
  readonly hasSearch?: boolean;
}

/** Allows only the portal's own files: no inline scripts or styles, nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'";

/** Returns the path from a page to the top of the portal. */
export function rootOf(path: string): Root {
  return '../'.repeat(path.split('/').length - 1) as Root;
}

/** Returns a whole HTML page. */
export function shell(portal: Portal, page: Shell, main: Markup): string {
  const { path, scripts = [], feed, hasSearch = true } = page;
  const { words, curation } = portal;
  const root = rootOf(path);
  const title = page.title === portal.title ? portal.title : `${page.title} – ${portal.title}`;
  return html`<!doctype html>
<html lang="${words.language}" dir="${words.direction}" data-theme="${curation.theme}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="bingo-crawler">
<meta name="description" content="${page.description}">
${preview(portal, page)}<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${root}favicon.svg">
<link rel="stylesheet" href="${root}style.css">
<link rel="stylesheet" href="${root}accent.css">
${feed === undefined ? undefined : html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${root}${feed.path}">\n`}${scripts.map((file) => html`<script src="${root}${file}" defer></script>\n`)}</head>
<body>
<a class="skip" href="#main">${words.text('skip')}</a>
<header>
<a class="home" href="${root}index.html">${logo(curation, root)}<bdi>${portal.title}</bdi></a>
${hasSearch ? searchForm(words, root) : undefined}
</header>
<main id="main">
${main}
</main>
<footer>
<p>${words.markup('madeFrom', { day: dateOf(page.updatedAt, words) })}</p>
<p><a href="${root}changes.html">${words.text('whatChanged')}</a>${hasAbout(curation) ? html` · <a href="${root}about.html">${words.text('about')}</a>` : undefined}</p>
</footer>
</body>
</html>
`.text;
}

/** True if the portal has a page about itself. */
export function hasAbout({ about, contact }: Curation): boolean {
  return about.length > 0 || contact !== undefined;
}

/** What a messenger shows of a link to the page (Open Graph). */
function preview({ title, curation: { address, logo } }: Portal, page: Shell): Markup {
  // Messengers draw no SVG.
  const image = address === undefined || logo === undefined || logo.name.endsWith('.svg') ? undefined : logo.name;
  return html`<meta property="og:type" content="website">
<meta property="og:site_name" content="${title}">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
${
  image &&
  html`<meta property="og:image" content="${address}${image}">
`
}${address === undefined ? undefined : html`<meta property="og:url" content="${address}${page.path}">\n<link rel="canonical" href="${address}${page.path}">\n`}`;
}

function logo({ logo }: Curation, root: Root): Markup | undefined {
  return logo && html`<img class="logo" src="${root}${logo.name}" alt="" height="32"> `;
}

function searchForm(words: PortalWords, root: Root): Markup {
  return html`<form role="search" action="${root}search.html">
<input type="search" name="q" aria-label="${words.text('searchPages')}" placeholder="${words.text('search')}" required>
<button>${words.text('search')}</button>
</form>`;
}

/** Returns a day in sortable form, UTC. */
export function dateOf(ms: number, words: PortalWords): Markup {
  if (ms === 0) return html`${words.text('noDay')}`;
  const day = new Date(ms).toISOString().slice(0, 10);
  return html`<time datetime="${day}">${day}</time>`;
}
