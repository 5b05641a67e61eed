// Portals load this file as a script, too: it has no imports and uses only what browsers have.

const BACK = 'aıou';
const FRONT = 'eiöü';

/**
 * A Turkish stemmer that treats ı and i as one letter. Language-independent lower case maps both I and İ to i, so
 * IŞIK and ışık would differ. The stemmer needs the right letter: it is restored by the surrounding vowels, which
 * agree in native words, and removed from the stem. Loan words may get the wrong letter, but do so everywhere.
 */
export function withoutDots(stemmer: (word: string) => string): (word: string) => string {
  return (word) => stemmer(harmonious(word.replaceAll('ı', 'i'))).replaceAll('ı', 'i');
}

/** Replaces each i by the one that agrees with the preceding vowel; at the beginning, with the first other vowel. */
function harmonious(word: string): string {
  if (!word.includes('i')) return word;
  const letters = [...word];
  let isBack = BACK.includes(letters.find((letter) => letter !== 'i' && (BACK + FRONT).includes(letter)) ?? 'i');
  return letters
    .map((letter) => {
      if (letter === 'i') return isBack ? 'ı' : 'i';
      if ((BACK + FRONT).includes(letter)) isBack = BACK.includes(letter);
      return letter;
    })
    .join('');
}
