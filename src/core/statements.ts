import { HASH_START, hashStep, mix32 } from '../kit/index.ts';

/** Maximum number of statements kept per page. */
export const MAX_STATEMENTS = 48;
const FULL = 2 ** 32;

const kept = new Uint32Array(MAX_STATEMENTS);

/**
 * Returns hashes of the *statements* of a text: runs of three words within a sentence, without case and without words
 * that hold a number. Of more than {@link MAX_STATEMENTS} the lowest are kept, so that equal statements of two pages are kept on
 * both (min-wise samples: Broder 1997). Distinct, ascending.
 */
export function statementsOf(text: Uint16Array): Uint32Array {
  let [size, first, second, words] = [0, 0, 0, 0];
  let [word, isWord, hasNumber] = [HASH_START, false, false];
  for (let i = 0; i <= text.length; i++) {
    const unit = i < text.length ? letterOf(text[i]!) : 0;
    if (unit !== 0) {
      isWord = true;
      hasNumber ||= unit <= NINE;
      word = hashStep(word, unit);
      continue;
    }
    if (isWord && !hasNumber) {
      const third = mix32(word);
      if (++words > 2) size = keep(mix32(first ^ Math.imul(second, 5) ^ Math.imul(third, 17)), size);
      first = second;
      second = third;
    }
    if (isWord) [word, isWord, hasNumber] = [HASH_START, false, false];
    if (ENDS.has(text[i]!)) words = 0;
  }
  return kept.slice(0, size);
}

/** Estimates how many statements a text has of which these were kept. */
export function countStatements(statements: Uint32Array): number {
  const highest = statements[MAX_STATEMENTS - 1];
  return highest === undefined ? statements.length : Math.round((MAX_STATEMENTS - 1) * (FULL / (highest + 1)));
}

/** Adds a hash to the lowest ones, in order. @returns the number kept */
function keep(hash: number, size: number): number {
  if (size === MAX_STATEMENTS && hash >= kept[size - 1]!) return size;
  let at = size;
  while (at > 0 && kept[at - 1]! > hash) at--;
  if (at > 0 && kept[at - 1] === hash) return size;
  const end = Math.min(size, MAX_STATEMENTS - 1);
  kept.copyWithin(at + 1, at, end);
  kept[at] = hash;
  return end + 1;
}

const NINE = 57;
/** Characters that end a sentence or a paragraph. */
const ENDS: ReadonlySet<number> = new Set(Array.from('\n.:;!?\u3002\uff01\uff1f', (c) => c.charCodeAt(0)));

/** Returns a letter in lower case or a digit; 0 for all other characters. */
function letterOf(unit: number): number {
  if (unit < 128) {
    if (unit >= 97 ? unit <= 122 : unit >= 48 && unit <= NINE) return unit;
    return unit >= 65 && unit <= 90 ? unit + 32 : 0;
  }
  // Spaces and punctuation, halves of surrogate pairs, and what stands in for them once stored.
  const isOther =
    unit < 192 || (unit >= 0x2000 && unit <= 0x206f) || (unit >= 0x3000 && unit <= 0x303f) || unit === 0xfffd;
  return isOther || (unit >= 0xd800 && unit <= 0xdfff) ? 0 : unit;
}
