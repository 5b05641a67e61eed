import { decodeBody } from '../analyze/index.ts';
import { type Piece, partsHtml } from './word-binary.ts';

/** The head of a document of Word 6 and 95: language, flags, range of the text, lengths of its parts, table of pieces (Word 6 file format). */
const LANGUAGE_AT = 0x06;
const FLAGS_AT = 0x0a;
const HAS_PIECES = 0x0004;
const TEXT_FROM_AT = 0x18;
const TEXT_TO_AT = 0x1c;
const COUNTS_AT = 0x34;
const PIECES_AT = 0x160;
const PIECES_LENGTH_AT = 0x164;

/** Encodings by the primary language of Windows' language identifiers ([MS-LCID] §2.2); others have Latin letters. */
const ENCODINGS: Readonly<Record<number, string>> = {
  1: 'windows-1256',
  2: 'windows-1251',
  5: 'windows-1250',
  8: 'windows-1253',
  13: 'windows-1255',
  14: 'windows-1250',
  17: 'shift_jis',
  18: 'euc-kr',
  21: 'windows-1250',
  24: 'windows-1250',
  25: 'windows-1251',
  27: 'windows-1250',
  30: 'windows-874',
  31: 'windows-1254',
  34: 'windows-1251',
  35: 'windows-1251',
  36: 'windows-1250',
  37: 'windows-1257',
  38: 'windows-1257',
  39: 'windows-1257',
  47: 'windows-1251',
};
const CHINESE = 0x04;
const TRADITIONAL: ReadonlySet<number> = new Set([0x0404, 0x0c04, 0x1404]);
const PRIMARY_LANGUAGE = 0x03ff;

/**
 * Returns the paragraphs of a document of Word 6 or 95 as HTML, one per item, with their links. Formats are not read: hidden text is shown.
 * @param words - the stream `WordDocument`
 * @throws RangeError for places outside the stream
 */
export function word95Paragraphs(words: Buffer): readonly string[] {
  const encoding = encodingOf(words.readUInt16LE(LANGUAGE_AT));
  return partsHtml({
    words,
    countsAt: COUNTS_AT,
    pieces: piecesOf(words),
    runs: { characters: [], paragraphs: [], hidingStyles: new Set() },
    decode: (bytes) => decodeBody(bytes, encoding, false),
  });
}

function encodingOf(language: number): string {
  const primary = language & PRIMARY_LANGUAGE;
  if (primary === CHINESE) return TRADITIONAL.has(language) ? 'big5' : 'gbk';
  return ENCODINGS[primary] ?? 'windows-1252';
}

/** The pieces of a document that was saved quickly; otherwise its text is one piece. */
function piecesOf(words: Buffer): readonly Piece[] {
  const start = words.readUInt32LE(TEXT_FROM_AT);
  const whole: Piece = { from: 0, to: words.readUInt32LE(TEXT_TO_AT) - start, at: start, bytesPerChar: 1 };
  if ((words.readUInt16LE(FLAGS_AT) & HAS_PIECES) === 0) return [whole];
  let at = words.readUInt32LE(PIECES_AT);
  const end = at + words.readUInt32LE(PIECES_LENGTH_AT);
  // Properties of pieces stand before them.
  while (at < end && words.readUInt8(at) === 1) at += 3 + words.readUInt16LE(at + 1);
  if (at >= end || words.readUInt8(at) !== 2) return [whole];
  const count = Math.floor((words.readUInt32LE(at + 1) - 4) / 12);
  const table = words.subarray(at + 5, end);
  return Array.from({ length: count }, (_, i) => ({
    from: table.readUInt32LE(4 * i),
    to: table.readUInt32LE(4 * (i + 1)),
    at: table.readUInt32LE(4 * (count + 1) + 8 * i + 2),
    bytesPerChar: 1,
  }));
}
