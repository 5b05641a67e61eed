/** What a UTF-16 code unit is to the tokenizer. */
export const SEPARATOR = 0;
/** A letter, or a digit outside ASCII. */
export const LETTER = 1;
/** 0–9. */
export const DIGIT = 2;
/** A letter of a script written without spaces: words are made of pairs of neighbours. */
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

/** Class of each code unit, filled in as units are met ({@link classify}); the whole of ASCII at once. */
export const CLASSES: Uint8Array = asciiClasses();

/** For ASCII: the unit in lower case where it belongs to a word, else 0. */
export const ASCII_WORD: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (CLASSES[unit] === SEPARATOR) return 0;
  return CLASSES[unit] === DIGIT ? unit : unit | 32;
});

/** Class of a code unit met for the first time. */
export function classify(unit: number): number {
  const known = CLASSES[unit]!;
  if (known !== UNKNOWN) return known;
  const found = classOf(unit);
  CLASSES[unit] = found;
  return found;
}

/** The first mark; what is below is a letter with its mark, or a sign. */
const FIRST_MARK = 0x300;
/** Consonants and vowels of Korean, of which syllables are made. */
const FIRST_JAMO = 0x1100;
const LAST_JAMO = 0x11ff;

/** Pairs of units that are looked at together. */
const PAIRS_AT_ONCE = 64;

/** True when among the first units there are marks that stand behind their letters, or syllables in parts. */
export function hasMarks(chars: Uint16Array, length: number): boolean {
  // Most passages have nothing so far up, which two units at a time tell without a branch.
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

/** True when the pair of surrogates is a letter or digit. */
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
