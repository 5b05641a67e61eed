import { html, type Markup } from './html.ts';

/** Relative path from a page to the top of the portal. */
export type Root = '' | '../' | '../../';

/** Common data of every page of a portal. */
export interface Shell {
  readonly title: string;
  /** Name of the whole portal. */
  readonly portal: string;
  readonly root: Root;
  readonly description: string;
  /** When a page was last found or rechecked, in ms since 1970. */
  readonly updatedAt: number;
  /** Scripts at the top of the portal. */
  readonly scripts?: readonly string[];
  readonly feed?: string;
  /** False on the search page, which has its own form. */
  readonly hasSearch?: boolean;
}

/** Allows only the portal's own files: no inline scripts or styles, nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'";

/** Returns a whole HTML page. */
export function shell(page: Shell, main: Markup): string {
  const { root, portal, scripts = [], feed, hasSearch = true } = page;
  const title = page.title === portal ? portal : `${page.title} – ${portal}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="bingo-crawler">
<meta name="description" content="${page.description}">
<title>${title}</title>
<link rel="stylesheet" href="${root}style.css">
${feed === undefined ? undefined : html`<link rel="alternate" type="application/atom+xml" title="${page.title}: newest pages" href="${feed}">\n`}${scripts.map((file) => html`<script src="${root}${file}" defer></script>\n`)}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="home" href="${root}index.html"><bdi>${portal}</bdi></a>
${hasSearch ? searchForm(root) : undefined}
</header>
<main id="main">
${main}
</main>
<footer>
<p>Made with Bingo from pages as they were on ${dateOf(page.updatedAt)}. <a href="${root}changes.html">What changed</a>. Titles and passages are those of the pages linked to.</p>
</footer>
</body>
</html>
`.text;
}

function searchForm(root: Root): Markup {
  return html`<form role="search" action="${root}search.html">
<input type="search" name="q" aria-label="Search the pages" placeholder="Search" required>
<button>Search</button>
</form>`;
}

/** Returns a day in sortable form, UTC. */
export function dateOf(ms: number): Markup {
  if (ms === 0) return html`no day yet`;
  const day = new Date(ms).toISOString().slice(0, 10);
  return html`<time datetime="${day}">${day}</time>`;
}
