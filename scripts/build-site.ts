/**
 * Builds the documentation site in `site/`: static pages with a search that needs no server, light and dark.
 *
 * Usage: npm run docs:site [-- FOLDER]
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked, type Tokens } from 'marked';
import { NAVIGATION, type SitePage } from './site/pages.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const OUT = resolve(process.argv[2] ?? join(ROOT, 'site'));
const PAGES = NAVIGATION.flatMap(([, pages]) => pages);
const REPOSITORY_FILES = 'https://www.npmjs.com/package/bingo-crawler?activeTab=code';

/** A heading and the text below it, as indexed for the search. */
interface Section {
  readonly id: number;
  readonly title: string;
  readonly page: string;
  readonly url: string;
  readonly text: string;
}

interface Rendered {
  readonly html: string;
  readonly headings: readonly { readonly depth: number; readonly text: string; readonly slug: string }[];
}

function siteName(file: string): string {
  return file === 'README.md' ? 'index.html' : `${basename(file, '.md').toLowerCase()}.html`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Returns the anchor of a heading like code hosts do: lower case, hyphens for blanks, no punctuation. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/<[^>]+>|&[^;]+;|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** Turns a link of a document into one of the site: pages to pages, pictures to `pictures/`, other files to the package. */
function siteLink(href: string, from: string): string {
  if (/^(?:[a-z]+:|#)/i.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(dirname(from), path));
  const end = anchor === undefined ? '' : `#${anchor}`;
  if (PAGES.some(({ file }) => file === target)) return siteName(target) + end;
  if (target.startsWith('docs/pictures/')) return target.slice('docs/'.length);
  return REPOSITORY_FILES;
}

function render(file: string): Rendered {
  const headings: { depth: number; text: string; slug: string }[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const html = this.parser.parseInline(tokens);
        const text = html.replace(/<[^>]+>/g, '');
        const slug = slugOf(text);
        headings.push({ depth, text, slug });
        return `<h${depth} id="${slug}">${html}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        return `<a href="${escapeHtml(siteLink(href, file))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }: Tokens.Image): string {
        return `<img src="${escapeHtml(siteLink(href, file))}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
    },
  });
  const html = marked.parse(readFileSync(join(ROOT, file), 'utf8'), { async: false });
  return { html: html.replace(/<table>[\s\S]*?<\/table>/g, (table) => `<div class="table">${table}</div>`), headings };
}

function sectionsOf({ file, title }: SitePage, { html }: Rendered): readonly Omit<Section, 'id'>[] {
  return html.split(/(?=<h[1-3] id=)/).flatMap((part) => {
    const head = /^<h[1-3] id="([^"]*)">(.*?)<\/h/.exec(part);
    if (head === null) return [];
    const text = part.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    return [{ title: head[2]!.replace(/<[^>]+>/g, ''), page: title, url: `${siteName(file)}#${head[1]}`, text }];
  });
}

function navigation(current: SitePage): string {
  return NAVIGATION.map(([group, pages]) => {
    const items = pages.map((page) => {
      const mark = page === current ? ' aria-current="page"' : '';
      return `<li><a href="${siteName(page.file)}"${mark}>${escapeHtml(page.title)}</a></li>`;
    });
    return `<h2>${group}</h2><ul>${items.join('')}</ul>`;
  }).join('\n');
}

function turns(current: SitePage): string {
  const at = PAGES.indexOf(current);
  const link = (page: SitePage | undefined, arrow: (title: string) => string): string =>
    page === undefined ? '<span></span>' : `<a href="${siteName(page.file)}">${arrow(escapeHtml(page.title))}</a>`;
  return `<div class="turn">${link(PAGES[at - 1], (title) => `← ${title}`)}${link(PAGES[at + 1], (title) => `${title} →`)}</div>`;
}

function document(page: SitePage, { html, headings }: Rendered): string {
  const contents = headings
    .filter(({ depth }) => depth === 2)
    .map(({ text, slug }) => `<li><a href="#${slug}">${text}</a></li>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · Bingo</title>
<link rel="stylesheet" href="style.css">
<script src="minisearch.js" defer></script>
<script src="site.js" defer></script>
</head>
<body>
<header>
<a href="index.html">Bingo</a>
<div role="search"><input type="search" placeholder="Search (press /)" aria-label="Search the documentation"><ul id="results"></ul></div>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
${navigation(page)}
</nav>
<main>
${html}${turns(page)}
</main>
<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${contents}</ul></nav>
</div>
</body>
</html>
`;
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const sections: Omit<Section, 'id'>[] = [];
for (const page of PAGES) {
  const rendered = render(page.file);
  sections.push(...sectionsOf(page, rendered));
  writeFileSync(join(OUT, siteName(page.file)), document(page, rendered));
}
const numbered: readonly Section[] = sections.map((section, id) => ({ id, ...section }));
writeFileSync(join(OUT, 'sections.js'), `window.SECTIONS = ${JSON.stringify(numbered)};\n`);
for (const file of ['style.css', 'site.js']) cpSync(join(ROOT, 'scripts/site', file), join(OUT, file));
cpSync(
  fileURLToPath(import.meta.resolve('minisearch').replace(/dist\/.*$/, 'dist/umd/index.js')),
  join(OUT, 'minisearch.js'),
);
cpSync(join(ROOT, 'docs/pictures'), join(OUT, 'pictures'), { recursive: true });
console.log(`${PAGES.length} pages, ${numbered.length} sections: open ${join(OUT, 'index.html')}`);
