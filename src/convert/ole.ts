import CFB from 'cfb';
import { type ConvertedDocument, firstLineOf } from '../analyze/index.ts';
import { ConversionError } from './outcome.ts';
import { powerPointDocument } from './powerpoint-records.ts';
import { word95Paragraphs } from './word-95.ts';
import { isLockedWord, tableStreamOf, wordParagraphs } from './word-binary.ts';

/** What the head of a document begins with that Word 97 to 2003 wrote (wIdent, [MS-DOC] §2.5.2), and one of Word 6 or 95. */
const WORD_97 = 0xa5ec;
const WORD_95 = 0xa5dc;
/** The stream `Current User` has this mark if the presentation is encrypted ([MS-PPT] §2.3.2). */
const USER_MARK_AT = 12;
const ENCRYPTED_SLIDES = 0xf3d1_c4df;
/** A file that PowerPoint 95 and 97 can both read has the newer presentation in here. */
const NEWER_SLIDES = 'PP97_DUALSTORAGE';

/** Word and PowerPoint until 2003: the streams of the container decide which. Streams of embedded documents do not count. */
export function convertOle(bytes: Uint8Array): ConvertedDocument {
  const stream = streamsOf(bytes);
  // [MS-OFFCRYPTO] §2.1: what asks for a password lies in a container of this kind, a file of today, too.
  if (stream('EncryptedPackage') !== undefined || stream('EncryptedSummary') !== undefined) throw locked();
  const words = stream('WordDocument');
  if (words !== undefined) return convertWord(words, stream);
  const folder = stream(`${NEWER_SLIDES}/PowerPoint Document`) === undefined ? '' : `${NEWER_SLIDES}/`;
  const slides = stream(`${folder}PowerPoint Document`);
  if (slides === undefined) throw new ConversionError('type', 'neither Word nor PowerPoint');
  const user = stream(`${folder}Current User`) ?? Buffer.alloc(0);
  if (user.length >= USER_MARK_AT + 4 && user.readUInt32LE(USER_MARK_AT) === ENCRYPTED_SLIDES) throw locked();
  return powerPointDocument(slides, user);
}

type Streams = (path: string) => Buffer | undefined;

/** The streams by their paths from the root; upper and lower case are alike ([MS-CFB] §2.6.4). */
function streamsOf(bytes: Uint8Array): Streams {
  const { FileIndex, FullPaths } = CFB.read(Buffer.from(bytes), { type: 'buffer' });
  const root = FullPaths[0]?.length ?? 0;
  const streams = new Map<string, Buffer>();
  for (const [i, path] of FullPaths.entries()) {
    const content = FileIndex[i]?.content;
    const name = path.slice(root).toLowerCase();
    if (content !== undefined && !path.endsWith('/') && !streams.has(name)) streams.set(name, Buffer.from(content));
  }
  return (path) => streams.get(path.toLowerCase());
}

function convertWord(words: Buffer, stream: Streams): ConvertedDocument {
  if (isLockedWord(words)) throw locked();
  const mark = words.length >= 2 ? words.readUInt16LE(0) : 0;
  if (mark === WORD_95) return pageOf(word95Paragraphs(words));
  if (mark !== WORD_97) throw new ConversionError('damaged', 'the stream of the document does not begin like one');
  const tables = stream(tableStreamOf(words));
  if (tables === undefined) throw new ConversionError('damaged', 'the document lacks its tables');
  return pageOf(wordParagraphs(words, tables));
}

function pageOf(paragraphs: readonly string[]): ConvertedDocument {
  const body = paragraphs.map((paragraph) => `<p>${paragraph.trim()}</p>`).join('\n');
  return { title: firstLineOf(body), body };
}

function locked(): ConversionError {
  return new ConversionError('protected', 'the document asks for a password');
}
