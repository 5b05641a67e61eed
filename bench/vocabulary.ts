import type { Random } from '../src/kit/index.ts';

const ONSETS = 'b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr sl sp st str th tr'.split(' ');
const NUCLEI = 'a e i o u ai ea ee ia io oa ou'.split(' ');
const CODAS = ['', '', '', 'l', 'm', 'n', 'r', 's', 't', 'ck', 'nd', 'nt', 'rk', 'st'];
/** Endings that give a stemmer its usual work. */
const ENDINGS = [
  '',
  '',
  '',
  '',
  's',
  's',
  'ed',
  'ing',
  'er',
  'ly',
  'ation',
  'ations',
  'al',
  'ness',
  'ment',
  'ive',
  'ous',
];
const STOP_WORDS =
  'the the the the of of of and and and to to in in a a is was for that on with as by at from it his are this be or an were which had not have but he also their one has been'.split(
    ' ',
  );
/** Share of stop words in running English. */
const STOP_SHARE = 0.42;
/** Share of a topic's text that is made of the topic's own words. */
const TOPICAL_SHARE = 0.35;

/** A made-up word of one to three syllables, from 10^7 possible ones. */
export function coin(random: Random): string {
  const syllables = 1 + Math.floor(random() * 2.6);
  let word = '';
  for (let i = 0; i < syllables; i++) word += pick(ONSETS, random) + pick(NUCLEI, random) + pick(CODAS, random);
  return word;
}

/** Running text in which words are as unequally frequent as in a natural language (Zipf's law). */
export class Prose {
  readonly #general: readonly string[];
  readonly #topical: readonly (readonly string[])[];
  readonly #random: Random;

  constructor(topics: number, random: Random) {
    this.#random = random;
    this.#general = coinMany(12_000, random);
    this.#topical = Array.from({ length: topics }, () => coinMany(1_500, random));
  }

  /** A passage of about `chars` characters. `topic` = -1: about nothing in particular. */
  passage(topic: number, chars: number): string {
    const sentences: string[] = [];
    for (let length = 0; length < chars; ) {
      const sentence = this.words(topic, 8 + Math.floor(this.#random() * 16));
      sentences.push(`${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`);
      length += sentence.length + 2;
    }
    return sentences.join(' ');
  }

  words(topic: number, count: number): string {
    return Array.from({ length: count }, () => this.#word(topic)).join(' ');
  }

  /** Content words alone, as titles and anchors have them. */
  phrase(topic: number, count: number): string {
    const words = this.#topical[topic] ?? this.#general;
    return Array.from({ length: count }, () => zipf(words, this.#random) + pick(ENDINGS, this.#random)).join(' ');
  }

  #word(topic: number): string {
    if (this.#random() < STOP_SHARE) return pick(STOP_WORDS, this.#random);
    const own = this.#topical[topic];
    const words = own !== undefined && this.#random() < TOPICAL_SHARE ? own : this.#general;
    return zipf(words, this.#random) + pick(ENDINGS, this.#random);
  }
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)]!;
}

/** Draws rank r with probability proportional to about 1/r. */
function zipf(words: readonly string[], random: Random): string {
  return words[Math.floor(words.length ** random()) - 1] ?? words[0]!;
}

function coinMany(count: number, random: Random): string[] {
  const words = new Set<string>();
  while (words.size < count) words.add(coin(random));
  return [...words];
}
