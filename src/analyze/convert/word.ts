import CFB from 'cfb';
import mammoth from 'mammoth';
import WordExtractor from 'word-extractor';
import { firstLine, paragraphs } from './markup.ts';
import { ConversionError, type ConvertedDocument } from './outcome.ts';
import { powerPointDocument } from './powerpoint-records.ts';
import { propertyTitle } from './xml-text.ts';
import type { Archive } from './zip.ts';

/** Word since 2007. The archive is read once within its limits before mammoth, which has none, unfolds it again. */
export async function convertDocx(bytes: Uint8Array, archive: Archive): Promise<ConvertedDocument> {
  for (const name of archive.names) if (!name.includes('/media/')) await archive.read(name);
  const noImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  const result = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage: noImages });
  return { title: await propertyTitle(archive), body: result.value };
}

/** Word and PowerPoint until 2003: which of them, the streams inside tell. */
export async function convertOle(bytes: Uint8Array): Promise<ConvertedDocument> {
  const container = CFB.read(Buffer.from(bytes), { type: 'buffer' });
  const slides = CFB.find(container, 'PowerPoint Document');
  if (slides !== null) return powerPointDocument(Buffer.from(slides.content));
  if (CFB.find(container, 'WordDocument') === null) throw new ConversionError('type', 'neither Word nor PowerPoint');
  const document = await new WordExtractor().extract(Buffer.from(bytes));
  const parts = [document.getBody(), document.getTextboxes(), document.getFootnotes(), document.getEndnotes()];
  const text = parts.join('\n').replace(/[\r\n]+/g, '\n\n');
  return { title: firstLine(text), body: paragraphs(text) };
}
