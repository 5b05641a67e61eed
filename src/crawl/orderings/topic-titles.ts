import type { TopicId } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { JudgedPage } from '../ordering.ts';

/** Returns the content words of a text in a language (`''` = unknown), in order, with repetitions. */
export type Words = (text: string, language: string) => readonly string[];

/**
 * Number of accepted pages whose titles form a topic's query: the examples if they are crawled, otherwise the first
 * pages found.
 */
const QUERY_PAGES = 10;

/** Compares short texts with the titles of a topic's first accepted pages. */
export class TopicTitles {
  readonly #words: Words;
  readonly #topics = new Map<TopicId, { pages: number; readonly counts: Map<string, number> }>();

  /** @param words - default: words of at least four letters, in lower case */
  constructor(words: Words = longWords) {
    this.#words = words;
  }

  learn({ title, language, assignment }: JudgedPage): void {
    if (assignment.others) return;
    let query = this.#topics.get(assignment.topic);
    if (query === undefined) {
      query = { pages: 0, counts: new Map() };
      this.#topics.set(assignment.topic, query);
    }
    if (query.pages >= QUERY_PAGES) return;
    query.pages++;
    count(this.#words(title, language), query.counts);
  }

  /** Returns the cosine of word counts, in [0,1]; 0 if either side has no words. */
  similarity(topic: TopicId, text: string, language: string): number {
    const query = this.#topics.get(topic)?.counts;
    if (query === undefined || query.size === 0) return 0;
    const counts = count(this.#words(text, language), new Map());
    if (counts.size === 0) return 0;
    let dot = 0;
    for (const [word, n] of counts) dot += n * (query.get(word) ?? 0);
    return dot / (norm(query) * norm(counts));
  }

  exchange(fields: Fields): void {
    fields.map(this.#topics);
  }
}

/** Returns words of at least four letters, in lower case. */
export function longWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
}

function count(words: readonly string[], into: Map<string, number>): Map<string, number> {
  for (const word of words) into.set(word, (into.get(word) ?? 0) + 1);
  return into;
}

function norm(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const n of counts.values()) sum += n * n;
  return Math.sqrt(sum);
}
