// Read by portals, too, as a script: no imports, nothing that a browser lacks.

/** Endings that follow any syllable. */
const ANY =
  '까지 부터 에서 에게 에게서 에서는 에서도 에서의 에는 에도 에 한테 처럼 보다 마다 조차 마저 밖에 의 도 만 만이 들 ' +
  '하는 하여 하고 하기 하면 한다 했다 합니다 하십시오 됩니다 되는 된다 되어 되었습니다 했습니다 입니다';
/** Those that follow one that ends with a consonant, and with a vowel. */
const BEHIND_CONSONANT = '을 은 이 과 으로 으로는 으로도 으로부터 이나 이라는 이라고 이란';
const BEHIND_VOWEL = '를 는 가 와 로 로는 로도 로부터 나 라는 라고 란';
/** Of single syllables these alone are cut off: 지도 is a map, no 지. */
const SURE = ['을', '를', '은', '는'];

const ENDINGS = [
  ...ANY.split(' ').map((ending) => ({ ending, consonant: true, vowel: true })),
  ...BEHIND_CONSONANT.split(' ').map((ending) => ({ ending, consonant: true, vowel: false })),
  ...BEHIND_VOWEL.split(' ').map((ending) => ({ ending, consonant: false, vowel: true })),
].sort((a, b) => b.ending.length - a.ending.length);

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** Consonants that a syllable may end with, and none; ㄹ counts as a vowel where 로 follows. */
const FINALS = 28;
const RIEUL = 8;

/**
 * A word of Korean without its particles and the commonest endings of verbs made of nouns: 데이터베이스에서는 and 데이터베이스를 are
 * 데이터베이스. Most particles have one form behind a consonant and one behind a vowel, which tells 마을 (village) from a word with 을.
 * Nouns that look like a noun with a particle lose their end, but everywhere the same.
 */
export function withoutParticles(word: string): string {
  let stem = word;
  for (;;) {
    const found = ENDINGS.find((ending) => isEnding(stem, ending));
    if (found === undefined) return stem;
    stem = stem.slice(0, -found.ending.length);
  }
}

function isEnding(
  word: string,
  { ending, consonant, vowel }: { readonly ending: string; readonly consonant: boolean; readonly vowel: boolean },
): boolean {
  const left = word.length - ending.length;
  if (left < 1 || (left < 2 && !SURE.includes(ending)) || !word.endsWith(ending)) return false;
  const unit = word.charCodeAt(left - 1);
  // How a foreign word or a number ends is not seen.
  if (unit < FIRST_SYLLABLE || unit > LAST_SYLLABLE) return true;
  const final = (unit - FIRST_SYLLABLE) % FINALS;
  const isVowel = final === 0 || (final === RIEUL && ending.startsWith('로'));
  return isVowel ? vowel : consonant;
}
