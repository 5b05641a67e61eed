import { PasswordException, PDFParse, VerbosityLevel } from 'pdf-parse';
import { escapeHtml, firstLine, htmlLink } from './markup.ts';
import { ConversionError, type ConvertedDocument, type ConvertLimits } from './outcome.ts';

/** Titles that a program wrote, not the author. */
const MACHINE_TITLE =
  /^(?:untitled|microsoft (?:word|powerpoint) - .*|.*\.(?:docx?|pptx?|dvi|tex|pdf|indd|qxd|ps)|slide 1|\W*)$/i;
const MAX_TITLE_CHARS = 200;

/** In escaped text; brackets belong to an address in pairs only. */
const URL_IN_TEXT = /\bhttps?:\/\/(?:[^\s<>"'()&]|&amp;|\([^\s<>"'()&]*\))*(?:[\w/]|\([^\s<>"'()&]*\))/g;

interface PdfLink {
  readonly url: string;
  readonly text: string;
}

/** Text, title and link annotations of a PDF. */
export async function convertPdf(bytes: Uint8Array, limits: ConvertLimits): Promise<ConvertedDocument> {
  // pdf.js takes the buffer for itself.
  const parser = new PDFParse({
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
  });
  try {
    const text = await parser.getText({ first: limits.maxPdfPages, pageJoiner: '', lineEnforce: true });
    const info = await parser.getInfo({ parsePageInfo: true, first: limits.maxPdfPages });
    const linksOf = new Map(info.pages.map((page) => [page.pageNumber, page.links]));
    const body = text.pages.map((page) => pageHtml(page.text, linksOf.get(page.num) ?? [])).join('\n');
    return { title: titleOf(info.info?.Title, text.pages[0]?.text ?? ''), body };
  } catch (error) {
    if (error instanceof PasswordException) throw new ConversionError('protected', 'the PDF asks for a password');
    throw new ConversionError(
      'damaged',
      `not a readable PDF: ${(error instanceof Error ? error.message : String(error)).replace(/\.+$/, '')}`,
    );
  } finally {
    await parser.destroy();
  }
}

function titleOf(stated: unknown, firstPage: string): string {
  const title = typeof stated === 'string' ? stated.trim() : '';
  if (title !== '' && !MACHINE_TITLE.test(title)) return title.slice(0, MAX_TITLE_CHARS);
  return firstLine(firstPage);
}

/** Paragraphs of a page. A link is put around its text where that is found, else behind the page. */
function pageHtml(text: string, links: readonly PdfLink[]): string {
  let html = joinLines(text)
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => `<p>${escapeHtml(part)}</p>`)
    .join('\n');
  const loose: string[] = [];
  let from = 0;
  for (const link of links) {
    const anchor = escapeHtml(link.text.replace(/\s+/g, ' ').trim());
    const at = anchor === '' ? -1 : html.indexOf(anchor, from);
    if (at < 0) {
      loose.push(`<p>${htmlLink(urlOf(link), link.text)}</p>`);
      continue;
    }
    const linked = htmlLink(urlOf(link), link.text.replace(/\s+/g, ' ').trim());
    html = html.slice(0, at) + linked + html.slice(at + anchor.length);
    from = at + linked.length;
  }
  return linkUrls(html) + loose.join('\n');
}

/** Some programs write `url(http://…)`. */
function urlOf({ url }: PdfLink): string {
  return url.replace(/^url\((.*)\)$/, '$1');
}

/** URLs in the text that no annotation made a link. */
function linkUrls(html: string): string {
  return html
    .split(/(<a href="[^"]*">[^<]*<\/a>)/)
    .map((part) => (part.startsWith('<a ') ? part : part.replace(URL_IN_TEXT, '<a href="$&">$&</a>')))
    .join('');
}

/** A word parted at a line's end becomes one again; other line ends are blanks. */
function joinLines(text: string): string {
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1')
    .replace(/([^\n])\n(?!\n)/g, '$1 ');
}
