import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../kit/index.ts';
import { type LetterStatistics, STATISTICS_FILE, unpackStatistics } from './letter-statistics.ts';
import { STOP_WORD_LANGUAGES, stopWords } from './stop-words.ts';

/** Number of characters in the sample. */
const SAMPLE_CHARS = 1_000;
/** Minimum number of words for a decision. */
const MIN_WORDS = 8;
/** Minimum number of words that can contradict the declared language. */
const MIN_CONTRADICTING_WORDS = 30;
/** In running text a language's stop words are 35 to 55 % of all words; lists and titles have fewer. */
const SURE_SHARE = 0.25;
const LIKELY_SHARE = 0.12;
/** The share that texts in other languages have of a language's stop words by chance is below this. */
const HINTED_SHARE = 0.06;
const HINTED_PART = 0.6;
/**
 * A script counts from this share of the letters. Japanese mixes three scripts; technical Russian has English names.
 */
const SCRIPT_SHARE = 0.2;

/** Blocks of letters: first and last code unit, script. In order; units in between belong to no known script. */
const BLOCKS: readonly (readonly [number, number, string])[] = [
  [0x41, 0x5a, 'latin'],
  [0x61, 0x7a, 'latin'],
  [0xc0, 0x24f, 'latin'],
  [0x370, 0x3ff, 'greek'],
  [0x400, 0x52f, 'cyrillic'],
  [0x590, 0x5ff, 'hebrew'],
  [0x600, 0x77f, 'arabic'],
  [0x900, 0x97f, 'devanagari'],
  [0xe00, 0xe7f, 'thai'],
  [0x1e00, 0x1eff, 'latin'],
  [0x3040, 0x30ff, 'kana'],
  [0x3400, 0x9fff, 'han'],
  [0xac00, 0xd7af, 'hangul'],
];

/** Scripts that identify a language. Kana is before Han because Japanese has both. */
const LANGUAGE_BY_SCRIPT: readonly (readonly [string, string])[] = [
  ['kana', 'ja'],
  ['hangul', 'ko'],
  ['han', 'zh'],
  ['thai', 'th'],
  ['greek', 'el'],
  ['hebrew', 'he'],
];

/** Scripts of the languages that are not written in Latin letters. */
const SCRIPTS_OF: Readonly<Record<string, readonly string[]>> = {
  ja: ['kana', 'han'],
  ko: ['hangul', 'han'],
  zh: ['han'],
  th: ['thai'],
  el: ['greek'],
  he: ['hebrew'],
  yi: ['hebrew'],
  ru: ['cyrillic'],
  uk: ['cyrillic'],
  be: ['cyrillic'],
  bg: ['cyrillic'],
  mk: ['cyrillic'],
  sr: ['cyrillic', 'latin'],
  kk: ['cyrillic'],
  ar: ['arabic'],
  fa: ['arabic'],
  ur: ['arabic'],
  hi: ['devanagari'],
  mr: ['devanagari'],
  ne: ['devanagari'],
};

interface Detector {
  detect(text: string): { readonly language: string; isReliable(): boolean };
}

let detector: Detector | undefined;

/** The inner interface of eld. Its public entries load statistics as source text. */
interface EldCore {
  createEld(): { readonly instance: Detector; readonly loadData: (statistics: LetterStatistics) => void };
}

/** Called only if neither stop words nor script identify the language. */
function loadDetector(): Detector {
  if (detector === undefined) {
    const require = createRequire(import.meta.url);
    // The package has no `require` entry, and analysis is synchronous.
    const core = new URL('../languageDetector.js', import.meta.resolve('eld/small'));
    const { instance, loadData } = (require(fileURLToPath(core)) as EldCore).createEld();
    loadData(unpackStatistics(readFileSync(packageFile(`dist/${STATISTICS_FILE}`))));
    detector = instance;
  }
  return detector;
}

/**
 * Returns the language of a text as an ISO 639-1 code, or `''` if it is unknown. A declared language is accepted
 * unless the text contradicts it. Otherwise script, stop words and, last, letter statistics decide.
 */
export function languageOf(text: string, declared: string): string {
  // Marks apart from their letters would split words.
  const sample = sampleOf(text).normalize('NFC');
  const letters = lettersByScript(sample);
  const claim = primaryTag(declared);
  const words = (letters.get('latin') ?? 0) + (letters.get('cyrillic') ?? 0) > 0 ? wordsOf(sample) : [];
  const isPossible = claim !== '' && fitsScript(claim, letters);
  if (isPossible && fitsWords(claim, words)) return claim;
  const scripted = languageByScript(letters);
  if (scripted !== '') return scripted;
  if (sum(letters) < MIN_WORDS * 4) return '';
  const { language, share } = languageByStopWords(words);
  if (share >= SURE_SHARE) return language;
  if (isPossible && isHinted(shareOf(words, claim), share)) return claim;
  const found = loadDetector().detect(sample);
  if (found.language !== '' && found.isReliable()) return found.language;
  if (share >= LIKELY_SHARE) return language;
  return isPossible ? claim : '';
}

