import { HtmlScanner } from '../html-scanner.ts';
import { Layout } from '../layout.ts';
import { escapeHtml, htmlLink } from './markup.ts';
import type { ConvertedDocument } from './outcome.ts';

/** Raw links read from one part of a document. */
const MAX_PART_LINKS = 1_000;

/**
 * Reads HTML that is a part of something greater, such as a chapter or a feed's entry: what comes out is well formed and
 * cannot reach beyond its place, whatever was left open in it.
 * @param keeps - which link targets are of use; relative ones mean something only where the part has an address
 */
export function readFragment(html: string, keeps: (href: string) => boolean = isOutward): ConvertedDocument {
  const layout = new Layout();
  const { title } = new HtmlScanner(html, layout, MAX_PART_LINKS).run(false);
  return { title, body: bodyOf(layout, keeps) };
}

/** The layout's paragraphs, and its links in a paragraph each. */
export function bodyOf(layout: Layout, keeps: (href: string) => boolean = isOutward): string {
  const links = layout.links
    .filter((link) => keeps(link.href))
    .map((link) => `<p>${htmlLink(link.href, layout.slice(link.start, link.end))}</p>`);
  const text = layout.blocks.map(({ start, end }) => `<p>${escapeHtml(layout.slice(start, end))}</p>`);
  return [...text, ...links].join('\n');
}

function isOutward(href: string): boolean {
  return /^https?:/i.test(href);
}
