import { Parser } from 'htmlparser2';
import { type ConvertedDocument, decodeText, firstLineOf } from '../analyze/index.ts';
import type { Archive } from './archive.ts';
import { ConversionError } from './outcome.ts';
import { attributeOf, propertyTitle, type XmlMapping, xmlToHtml } from './xml-text.ts';

const PRESENTATION = 'ppt/presentation.xml';
const SLIDE = /^ppt\/slides\/slide(\d+)\.xml$/;
const NOTES = /^ppt\/notesSlides\/[^/]+\.xml$/;
/** What a diagram (SmartArt) says, and a chart of itself: parts of their own. */
const DRAWN = /^(?:ppt|word)\/(?:diagrams\/data|charts\/chart)\d*\.xml$/;

/** PowerPoint since 2007: the slides in order, each with the diagrams and the speaker's notes on it, and their links. */
export async function convertPptx(archive: Archive): Promise<ConvertedDocument> {
  const parts: string[] = [];
  for (const slide of await slidesOf(archive)) {
    const related = [...(await relationsOf(archive, slide, 'Internal')).values()].map((target) =>
      partAt(target, slide),
    );
    const notes = related.filter((part) => NOTES.test(part)).slice(0, 1);
    const shown = [slide, ...related.filter((part) => DRAWN.test(part)), ...notes];
    parts.push(`<section>${await textOf(archive, shown)}</section>`);
  }
  const body = parts.join('\n');
  return { title: (await propertyTitle(archive)) || firstLineOf(body), body };
}

/** The words of all diagrams and charts of a document. */
export function diagramsOf(archive: Archive): Promise<string> {
  return textOf(
    archive,
    archive.names.filter((name) => DRAWN.test(name)),
  );
}

/** Some parts one behind the other, with their links. */
async function textOf(archive: Archive, parts: readonly string[]): Promise<string> {
  let html = '';
  for (const part of parts) {
    const xml = (await archive.read(part))?.toString() ?? '';
    html += withRunLinks(xml, await relationsOf(archive, part, 'External')) + chartNames(xml);
  }
  return html;
}

/** Names of series and categories, which a chart keeps from its table (ECMA-376 part 1, §21.2.2.201, §21.2.2.95). */
const CACHED_NAMES = /<(?:c:)?(strCache|multiLvlStrCache)>(.*?)<\/(?:c:)?\1>/gs;
const CACHED_NAME = /<(?:c:)?v>([^<]{1,1000})</g;

/** Returns the names in a chart, each once: every series repeats the categories. */
function chartNames(xml: string): string {
  const caches = Array.from(xml.matchAll(CACHED_NAMES), ([, , cache = '']) => cache);
  const names = caches.flatMap((cache) => Array.from(cache.matchAll(CACHED_NAME), ([, name = '']) => name.trim()));
  return names.length === 0 ? '' : `<p>${[...new Set(names)].join(', ')}</p>`;
}

/** Returns the path of a relation's target, which is relative to the part `from`. */
export function partAt(target: string, from: string): string {
  return URL.parse(target, `file:///${from}`)?.pathname.slice(1) ?? '';
}

/** Returns the slides in the order of the presentation, or by number if the presentation lists none. */
async function slidesOf(archive: Archive): Promise<readonly string[]> {
  const targets = await relationsOf(archive, PRESENTATION, 'Internal');
  const slides: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        // It has an `id` of its own, too.
        const relation = Object.keys(attributes).find((key) => key.endsWith(':id'));
        if (!/(?:^|:)sldId$/.test(name) || relation === undefined) return;
        const part = partAt(targets.get(attributes[relation] ?? '') ?? '', PRESENTATION);
        if (archive.names.includes(part)) slides.push(part);
      },
    },
    { xmlMode: true },
  );
  parser.end((await archive.read(PRESENTATION))?.toString() ?? '');
  if (slides.length > 0) return [...new Set(slides)];
  return archive.names
    .filter((name) => SLIDE.test(name))
    .sort((a, b) => Number(SLIDE.exec(a)?.[1]) - Number(SLIDE.exec(b)?.[1]));
}

/**
 * What was deleted, what people say of it, the numbers of footnotes, how letters are read, how the table of contents is made, and what
 * stands on each slide.
 */
const BESIDE_THE_TEXT: ReadonlySet<string> = new Set([
  ...['tracked-changes', 'annotation', 'note-citation', 'ruby-text', 'index-title-template'],
  ...['header-decl', 'footer-decl', 'date-time-decl'],
]);
/** Frames that stand on each slide (`presentation:class`). */
const REPEATED_FRAMES: ReadonlySet<string> = new Set(['header', 'footer', 'date-time', 'page-number']);

