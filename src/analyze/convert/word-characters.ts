import { createRequire } from 'node:module';
import type WordExtractor from 'word-extractor';
import { windows1252Of } from '../encoding/charset.ts';
import { markUnseenText } from './word-properties.ts';

const require = createRequire(import.meta.url);

let extractor: typeof WordExtractor | undefined;

/** Its part that reads old Word documents. */
interface OleExtractor {
  writeCharacterProperties(words: Buffer, tables: Buffer): void;
}

/**
 * word-extractor with our own reading of characters, and of which of them are seen. Its tables have gaps, and in place of what they lack it writes `undefined`:
 * where a word may be parted, for one, which a German text has on every page.
 */
export function wordExtractor(): typeof WordExtractor {
  if (extractor === undefined) {
    // The library takes them from there when it is loaded.
    Object.assign(require('word-extractor/lib/filters.js'), { binaryToUnicode: windows1252Of, clean: wordText });
    const { prototype } = require('word-extractor/lib/word-ole-extractor.js') as { readonly prototype: OleExtractor };
    const { writeCharacterProperties } = prototype;
    prototype.writeCharacterProperties = function (words, tables) {
      markUnseenText(words, tables);
      writeCharacterProperties.call(this, words, tables);
    };
    extractor = require('word-extractor') as typeof WordExtractor;
  }
  return extractor;
}

/** Runs of text, and marks of fields one by one. */
const PARTS = /[\x13-\x15]|[^\x13-\x15]+/g;
const FIELD_BEGIN = '\x13';
const FIELD_RESULT = '\x14';
const FIELD_END = '\x15';

interface Field {
  /** Parts that were there before it. */
  readonly from: number;
  hasResult: boolean;
}

/** The text of a Word document, characters with a meaning of their own put as text, and of fields what is shown ([MS-DOC] §2.4.1, §2.8.25). */
function wordText(raw: string): string {
  const parts: string[] = [];
  const open: Field[] = [];
  for (const part of raw.match(PARTS) ?? []) {
    const field = open.at(-1);
    if (part === FIELD_BEGIN) {
      open.push({ from: parts.length, hasResult: false });
    } else if (part === FIELD_RESULT) {
      if (field === undefined) continue;
      parts.length = field.from;
      field.hasResult = true;
    } else if (part === FIELD_END) {
      if (open.pop()?.hasResult === false) parts.length = field!.from;
    } else {
      parts.push(part);
    }
  }
  return parts
    .join('')
    .replace(/\x07/g, '\t')
    .replace(/[\n\x0b\x0c\r]/g, '\n')
    .replace(/\x1e/g, '-')
    .replace(/[\0-\x08\x1f]/g, '');
}
