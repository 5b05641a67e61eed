/** Longer tokens are not words and are not stemmed. */
export const MAX_TOKEN_CHARS = 30;

/** Shorter words are their own stems. */
const MIN_CHARS = 3;

const scratch = Buffer.allocUnsafeSlow(MAX_TOKEN_CHARS);

/**
 * Returns the Porter stem of a lower-case word. Words with letters outside a–z, and those longer than {@link
 * MAX_TOKEN_CHARS}, are returned unchanged.
 */
export function stem(word: string): string {
  if (word.length > MAX_TOKEN_CHARS || !/^[a-z]+$/.test(word)) return word;
  scratch.write(word, 'latin1');
  return scratch.toString('latin1', 0, stemInPlace(scratch, word.length));
}

/**
 * Stems an ASCII word in place, at the beginning of some bytes. The stem is never longer.
 *
 * The rules are those of Porter (*An algorithm for suffix stripping*, Program 14(3), 1980), steps 1a to 5b, with the
 * changes of his own program: words of one or two letters stay, and step 2 has `bli` for `abli`, and `logi`. A suffix
 * is never the whole word. `test/analyze/words.test.ts` compares with the package `porter-stemmer`.
 * @returns the stem's length
 */
export function stemInPlace(word: Uint8Array, length: number): number {
  if (length < MIN_CHARS || length > MAX_TOKEN_CHARS) return length;
  for (let i = 0; i < length; i++) if (word[i]! < A || word[i]! > Z) return length;
  let end = withoutPlural(word, length);
  end = withoutPast(word, end);
  if (end > 1 && word[end - 1] === Y && hasVowel(word, end - 1)) word[end - 1] = I;
  end = replaced(word, end, STEP_2, 1);
  end = replaced(word, end, STEP_3, 1);
  end = replaced(word, end, STEP_4, 2);
  return withoutLast(word, end);
}

const A = 97;
const B = 98;
const E = 101;
const I = 105;
const L = 108;
const O = 111;
const S = 115;
const T = 116;
const U = 117;
const W = 119;
const X = 120;
const Y = 121;
const Z = 122;

/** The replacement of a suffix. */
interface Rule {
  readonly suffix: Uint8Array;
  readonly by: Uint8Array;
}

/** By the last letter of the suffix, longest suffixes first: the longest match applies. */
type Rules = readonly (readonly Rule[])[];

const STEP_2 = rules(
  'ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ' +
    'ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log',
);
const STEP_3 = rules('icate:ic ative: alize:al iciti:ic ical:ic ful: ness:');
/** `sion` and `tion` keep their first letter. */
const STEP_4 = rules(
  'al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ou: ism: ate: iti: ous: ive: ize: sion:s tion:t',
);
const SSES = bytes('sses');
const IES = bytes('ies');
const EED = bytes('eed');
const ED = bytes('ed');
const ING = bytes('ing');

function rules(list: string): Rules {
  const made = list.split(' ').map((rule) => rule.split(':').map(bytes));
  const all = made.map(([suffix, by]) => ({ suffix: suffix!, by: by! }));
  all.sort((a, b) => b.suffix.length - a.suffix.length);
  return Array.from({ length: Z + 1 }, (_, letter) => all.filter(({ suffix }) => suffix.at(-1) === letter));
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Step 1a. */
function withoutPlural(word: Uint8Array, end: number): number {
  if (endsWith(word, end, SSES) || endsWith(word, end, IES)) return end - 2;
  return word[end - 1] === S && word[end - 2] !== S ? end - 1 : end;
}

/** Step 1b. */
function withoutPast(word: Uint8Array, length: number): number {
  if (endsWith(word, length, EED)) return measure(word, length - EED.length) > 0 ? length - 1 : length;
  const suffix = endsWith(word, length, ED) ? ED : ING;
  if (!endsWith(word, length, suffix) || !hasVowel(word, length - suffix.length)) return length;
  const end = length - suffix.length;
  if (!lacksE(word, end) && isDoubled(word, end)) return end - 1;
  if (!lacksE(word, end) && !isShort(word, end)) return end;
  word[end] = E;
  return end + 1;
}

/** True if it ends in at, bl or iz. */
function lacksE(word: Uint8Array, end: number): boolean {
  if (end < 2) return false;
  const [last, before] = [word[end - 1]!, word[end - 2]!];
  return (before === A && last === T) || (before === B && last === L) || (before === I && last === Z);
}

function isDoubled(word: Uint8Array, end: number): boolean {
  const last = word[end - 1]!;
  return end > 1 && last === word[end - 2] && isPlainConsonant(last) && last !== L && last !== S && last !== Z;
}

/** Steps 2 to 4: replaces the longest matching suffix if the rest has a sufficient measure. */
function replaced(word: Uint8Array, end: number, step: Rules, least: number): number {
  const list = step[word[end - 1]!]!;
  for (let i = 0; i < list.length; i++) {
    const { suffix, by } = list[i]!;
    if (!endsWith(word, end, suffix)) continue;
    const start = end - suffix.length;
    // The part of a suffix that step 4 keeps counts as part of the stem.
    if (measure(word, step === STEP_4 ? start + by.length : start) < least) return end;
    word.set(by, start);
    return start + by.length;
  }
  return end;
}

/** Step 5. */
function withoutLast(word: Uint8Array, length: number): number {
  let end = length;
  if (end > 1 && word[end - 1] === E) {
    const m = measure(word, end - 1);
    if (m > 1 || (m === 1 && !isShort(word, end - 1))) end--;
  }
  return word[end - 1] === L && word[end - 2] === L && measure(word, end) > 1 ? end - 1 : end;
}

/** True if the word is longer than the suffix and ends with it. */
function endsWith(word: Uint8Array, end: number, suffix: Uint8Array): boolean {
  if (end <= suffix.length) return false;
  for (let i = suffix.length, at = end; i > 0; ) if (word[--at] !== suffix[--i]) return false;
  return true;
}

/** Porter's m: how often a consonant follows a vowel. */
function measure(word: Uint8Array, end: number): number {
  let m = 0;
  let isConsonant = true;
  for (let i = 0; i < end; i++) {
    const was: boolean = isConsonant;
    isConsonant = word[i] === Y ? i === 0 || !was : !isVowel(word[i]!);
    if (isConsonant && !was) m++;
  }
  return m;
}

function hasVowel(word: Uint8Array, end: number): boolean {
  // A y after a consonant is a vowel. After a vowel, the loop has returned already.
  for (let i = 0; i < end; i++) if (isVowel(word[i]!) || (i > 0 && word[i] === Y)) return true;
  return false;
}

/** True for consonants, one vowel, and a consonant other than w, x or y. */
function isShort(word: Uint8Array, end: number): boolean {
  if (end < 3) return false;
  const last = word[end - 1]!;
  if (!isPlainConsonant(last) || last === W || last === X || isPlainConsonant(word[end - 2]!)) return false;
  for (let i = 1; i < end - 2; i++) if (!isPlainConsonant(word[i]!)) return false;
  return !isVowel(word[0]!);
}

/** True for a letter that is neither a vowel nor y. */
function isPlainConsonant(letter: number): boolean {
  return letter !== Y && !isVowel(letter);
}

function isVowel(letter: number): boolean {
  return letter === A || letter === E || letter === I || letter === O || letter === U;
}
