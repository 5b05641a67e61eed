import mammoth from 'mammoth';
import { type ConvertedDocument, firstLineOf } from '../analyze/index.ts';
import type { Archive } from './archive.ts';
import { cutXml } from './cut-xml.ts';
import { diagramsOf, partAt, relationsOf } from './office-xml.ts';
import { ConversionError, type ConvertLimits } from './outcome.ts';
import { CHUNK_MARK, readAllOfWord } from './word-elements.ts';
import { hidingStyles } from './word-styles.ts';
import { propertyTitle } from './xml-text.ts';

/** Of a field that says more than the address (`HYPERLINK "http://…" \\o "a tip"`) mammoth takes all up to the last quotation mark. */
const FIELD_OPTIONS = /(<a href="[^"]*?)&quot;[^"]*/g;

/** A part of a document that is one in a format of its own: HTML, RTF, a saved page, another document (ECMA-376 part 1, §17.17.2). */
export type ChunkReader = (bytes: Uint8Array, name: string) => Promise<ConvertedDocument>;

/** Word since 2007. */
export async function convertDocx(
  archive: Archive,
  { maxTextChars }: ConvertLimits,
  readChunk: ChunkReader,
): Promise<ConvertedDocument> {
  const noImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  readAllOfWord(await hidingStyles(archive));
  const result = await mammoth.convertToHtml({ file: mammothFile(archive, maxTextChars) } as never, {
    convertImage: noImages,
  });
  const text = await withChunks(result.value.replace(FIELD_OPTIONS, '$1'), archive, readChunk);
  const body = text + (await diagramsOf(archive));
  return { title: (await propertyTitle(archive)) || firstLineOf(body), body };
}

/** The archive as mammoth opens it, so that our limits hold and names with backslashes are found. */
function mammothFile(archive: Archive, maxTextChars: number): Readonly<Record<string, unknown>> {
  return {
    exists: (name: string) => archive.names.includes(name),
    read: async (name: string, encoding?: 'utf-8' | 'base64') => {
      const bytes = Buffer.from((await archive.read(name)) ?? []);
      if (encoding === undefined) return bytes;
      return encoding === 'base64' ? bytes.toString('base64') : cutXml(bytes.toString(), maxTextChars);
    },
  };
}

/** @param html - with the marks that {@link readAllOfWord} leaves in place of chunks */
async function withChunks(html: string, archive: Archive, readChunk: ChunkReader): Promise<string> {
  const marks = [...html.matchAll(CHUNK_MARK)];
  const main = archive.names.find((name) => /^word\/document\d*\.xml$/.test(name)) ?? '';
  const targets = marks.length === 0 ? new Map<string, string>() : await relationsOf(archive, main, 'Internal');
  let whole = html;
  for (const [mark, relation] of marks) {
    const target = targets.get(relation!);
    const part = target === undefined ? '' : partAt(target, main);
    const bytes = await archive.read(part);
    // One that cannot be read spoils no document; a bomb does.
    const chunk = bytes === undefined ? undefined : await readChunk(bytes, part).catch(unlessBomb);
    whole = whole.replace(mark, () => chunk?.body ?? '');
  }
  return whole;
}

function unlessBomb(error: unknown): undefined {
  if (error instanceof ConversionError && error.reason === 'too-large') throw error;
}
