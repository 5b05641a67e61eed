/** Class of a UTF-16 code unit for the tokenizer. */
export const SEPARATOR = 0;
/** A letter, or a digit outside ASCII. */
export const LETTER = 1;
/** 0–9. */
export const DIGIT = 2;
/** A letter of a script without spaces: words are pairs of neighbours. */
export const DENSE = 3;
/** A combining mark or joiner: continues a word, never begins one. */
export const MARK = 4;
/** Half of a surrogate pair; the pair decides. */
export const SURROGATE = 5;
const UNKNOWN = 255;

const DENSE_SCRIPTS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]/u;
const JOINING = /[\p{M}\u200c\u200d]/u;

/** Class of each code unit. ASCII is filled in at once, other units on first use ({@link classify}). */
export const CLASSES: Uint8Array = asciiClasses();

/** For ASCII: the unit in lower case if it belongs to a word, else 0. */
export const ASCII_WORD: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (CLASSES[unit] === SEPARATOR) return 0;
  return CLASSES[unit] === DIGIT ? unit : unit | 32;
});

/** Computes the class of a code unit on first use. */
export function classify(unit: number): number {
  const known = CLASSES[unit]!;
  if (known !== UNKNOWN) return known;
  const found = classOf(unit);
  CLASSES[unit] = found;
  return found;
}

/** The first combining mark. Below it, accented letters are single units. */
const FIRST_MARK = 0x300;
/** Consonants and vowels of Korean, of which syllables are made. */
const FIRST_JAMO = 0x1100;
const LAST_JAMO = 0x11ff;

/** Number of unit pairs that are checked together. */
const PAIRS_AT_ONCE = 64;

/** True if the text has combining marks behind their letters, or syllables in parts. */
export function hasMarks(chars: Uint16Array, length: number): boolean {
  // Most passages have no unit in this range. Two units at a time are checked without a branch.
  const pairs = new Uint32Array(chars.buffer, chars.byteOffset, length >>> 1);
  for (let from = 0; from < pairs.length; from += PAIRS_AT_ONCE) {
    const to = Math.min(pairs.length, from + PAIRS_AT_ONCE);
    let bits = 0;
    for (let i = from; i < to; i++) bits |= pairs[i]!;
    if (((bits >>> 16) | (bits & 0xffff)) < FIRST_MARK) continue;
    for (let i = 2 * from; i < 2 * to; i++) if (isMark(chars[i]!)) return true;
  }
  return length % 2 !== 0 && isMark(chars[length - 1]!);
}

function isMark(unit: number): boolean {
  return unit >= FIRST_MARK && (classify(unit) === MARK || (unit >= FIRST_JAMO && unit <= LAST_JAMO));
}

/** True if the surrogate pair is a letter or digit. */
export function isAstralWord(high: number, low: number): boolean {
  return WORD.test(String.fromCharCode(high, low));
}

function classOf(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return SURROGATE;
  const char = String.fromCharCode(unit);
  if (JOINING.test(char)) return MARK;
  if (!WORD.test(char)) return SEPARATOR;
  return DENSE_SCRIPTS.test(char) ? DENSE : LETTER;
}

function asciiClasses(): Uint8Array {
  const classes = new Uint8Array(65536).fill(UNKNOWN);
  for (let unit = 0; unit < 128; unit++) {
    const isDigit = unit >= 48 && unit <= 57;
    const lower = unit | 32;
    const isLetter = unit >= 65 && lower >= 97 && lower <= 122;
    classes[unit] = isDigit ? DIGIT : isLetter ? LETTER : SEPARATOR;
  }
  return classes;
}
