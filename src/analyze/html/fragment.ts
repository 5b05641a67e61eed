import { HtmlScanner } from './html-scanner.ts';
import { Layout } from './layout.ts';
import { type DocumentFacts, escapeHtml, htmlLink } from './markup.ts';

/** A document as HTML: title, body, and links if the format has them. */
export interface ConvertedDocument {
  readonly title: string;
  /** Inner HTML of the body. */
  readonly body: string;
  /** What its metadata says, for {@link htmlPage}. */
  readonly about?: DocumentFacts;
}

/** Maximum number of raw links in one part of a document. */
const MAX_PART_LINKS = 1_000;

/**
 * Reads HTML that is part of a larger document, such as a chapter or a feed entry. The result is well formed, even if
 * the part has unclosed elements.
 * @param targetOf - returns the target of a link, `undefined` for useless links; relative links need a part with a
 * URL
 * @param isXml - XHTML: `<title/>` is a complete element. Default: false
 */
export function readFragment(html: string, targetOf: TargetOf = outward, isXml = false): ConvertedDocument {
  const layout = new Layout();
  const { title } = new HtmlScanner(html, layout, { maxLinks: MAX_PART_LINKS }).run(isXml);
  return { title, body: bodyOf(layout, targetOf) };
}

type TargetOf = (href: string) => string | undefined;

/**
 * Returns the layout's paragraphs with their links; links without text, or across several paragraphs, follow after
 * them.
 */
export function bodyOf(layout: Layout, targetOf: TargetOf = outward): string {
  const links = layout.links.flatMap(({ href, start, end }) => {
    const target = targetOf(href);
    return target === undefined ? [] : [{ target, start, end }];
  });
  const parts: string[] = [];
  const loose: string[] = [];
  let k = 0;
  for (const block of layout.blocks) {
    let html = '';
    let at = block.start;
    for (; k < links.length && links[k]!.start < block.end; k++) {
      const { target, start, end } = links[k]!;
      if (start < at || start === end || end > block.end) {
        loose.push(htmlLink(target, layout.slice(start, end)));
        continue;
      }
      html += escapeHtml(layout.slice(at, start)) + htmlLink(target, layout.slice(start, end));
      at = end;
    }
    parts.push(html + escapeHtml(layout.slice(at, block.end)));
  }
  for (; k < links.length; k++) loose.push(htmlLink(links[k]!.target, layout.slice(links[k]!.start, links[k]!.end)));
  return [...parts, ...loose].map((part) => `<p>${part}</p>`).join('\n');
}

/** Returns links that lead out of the document. */
export function outward(href: string): string | undefined {
  return /^https?:/i.test(href) ? href : undefined;
}
