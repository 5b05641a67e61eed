import { HtmlScanner } from '../html-scanner.ts';
import { Layout } from '../layout.ts';
import { escapeHtml, htmlLink } from './markup.ts';
import type { ConvertedDocument } from './outcome.ts';

/** Raw links read from one part of a document. */
const MAX_PART_LINKS = 1_000;

/**
 * Reads HTML that is a part of something greater, such as a chapter or a feed's entry: what comes out is well formed and
 * cannot reach beyond its place, whatever was left open in it.
 * @param targetOf - where a link leads, `undefined` for links of no use; relative ones mean something only where the part has an address
 */
export function readFragment(html: string, targetOf: TargetOf = outward): ConvertedDocument {
  const layout = new Layout();
  const { title } = new HtmlScanner(html, layout, MAX_PART_LINKS).run(false);
  return { title, body: bodyOf(layout, targetOf) };
}

type TargetOf = (href: string) => string | undefined;

/** The layout's paragraphs, and its links in a paragraph each. */
export function bodyOf(layout: Layout, targetOf: TargetOf = outward): string {
  const links = layout.links.flatMap(({ href, start, end }) => {
    const target = targetOf(href);
    return target === undefined ? [] : `<p>${htmlLink(target, layout.slice(start, end))}</p>`;
  });
  const text = layout.blocks.map(({ start, end }) => `<p>${escapeHtml(layout.slice(start, end))}</p>`);
  return [...text, ...links].join('\n');
}

function outward(href: string): string | undefined {
  return /^https?:/i.test(href) ? href : undefined;
}