/** `en` for `en-US`; `''` for an invalid language tag. */
export function primaryTag(tag: string): string {
  return /^\s*([a-z]{2})(?:$|[-_,;\s])/i.exec(tag.slice(0, 40))?.[1]?.toLowerCase() ?? '';
}

/** Takes the beginning and the middle: many pages begin with names, tables or a title in another language. */
function sampleOf(text: string): string {
  if (text.length <= 2 * SAMPLE_CHARS) return text.slice(0, SAMPLE_CHARS);
  const half = SAMPLE_CHARS / 2;
  const middle = text.length >> 1;
  return `${text.slice(middle, middle + half)} ${text.slice(0, half)}`;
}

function fitsScript(language: string, letters: ReadonlyMap<string, number>): boolean {
  const own = (SCRIPTS_OF[language] ?? ['latin']).reduce((n, script) => n + (letters.get(script) ?? 0), 0);
  if (own < SCRIPT_SHARE * sum(letters)) return false;
  const scripted = languageByScript(letters);
  return own >= 0.5 * sum(letters) || scripted === '' || scripted === language;
}

/** A short text fits unless another language is clear. A long one must have some of its language's stop words. */
function fitsWords(language: string, words: readonly string[]): boolean {
  if (words.length < MIN_WORDS || !STOP_WORD_LANGUAGES.includes(language)) return true;
  if (shareOf(words, language) >= LIKELY_SHARE) return true;
  return words.length < MIN_CONTRADICTING_WORDS && languageByStopWords(words).share < SURE_SHARE;
}

/**
 * A list or a table has few stop words. The declared language is accepted if its stop words are among the most
 * frequent.
 */
function isHinted(own: number, best: number): boolean {
  return own >= HINTED_SHARE && own >= HINTED_PART * best;
}

function languageByScript(letters: ReadonlyMap<string, number>): string {
  const total = sum(letters);
  for (const [script, language] of LANGUAGE_BY_SCRIPT) {
    if ((letters.get(script) ?? 0) > SCRIPT_SHARE * total) return language;
  }
  return '';
}

function languageByStopWords(words: readonly string[]): { readonly language: string; readonly share: number } {
  let best = { language: '', share: 0 };
  if (words.length < MIN_WORDS) return best;
  for (const language of STOP_WORD_LANGUAGES) {
    const share = shareOf(words, language);
    if (share > best.share) best = { language, share };
    // English is tried first; a clear case ends the search.
    if (language === 'en' && share > 1.4 * SURE_SHARE) break;
  }
  return best;
}

function shareOf(words: readonly string[], language: string): number {
  const stops = stopWords(language);
  let hits = 0;
  for (const word of words) if (stops.has(word)) hits++;
  return words.length === 0 ? 0 : hits / words.length;
}

/**
 * French has *c'* and *d'*, English *'s* and *'t*. Keys, variables and units are single consonants in any language,
 * so without an apostrophe they do not count as words.
 */
const LONE_CONSONANT = /(?<![\p{L}'’])[bcdfghj-np-tvx](?![\p{L}'’])/gu;

function wordsOf(sample: string): readonly string[] {
  return (
    sample
      .toLowerCase()
      .replace(LONE_CONSONANT, ' ')
      .match(/\p{L}+/gu) ?? []
  );
}

function lettersByScript(sample: string): ReadonlyMap<string, number> {
  const counts = new Uint16Array(BLOCKS.length);
  let lastBlock = 0;
  for (let i = 0; i < sample.length; i++) {
    const unit = sample.charCodeAt(i);
    if (unit < BLOCKS[lastBlock]![0] || unit > BLOCKS[lastBlock]![1]) {
      const block = BLOCKS.findIndex(([first, last]) => unit >= first && unit <= last);
      if (block < 0) continue;
      lastBlock = block;
    }
    counts[lastBlock]!++;
  }
  const letters = new Map<string, number>();
  BLOCKS.forEach(([, , script], i) => {
    letters.set(script, (letters.get(script) ?? 0) + counts[i]!);
  });
  return letters;
}

function sum(letters: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const n of letters.values()) total += n;
  return total;
}
