import { HtmlScanner } from './html-scanner.ts';
import { Layout } from './layout.ts';
import { escapeHtml, htmlLink } from './markup.ts';

/** A document as HTML: title, body, links where the format has them. */
export interface ConvertedDocument {
  readonly title: string;
  /** Inner HTML of the body. */
  readonly body: string;
}

/** Raw links read from one part of a document. */
const MAX_PART_LINKS = 1_000;

/**
 * Reads HTML that is a part of something greater, such as a chapter or a feed's entry: what comes out is well formed and
 * cannot reach beyond its place, whatever was left open in it.
 * @param targetOf - where a link leads, `undefined` for links of no use; relative ones mean something only where the part has an address
 * @param isXml - XHTML: `<title/>` is a whole element. Default: false
 */
export function readFragment(html: string, targetOf: TargetOf = outward, isXml = false): ConvertedDocument {
  const layout = new Layout();
  const { title } = new HtmlScanner(html, layout, { maxLinks: MAX_PART_LINKS }).run(isXml);
  return { title, body: bodyOf(layout, targetOf) };
}

type TargetOf = (href: string) => string | undefined;

/** The layout's paragraphs with the links in them; those that have no text, or go over several paragraphs, stand behind. */
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

/** Links that lead out of what the part belongs to. */
export function outward(href: string): string | undefined {
  return /^https?:/i.test(href) ? href : undefined;
}
