// Portals load this file as a script, too: it has no imports and uses only what browsers have.

/** Endings that follow any syllable. */
const ANY =
  '까지 부터 에서 에게 에게서 에서는 에서도 에서의 에는 에도 에 한테 처럼 보다 마다 조차 마저 밖에 의 도 만 만이 들 ' +
  '하는 하여 하고 하기 하면 한다 했다 합니다 하십시오 됩니다 되는 된다 되어 되었습니다 했습니다 입니다';
/** Particles that follow a final consonant, and those that follow a vowel. */
const BEHIND_CONSONANT = '을 은 이 과 으로 으로는 으로도 으로부터 이나 이라는 이라고 이란';
const BEHIND_VOWEL = '를 는 가 와 로 로는 로도 로부터 나 라는 라고 란';
/** The only single-syllable particles that are cut off: 지도 is a map, not 지 with a particle. */
const SURE = ['을', '를', '은', '는'];

const ENDINGS = [
  ...ANY.split(' ').map((ending) => ({ ending, consonant: true, vowel: true })),
  ...BEHIND_CONSONANT.split(' ').map((ending) => ({ ending, consonant: true, vowel: false })),
  ...BEHIND_VOWEL.split(' ').map((ending) => ({ ending, consonant: false, vowel: true })),
].sort((a, b) => b.ending.length - a.ending.length);

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** Number of possible final consonants, including none. ㄹ counts as a vowel before 로. */
const FINALS = 28;
const RIEUL = 8;

/**
 * Removes the particles of a Korean word and the commonest endings of verbs made of nouns: 데이터베이스에서는 and 데이터베이스를
 * become 데이터베이스. Most particles have one form after a consonant and one after a vowel, which distinguishes 마을
 * (village) from a word with 을. A noun that looks like a noun with a particle loses its end, but does so everywhere.
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
  // The final sound of a foreign word or a number is unknown.
  if (unit < FIRST_SYLLABLE || unit > LAST_SYLLABLE) return true;
  const final = (unit - FIRST_SYLLABLE) % FINALS;
  const isVowel = final === 0 || (final === RIEUL && ending.startsWith('로'));
  return isVowel ? vowel : consonant;
}
