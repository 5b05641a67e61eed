import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { builtFile } from '../../kit/index.ts';
import { shorterStemsBy, waysToBegin } from './beginnings.ts';
import { withLetters } from './bulgarian.ts';
import { withoutPoints } from './hebrew.ts';
import { withoutParticles } from './korean.ts';
import { persianStem } from './persian.ts';
import { czechStem, polishStem, slovakStem } from './slavic.ts';
import { stem } from './stem.ts';
import { withoutDots } from './turkish.ts';

export type Stemmer = (word: string) => string;
type Wrap = (stemmer: Stemmer) => Stemmer;

/** File of the Snowball stemmer of each language (ISO 639-1) in `@orama/stemmers`. English uses our Porter stemmer. */
const SNOWBALL: Readonly<Record<string, string>> = {
  ar: 'arabic',
  bg: 'bulgarian',
  da: 'danish',
  de: 'german',
  el: 'greek',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'indian',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  uk: 'ukrainian',
};

/** Our own stemmers: the file beside this one and its function, which portals load. */
const OWN: Readonly<Record<string, { readonly file: string; readonly name: string; readonly stemmer: Stemmer }>> = {
  cs: { file: 'slavic', name: 'czechStem', stemmer: czechStem },
  fa: { file: 'persian', name: 'persianStem', stemmer: persianStem },
  he: { file: 'hebrew', name: 'withoutPoints', stemmer: withoutPoints },
  ko: { file: 'korean', name: 'withoutParticles', stemmer: withoutParticles },
  pl: { file: 'slavic', name: 'polishStem', stemmer: polishStem },
  sk: { file: 'slavic', name: 'slovakStem', stemmer: slovakStem },
};

/** Wrappers that Snowball's stemmers of some languages need, in the same form. */
const WRAPPED: Readonly<Record<string, { readonly file: string; readonly name: string; readonly wrap: Wrap }>> = {
  bg: { file: 'bulgarian', name: 'withLetters', wrap: withLetters },
  tr: { file: 'turkish', name: 'withoutDots', wrap: withoutDots },
};

/** Languages other than English whose words are stemmed. */
export const STEMMED_LANGUAGES: readonly string[] = [...Object.keys(SNOWBALL), ...Object.keys(OWN)];

const require = createRequire(import.meta.url);
const loaded = new Map<string, Stemmer>();

/** Path of a CommonJS module that exports `stemmer`. */
function stemmerFile(language: string): string {
  return require.resolve(`@orama/stemmers/${SNOWBALL[language]}`);
}

/** Returns the stemmer of one of {@link STEMMED_LANGUAGES} for browsers: the body of a function that returns it. */
export function stemmerScript(language: string): string {
  const own = Object.hasOwn(OWN, language) ? OWN[language] : undefined;
  if (own !== undefined) return `${ownScript(own.file)}\nreturn ${own.file}.${own.name};`;
  const code = `// Of @orama/stemmers, licence Apache-2.0: Snowball's stemmer.\nconst exports = {};\n${readFileSync(stemmerFile(language), 'utf8')}`;
  const wrapped = Object.hasOwn(WRAPPED, language) ? WRAPPED[language] : undefined;
  if (wrapped === undefined) return `${code}\nreturn exports.stemmer;`;
  return `${code}\n${ownScript(wrapped.file)}\nreturn ${wrapped.file}.${wrapped.name}(exports.stemmer);`;
}

function ownScript(name: string): string {
  return readFileSync(builtFile(`browser/${name}`), 'utf8');
}

/**
 * Returns the stemmer of a language, loaded on first use (2 ms, 30 KB); `undefined` for English and for languages
 * without a stemmer.
 * @returns a function of a word in lower case
 */
export function stemmerOf(language: string): Stemmer | undefined {
  if (Object.hasOwn(OWN, language)) return OWN[language]!.stemmer;
  if (!Object.hasOwn(SNOWBALL, language)) return undefined;
  let stemmer = loaded.get(language);
  if (stemmer === undefined) {
    // Analysis is synchronous, so it cannot use a dynamic import.
    const module = require(stemmerFile(language)) as { readonly stemmer: Stemmer };
    stemmer = Object.hasOwn(WRAPPED, language) ? WRAPPED[language]!.wrap(module.stemmer) : module.stemmer;
    loaded.set(language, stemmer);
  }
  return stemmer;
}

/**
 * Returns the stems that pages in English or some other languages can have for a lower-case word, including the word
 * itself.
 */
export function stemsIn(word: string, languages: readonly string[]): readonly string[] {
  const stems = new Set([stem(word), word]);
  for (const language of languages) stems.add(stemmerOf(language)?.(word) ?? word);
  return [...stems];
}

/** Possible beginnings of the stems of words with this beginning, see {@link waysToBegin}. */
export function stemBeginnings(beginning: string, languages: readonly string[]): readonly string[] {
  return waysToBegin(beginning, languages.map(stemmerOf));
}

/** Stems that are shorter than a beginning, of words with this beginning. It tries usual endings. */
export function shorterStems(beginning: string, languages: readonly string[]): readonly string[] {
  return shorterStemsBy(beginning, (word) => stemsIn(word, languages));
}
