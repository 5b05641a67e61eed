// Read by portals, too, as a script: no imports, nothing that a browser lacks.

const BACK = 'aıou';
const FRONT = 'eiöü';

/**
 * A stemmer of Turkish for which ı and i are one letter. Lower case without knowing the language makes i of both I and İ, so that
 * IŞIK would be another word than ışık. Which of the two stands where matters to the stemmer: it is put back by the vowels around,
 * which agree in native words, and taken out of the stem. Loan words may get the wrong one, but everywhere the same.
 */
export function withoutDots(stemmer: (word: string) => string): (word: string) => string {
  return (word) => stemmer(harmonious(word.replaceAll('ı', 'i'))).replaceAll('ı', 'i');
}

/** Each i becomes the one that goes with the vowel before it, those at the beginning with the first other vowel. */
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
