import { Parser } from 'htmlparser2';
import { escapeHtml, localName, statedTitle } from '../analyze/index.ts';
import type { Archive } from './archive.ts';

/** How an XML vocabulary maps to HTML, by local names. */
export interface XmlMapping {
  /** Elements that are paragraphs, with the HTML element they become. */
  readonly blocks: Readonly<Record<string, string>>;
  /** Elements whose text counts; `undefined`: all. */
  readonly textIn: string | undefined;
  /** True for elements whose text does not belong to the document. Called for all elements in order, except inside such an element. */
  readonly isHidden?: (name: string, attributes: Readonly<Record<string, string>>) => boolean;
  /** Target of a link element, or `undefined` for elements that are no links. */
  readonly linkOf: (name: string, attributes: Readonly<Record<string, string>>) => string | undefined;
  /** Text that an element stands for. */
  readonly textOf?: (name: string, attributes: Readonly<Record<string, string>>) => string | undefined;
}

const MAX_DEPTH = 1_000;

/** Turns office XML into HTML. Entities that a document defines are not expanded. */
export function xmlToHtml(xml: string, mapping: XmlMapping): string {
  const out: string[] = [];
  let textDepth = mapping.textIn === undefined ? 1 : 0;
  let depth = 0;
  /** Depth of the outermost hidden element that is open; 0: none. */
  let hiddenAt = 0;
  const links: number[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const local = localName(name);
        if (++depth > MAX_DEPTH) parser.pause();
        if (hiddenAt === 0 && mapping.isHidden?.(local, attributes)) hiddenAt = depth;
        if (hiddenAt > 0) return;
        const block = mapping.blocks[local];
        if (block !== undefined) out.push(`<${block}>`);
        if (local === mapping.textIn) textDepth++;
        if (local === 'tab' || local === 's' || local === 'br' || local === 'line-break') out.push(' ');
        const standsFor = mapping.textOf?.(local, attributes);
        if (standsFor !== undefined) out.push(escapeHtml(standsFor));
        const target = mapping.linkOf(local, attributes);
        if (target !== undefined) {
          out.push(`<a href="${escapeHtml(target)}">`);
          links.push(depth);
        }
      },
      onclosetag(name) {
        const local = localName(name);
        if (hiddenAt > 0) {
          if (hiddenAt === depth--) hiddenAt = 0;
          return;
        }
        if (links.at(-1) === depth) {
          out.push('</a>');
          links.pop();
        }
        depth--;
        if (local === mapping.textIn) textDepth--;
        const block = mapping.blocks[local];
        if (block !== undefined) out.push(`</${block}>\n`);
      },
      ontext(text) {
        if (textDepth > 0 && hiddenAt === 0) out.push(escapeHtml(text));
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  parser.end();
  return out.join('');
}

/** Attributes by local name: prefixes are the document's choice. */
export function attributeOf(attributes: Readonly<Record<string, string>>, local: string): string | undefined {
  for (const [name, value] of Object.entries(attributes)) if (localName(name) === local) return value;
  return undefined;
}

/** Title in the properties of an Office or OpenDocument file; `''` if missing or generated. */
export async function propertyTitle(archive: Archive): Promise<string> {
  const properties = (await archive.read('docProps/core.xml')) ?? (await archive.read('meta.xml'));
  if (properties === undefined) return '';
  let title = '';
  let inTitle = false;
  const parser = new Parser(
    {
      onopentagname(name) {
        inTitle = name === 'dc:title';
      },
      onclosetag() {
        inTitle = false;
      },
      ontext(text) {
        if (inTitle && title.length < 1000) title += text;
      },
    },
    { xmlMode: true },
  );
  parser.end(properties.toString());
  return statedTitle(title);
}
