import mammoth from 'mammoth';
import { type ConvertedDocument, firstLineOf } from '../analyze/index.ts';
import type { Archive } from './archive.ts';
import { diagramsOf } from './office-xml.ts';
import { readAllOfWord } from './word-elements.ts';
import { hidingStyles } from './word-styles.ts';
import { propertyTitle } from './xml-text.ts';

/** Of a field that says more than the address (`HYPERLINK "http://…" \\o "a tip"`) mammoth takes all up to the last quotation mark. */
const FIELD_OPTIONS = /(<a href="[^"]*?)&quot;[^"]*/g;

/** Word since 2007. The archive is read once within its limits before mammoth, which has none, unfolds it again. */
export async function convertDocx(bytes: Uint8Array, archive: Archive): Promise<ConvertedDocument> {
  for (const name of archive.names) if (!name.includes('/media/')) await archive.read(name);
  const noImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  readAllOfWord(await hidingStyles(archive));
  const result = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage: noImages });
  const body = result.value.replace(FIELD_OPTIONS, '$1') + (await diagramsOf(archive));
  return { title: (await propertyTitle(archive)) || firstLineOf(body), body };
}
