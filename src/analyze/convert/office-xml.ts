import { Parser } from 'htmlparser2';
import type { Archive } from './archive.ts';
import { firstLineOf } from './markup.ts';
import { ConversionError, type ConvertedDocument } from './outcome.ts';
import { attributeOf, propertyTitle, type XmlMapping, xmlToHtml } from './xml-text.ts';

const PRESENTATION = 'ppt/presentation.xml';
const SLIDE = /^ppt\/slides\/slide(\d+)\.xml$/;
const NOTES = /^ppt\/notesSlides\/[^/]+\.xml$/;

/** PowerPoint since 2007: the slides in order, each with the speaker's notes on it, and their links. */
export async function convertPptx(archive: Archive): Promise<ConvertedDocument> {
  const parts: string[] = [];
  for (const slide of await slidesOf(archive)) {
    const related = [...(await relationsOf(archive, slide, 'Internal')).values()].map((target) =>
      partAt(target, slide),
    );
    const notes = related.find((part) => NOTES.test(part));
    const said = notes === undefined ? '' : await withLinks(notes);
    parts.push(`<section>${await withLinks(slide)}${said}</section>`);
  }
  const body = parts.join('\n');
  return { title: (await propertyTitle(archive)) || firstLineOf(body), body };

  async function withLinks(part: string): Promise<string> {
    const xml = (await archive.read(part))?.toString() ?? '';
    return withRunLinks(xml, await relationsOf(archive, part, 'External'));
  }
}

/** The part that a target means, which is told relative to another part. */
function partAt(target: string, from: string): string {
  return URL.parse(target, `file:///${from}`)?.pathname.slice(1) ?? '';
}

/** The parts that are slides, in the order of the presentation; of one that tells none, by their numbers. */
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

/** What was deleted, what people say of it, and the numbers of footnotes. */
const BESIDE_THE_TEXT: ReadonlySet<string> = new Set(['tracked-changes', 'annotation', 'note-citation']);

/** OpenDocument text and presentations. */
export async function convertOpenDocument(archive: Archive): Promise<ConvertedDocument> {
  // ODF 1.3 part 2 §3.4: what asks for a password says so for each of its files.
  const manifest = (await archive.read('META-INF/manifest.xml'))?.toString() ?? '';
  if (/[:<]encryption-data\b/.test(manifest))
    throw new ConversionError('protected', 'the document asks for a password');
  const xml = (await archive.read('content.xml'))?.toString() ?? '';
  const mapping: XmlMapping = {
    blocks: { p: 'p', h: 'h2', page: 'section', 'list-item': 'div' },
    textIn: 'body',
    hidden: BESIDE_THE_TEXT,
    linkOf: (name, attributes) => (name === 'a' ? attributeOf(attributes, 'href') : undefined),
  };
  const body = xmlToHtml(xml, mapping);
  return { title: (await propertyTitle(archive)) || firstLineOf(body), body };
}

/**
 * In a slide the link is a property of the run before its text: `<a:r><a:rPr><a:hlinkClick r:id/></a:rPr><a:t>…`. So the
 * target is found first and set around the next `t`.
 */
function withRunLinks(xml: string, targets: ReadonlyMap<string, string>): string {
  let pending: string | undefined;
  return xmlToHtml(xml, {
    blocks: { p: 'p' },
    textIn: 't',
    linkOf: (name, attributes) => {
      if (name === 'r') pending = undefined;
      if (name === 'hlinkClick') pending = targets.get(attributeOf(attributes, 'id') ?? '');
      if (name !== 't') return undefined;
      const target = pending;
      pending = undefined;
      return target;
    },
  });
}

/** Targets outside or inside the file, by relation id. */
async function relationsOf(
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
