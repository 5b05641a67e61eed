import CFB from 'cfb';
import mammoth from 'mammoth';
import type { Archive } from './archive.ts';
import { fieldAddress, firstLine, firstLineOf, htmlLink, paragraphs } from './markup.ts';
import { diagramsOf } from './office-xml.ts';
import { ConversionError, type ConvertedDocument } from './outcome.ts';
import { powerPointDocument } from './powerpoint-records.ts';
import { wordExtractor } from './word-characters.ts';
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

/** Where the head of a Word document says so ([MS-DOC] §2.5.2, fEncrypted). */
const FLAGS = 11;
const ENCRYPTED = 1;
/** What the head of a document begins with when Word 6 or 95 wrote it (wIdent). */
const WORD_95 = 0xa5dc;

/** Word and PowerPoint until 2003: which of them, the streams inside tell. */
export async function convertOle(bytes: Uint8Array): Promise<ConvertedDocument> {
  const container = CFB.read(Buffer.from(bytes), { type: 'buffer' });
  // [MS-OFFCRYPTO] §2.1: what asks for a password lies in a container of this kind, a file of today, too.
  const isLocked = ['EncryptedPackage', 'EncryptedSummary'].some((name) => CFB.find(container, name) !== null);
  if (isLocked) throw new ConversionError('protected', 'the document asks for a password');
  const slides = CFB.find(container, 'PowerPoint Document');
  if (slides !== null) {
    const user = CFB.find(container, 'Current User');
    return powerPointDocument(Buffer.from(slides.content), Buffer.from(user?.content ?? []));
  }
  const words = CFB.find(container, 'WordDocument');
  if (words === null) throw new ConversionError('type', 'neither Word nor PowerPoint');
  if (((words.content[FLAGS] ?? 0) & ENCRYPTED) !== 0)
    throw new ConversionError('protected', 'the document asks for a password');
  if (Buffer.from(words.content).readUInt16LE(0) === WORD_95)
    throw new ConversionError('type', 'a Word document of before 1997, which is not read');
  const document = await new (wordExtractor())().extract(Buffer.from(bytes));
  const parts = [document.getBody(), document.getTextboxes(), document.getFootnotes(), document.getEndnotes()];
  const text = parts.join('\n').replace(/[\r\n]+/g, '\n\n');
  return { title: firstLine(text), body: `${paragraphs(text)}${linksOf(Buffer.from(words.content))}` };
}

/** A link is a field in the text: mark, instruction, mark, what is shown, mark ([MS-DOC] §2.8.25). */
const LINK_FIELD =
  /\x13\s{0,9}HYPERLINK\s{1,9}(?:\\[a-km-z]\s{1,9})?"([^"\x13-\x15]{1,2000})"[^\x13-\x15]{0,500}\x14([^\x13-\x15]{0,500})/g;
const MAX_LINKS = 1_000;

/** The stream holds its text in bytes or in UTF-16, piece by piece; either is found by reading it both ways. */
function linksOf(stream: Buffer): string {
  const links = new Map<string, string>();
  for (const text of [stream.toString('latin1'), stream.toString('utf16le'), stream.subarray(1).toString('utf16le')])
    for (const [, target, shown] of text.matchAll(LINK_FIELD)) {
      const address = fieldAddress(target!);
      if (links.size < MAX_LINKS && address !== '') links.set(address, cleaned(shown!));
    }
  return [...links].map(([target, shown]) => `\n<p>${htmlLink(target, shown)}</p>`).join('');
}

/** Marks of formatting are control characters. */
function cleaned(text: string): string {
  return text.replace(/\p{Cc}+/gu, '').trim();
}