/** OpenDocument text and presentations. */
export async function convertOpenDocument(archive: Archive): Promise<ConvertedDocument> {
  // ODF 1.3 part 2 §3.4: what asks for a password says so for each of its files.
  const manifest = (await archive.read('META-INF/manifest.xml'))?.toString() ?? '';
  if (/[:<]encryption-data\b/.test(manifest))
    throw new ConversionError('protected', 'the document asks for a password');
  const xml = (await archive.read('content.xml'))?.toString() ?? '';
  const formulas = await formulasOf(archive);
  const mapping: XmlMapping = {
    blocks: { p: 'p', h: 'h2', page: 'section', 'list-item': 'div', desc: 'p' },
    textIn: 'body',
    isHidden: hiddenInOpenDocument(),
    linkOf: (name, attributes) => (name === 'a' ? attributeOf(attributes, 'href') : undefined),
    textOf: (name, attributes) =>
      name === 'object' ? formulas.get((attributeOf(attributes, 'href') ?? '').replace(/^\.\//, '')) : undefined,
  };
  // The document's own styles, which those in the content are based on.
  xmlToHtml((await archive.read('styles.xml'))?.toString() ?? '', mapping);
  const body = xmlToHtml(xml, mapping);
  return { title: (await propertyTitle(archive)) || firstLineOf(body), body };
}

/** A part in which a formula lies by itself (MathML), and the letters and signs of it. */
const OBJECT_PART = /^(.+)\/content\.xml$/;
const MATH_TOKEN = /<(?:\w{1,20}:)?m(?:i|n|o|s|text)(?:\s[^<>]{0,500})?>([^<]{1,1000})</g;

/** Formulas by the names of the objects that they are. */
async function formulasOf(archive: Archive): Promise<ReadonlyMap<string, string>> {
  const formulas = new Map<string, string>();
  for (const name of archive.names) {
    const object = OBJECT_PART.exec(name)?.[1];
    const xml = object === undefined ? '' : ((await archive.read(name))?.toString() ?? '');
    if (object === undefined || !/<(?:\w{1,20}:)?math[\s>]/.test(xml.slice(0, 2000))) continue;
    formulas.set(object, ` ${Array.from(xml.matchAll(MATH_TOKEN), ([, token]) => decodeText(token!)).join(' ')} `);
  }
  return formulas;
}

interface OpenStyle {
  readonly base: string | undefined;
  hides?: boolean;
}

/** Styles may stand in a circle. */
const MAX_BASES = 20;

/** Returns a filter for hidden text of OpenDocument files. Styles that hide text are declared before it. */
function hiddenInOpenDocument(): NonNullable<XmlMapping['isHidden']> {
  const styles = new Map<string, OpenStyle>();
  let style: OpenStyle = { base: undefined };
  const hidesBy = (family: string, name: string | undefined): boolean => {
    for (let at = styles.get(`${family} ${name}`), i = 0; at !== undefined && i < MAX_BASES; i++) {
      if (at.hides !== undefined) return at.hides;
      at = styles.get(`${family} ${at.base}`);
    }
    return false;
  };
  return (name, attributes) => {
    const display = attributeOf(attributes, 'display');
    const hides = display === 'none';
    if (name === 'style') {
      style = { base: attributeOf(attributes, 'parent-style-name') };
      styles.set(`${attributeOf(attributes, 'family')} ${attributeOf(attributes, 'name')}`, style);
    }
    if (name === 'text-properties' && display !== undefined) style.hides = hides;
    if (BESIDE_THE_TEXT.has(name) || hides) return true;
    if (name === 'frame') return REPEATED_FRAMES.has(attributeOf(attributes, 'class') ?? '');
    const family = name === 'p' || name === 'h' ? 'paragraph' : 'text';
    return styles.size > 0 && hidesBy(family, attributeOf(attributes, 'style-name'));
  };
}

/**
 * In a slide the link is a property of the run before its text: `<a:r><a:rPr><a:hlinkClick r:id/></a:rPr><a:t>…`. So the
 * target is found first and set around the next `t`. That of a whole shape or picture stands before its text.
 */
function withRunLinks(xml: string, targets: ReadonlyMap<string, string>): string {
  let pending: string | undefined;
  let isOfShape = false;
  return xmlToHtml(xml, {
    blocks: { p: 'p' },
    textIn: 't',
    isHidden: repeatedOnSlides(),
    linkOf: (name, attributes) => {
      if (name === 'r') pending = undefined;
      if (name === 'cNvPr' || name === 'rPr') isOfShape = name === 'cNvPr';
      const found = name === 'hlinkClick' ? targets.get(attributeOf(attributes, 'id') ?? '') : undefined;
      if (found !== undefined && isOfShape) return found;
      pending = found ?? pending;
      if (name !== 't') return undefined;
      const target = pending;
      pending = undefined;
      return target;
    },
  });
}

/** Placeholders that stand on each slide, and on the notes to each (ECMA-376 part 1, §19.7.10). */
const REPEATED_PLACEHOLDERS: ReadonlySet<string> = new Set(['hdr', 'ftr', 'dt', 'sldNum']);

/** What stands on a slide (ECMA-376 part 1, §19.3.1): shape, frame, picture, connector, group. */
const SHAPES: ReadonlySet<string> = new Set(['sp', 'graphicFrame', 'pic', 'cxnSp', 'grpSp', 'contentPart']);

/** Returns a filter for what slides repeat: headers, footers, dates, numbers, and the fallback drawings for old readers. A shape declares its kind before its text. */
function repeatedOnSlides(): NonNullable<XmlMapping['isHidden']> {
  let placeholder = '';
  return (name, attributes) => {
    // Frames hold tables, whose cells have text bodies of their own.
    if (SHAPES.has(name)) placeholder = '';
    if (name === 'ph') placeholder = attributeOf(attributes, 'type') ?? '';
    return name === 'Fallback' || (name === 'txBody' && REPEATED_PLACEHOLDERS.has(placeholder));
  };
}

/** Targets outside or inside the file, by relation id. */
export async function relationsOf(
  archive: Archive,
  part: string,
  mode: 'External' | 'Internal',
): Promise<ReadonlyMap<string, string>> {
  const slash = part.lastIndexOf('/');
  const xml = await archive.read(`${part.slice(0, slash)}/_rels/${part.slice(slash + 1)}.rels`);
  const targets = new Map<string, string>();
  const parser = new Parser(
    {
      onopentag(name, { Id, Target, TargetMode = 'Internal' }) {
        if (name === 'Relationship' && TargetMode === mode && Id && Target) targets.set(Id, Target);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml?.toString() ?? '');
  return targets;
}
