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

/** Where `@orama/stemmers` has the Snowball stemmer of a language (ISO 639-1). English has Porter's, which is ours. */
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

/** Stemmers of ours: the file beside this one and its function, which portals take over. */
const OWN: Readonly<Record<string, { readonly file: string; readonly name: string; readonly stemmer: Stemmer }>> = {
  cs: { file: 'slavic', name: 'czechStem', stemmer: czechStem },
  fa: { file: 'persian', name: 'persianStem', stemmer: persianStem },
  he: { file: 'hebrew', name: 'withoutPoints', stemmer: withoutPoints },
  ko: { file: 'korean', name: 'withoutParticles', stemmer: withoutParticles },
  pl: { file: 'slavic', name: 'polishStem', stemmer: polishStem },
  sk: { file: 'slavic', name: 'slovakStem', stemmer: slovakStem },
};

/** What Snowball's stemmers of some languages need around them, likewise. */
const WRAPPED: Readonly<Record<string, { readonly file: string; readonly name: string; readonly wrap: Wrap }>> = {
  bg: { file: 'bulgarian', name: 'withLetters', wrap: withLetters },
  tr: { file: 'turkish', name: 'withoutDots', wrap: withoutDots },
};

/** Languages other than English whose words are stemmed. */
export const STEMMED_LANGUAGES: readonly string[] = [...Object.keys(SNOWBALL), ...Object.keys(OWN)];

const require = createRequire(import.meta.url);
const loaded = new Map<string, Stemmer>();

/** A CommonJS module that exports `stemmer`. */
function stemmerFile(language: string): string {
  return require.resolve(`@orama/stemmers/${SNOWBALL[language]}`);
}

/** The stemmer of one of {@link STEMMED_LANGUAGES} for browsers: the inside of a function that returns it. */
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
 * The stemmer of a language, loaded at first need (2 ms, 30 KB); none where there is none, nor for English.
 * @returns a function of a word in lower case
 */
export function stemmerOf(language: string): Stemmer | undefined {
  if (Object.hasOwn(OWN, language)) return OWN[language]!.stemmer;
  if (!Object.hasOwn(SNOWBALL, language)) return undefined;
  let stemmer = loaded.get(language);
  if (stemmer === undefined) {
    // Analysis cannot wait for an import.
    const module = require(stemmerFile(language)) as { readonly stemmer: Stemmer };
    stemmer = Object.hasOwn(WRAPPED, language) ? WRAPPED[language]!.wrap(module.stemmer) : module.stemmer;
    loaded.set(language, stemmer);
  }
  return stemmer;
}

/** The stems under which pages in English, or in one of some other languages, may have a word in lower case; itself among them. */
export function stemsIn(word: string, languages: readonly string[]): readonly string[] {
  const stems = new Set([stem(word), word]);
  for (const language of languages) stems.add(stemmerOf(language)?.(word) ?? word);
  return [...stems];
}

/** How stems of words that begin so may begin, see {@link waysToBegin}. */
export function stemBeginnings(beginning: string, languages: readonly string[]): readonly string[] {
  return waysToBegin(beginning, languages.map(stemmerOf));
}

/** Stems, shorter than a beginning, of words that begin so, as far as usual endings tell. */
export function shorterStems(beginning: string, languages: readonly string[]): readonly string[] {
  return shorterStemsBy(beginning, (word) => stemsIn(word, languages));
}
