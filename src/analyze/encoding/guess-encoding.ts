import { createRequire } from 'node:module';
import type Chardet from 'chardet';
import { primaryTag } from '../words/language.ts';

/** Number of bytes of a page searched for text. */
const SEEN_BYTES = 64 * 1024;
/** Number of bytes of its text that are counted. */
const GUESS_BYTES = 16 * 1024;

/**
 * Words with letters beyond ASCII. In some encodings the second byte of a letter may be a digit, @ or a sign from [
 * to ~.
 */
const FOREIGN_WORD = /(?<![0-9@-~\x80-\xff])[0-9@-~]*[\x80-\xff][0-9@-~\x80-\xff]*/g;
/** If at least this share is foreign, the ASCII words are quotations without information about the encoding. */
const FOREIGN_SHARE = 0.5;
/** The declared language wins if its own encodings reach this share of the best score. */
const DECLARED_SHARE = 1 / 3;

/** Fewer Thai marks than this may be in valid positions by chance. */
const MIN_THAI_MARKS = 20;
const THAI_MARK = /[\xd1\xd4-\xda\xe7-\xee]/g;
const THAI_MARKED = /(?<=[\xa1-\xce\xd1\xd4-\xda\xe7-\xee])[\xd1\xd4-\xda\xe7-\xee]/g;
const NOT_THAI = /[\x80-\xa0\xfc-\xff]/;

/**
 * Letters of DOS's Cyrillic, which chardet does not know, runs of them, and its lower-case letters, which are in two
 * ranges.
 */
const DOS_CYRILLIC = /[\x80-\xaf\xe0-\xf1]/g;
const DOS_CYRILLIC_WORD = /[\x80-\xaf\xe0-\xf1]{3,}/g;
const DOS_CYRILLIC_SMALL = /[\xa0-\xaf\xe0-\xef]/g;
/** The most frequent vowels: а, е, и, о. */
const DOS_CYRILLIC_VOWEL = /[\xa0\xa5\xa8\xae]/g;
const MIN_DOS_LETTERS = 20;

const require = createRequire(import.meta.url);

/**
 * Guesses the encoding of a page from letter statistics of its words: markup is ASCII in any encoding and looks like
 * English.
 * @returns a label, `''` without evidence
 */
export function guessEncoding(body: Uint8Array, isHtml: boolean): string {
  const page = Buffer.from(body.buffer, body.byteOffset, Math.min(SEEN_BYTES, body.byteLength)).toString('latin1');
  const text = (isHtml ? withoutMarkup(page) : page).replace(/\s+/g, ' ').slice(0, GUESS_BYTES);
  const foreign = (text.match(FOREIGN_WORD) ?? []).join(' ');
  if (isThai(foreign)) return 'windows-874';
  if (isDosCyrillic(foreign)) return 'ibm866';
  // Half-foreign text has a Latin script: its plain words distinguish Italian from Hungarian, the others Polish from
  // English.
  const samples = foreign.length > FOREIGN_SHARE * text.length ? [foreign] : [foreign, text];
  const scores = scoresOf(samples);
  const declared = isHtml ? primaryTag(/<html[^>]*\slang\s*=\s*["']?([\w-]+)/i.exec(page)?.[1] ?? '') : '';
  const own = scores.find(({ language, score }) => language === declared && score > DECLARED_SHARE * scores[0]!.score);
  const label = (own ?? scores[0])?.label ?? '';
  // Ukrainian has four letters where KOI8-R has box-drawing lines.
  if (label === 'KOI8-R') return 'koi8-u';
  // Persian has letters there, which the older Arabic standard lacks.
  return label === 'ISO-8859-6' && /[\x80-\x9f]/.test(foreign) ? 'windows-1256' : label;
}

interface Score {
  readonly label: string;
  /** ISO 639-1, if the statistics belong to one language. */
  readonly language: string | undefined;
  readonly score: number;
}

/** Scores summed over the samples, best first. */
function scoresOf(samples: readonly string[]): readonly Score[] {
  const chardet: typeof Chardet = require('chardet');
  const sums = new Map<string, Score>();
  for (const { name, lang, confidence } of samples.flatMap((text) => chardet.analyse(Buffer.from(text, 'latin1')))) {
    const key = `${name} ${lang}`;
    sums.set(key, { label: name, language: lang, score: (sums.get(key)?.score ?? 0) + confidence });
  }
  return [...sums.values()].sort((a, b) => b.score - a.score);
}

/** Removes tags, comments, scripts, styles and character references; bytes stay unchanged. */
function withoutMarkup(page: string): string {
  let text = '';
  let hiddenBy = '';
  for (const part of page.split('<')) {
    const name = /^\/?[a-z]+/i.exec(part)?.[0].toLowerCase() ?? '';
    if (hiddenBy !== '' && name !== `/${hiddenBy}`) continue;
    hiddenBy = name === 'script' || name === 'style' ? name : '';
    if (hiddenBy === '') text += ` ${part.slice(part.indexOf('>') + 1)}`;
  }
  return text.replace(/&#?\w+;/g, ' ');
}

/**
 * Whether each vowel mark and tone follows a letter that can have it: bytes of other encodings do not follow this
 * rule.
 */
function isThai(foreign: string): boolean {
  if (NOT_THAI.test(foreign)) return false;
  const marks = count(foreign, THAI_MARK);
  return marks >= MIN_THAI_MARKS && count(foreign, THAI_MARKED) > 0.98 * marks;
}

/**
 * Whether almost all bytes beyond ASCII are such letters, mostly in runs and lower case, with every fifth a common
 * vowel.
 */
function isDosCyrillic(foreign: string): boolean {
  const letters = (foreign.match(DOS_CYRILLIC_WORD) ?? []).join('');
  const all = count(foreign, /[\x80-\xff]/g);
  if (letters.length < MIN_DOS_LETTERS || letters.length < 0.6 * all) return false;
  if (count(foreign, DOS_CYRILLIC) < 0.9 * all) return false;
  return (
    count(letters, DOS_CYRILLIC_SMALL) > 0.7 * letters.length &&
    count(letters, DOS_CYRILLIC_VOWEL) > 0.2 * letters.length
  );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
