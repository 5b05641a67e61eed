// Portals load this file as a script, too: it has no imports and uses only what browsers have.

/** Arabic letters that keyboards and encodings produce instead of the Persian ones, which look the same. */
const ARABIC = { '\u0643': '\u06a9', '\u064a': '\u06cc', '\u0649': '\u06cc', '\u0629': '\u0647', '\u06c0': '\u0647' };

/** Returns a Persian word in its own letters, without vowel marks and plural endings: كتابهاي becomes کتاب. */
export function persianStem(word: string): string {
  const letters = word.replace(/[\u064b-\u065f\u0670\u0640]/g, '').replace(/[\u0643\u064a\u0649\u0629\u06c0]/g, own);
  return letters.replace(/(?<=.{3})ها(?:ی|یی)?$/, '');
}

function own(letter: string): string {
  return ARABIC[letter as keyof typeof ARABIC];
}
