import type { Row } from '../schema.ts';

/** A link, as votes need it. */
export interface VotingLink {
  readonly page: number;
  readonly target: number;
  readonly anchor: string;
}

/** Longest word, as `vote_word` can store it. */
const MAX_WORD_CHARS = 64;
/** Votes of one page, at most: one per word and link target. The first links count. */
const MAX_VOTES = 1_000;
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/** Returns the words of an anchor in lower case, each once. */
export function wordsOfAnchor(anchor: string): ReadonlySet<string> {
  const words = anchor.toLowerCase().replaceAll('i\u0307', 'i').match(WORDS) ?? [];
  return new Set(words.filter((word) => word.length <= MAX_WORD_CHARS));
}

/** Anchors whose words are remembered: menus repeat theirs on every page. */
const REMEMBERED = 20_000;

/**
 * Collects the votes of the pages of a segment: which page links to which address with which word. A page votes once
 * for an address and a word, whatever its number of links.
 */
export class VoteWords {
  readonly #first: number;
  /** Per word: distance of the page from `first`, target, and so on. */
  readonly #votes = new Map<string, number[]>();
  /** Votes for the words of an anchor. */
  readonly #byAnchor = new Map<string, readonly number[][]>();
  #page = 0;
  /** Votes of the current page. */
  #count = 0;

  /** @param first sequence of the first page of the segment */
  constructor(first: number) {
    this.#first = first;
  }

  /** Adds a link; pages in order of sequence. */
  add({ page, target, anchor }: VotingLink): void {
    if (page !== this.#page) this.#count = 0;
    this.#page = page;
    if (anchor === '' || this.#count >= MAX_VOTES) return;
    const place = page - this.#first;
    for (const votes of this.#votesFor(anchor)) {
      if (hasVoted(votes, place, target)) continue;
      votes.push(place, target);
      this.#count++;
    }
  }

  #votesFor(anchor: string): readonly number[][] {
    let found = this.#byAnchor.get(anchor);
    if (found === undefined) {
      found = [...wordsOfAnchor(anchor)].map((word) => this.#votesOf(word));
      if (this.#byAnchor.size >= REMEMBERED) this.#byAnchor.clear();
      this.#byAnchor.set(anchor, found);
    }
    return found;
  }

  #votesOf(word: string): number[] {
    let votes = this.#votes.get(word);
    if (votes === undefined) {
      votes = [];
      this.#votes.set(word, votes);
    }
    return votes;
  }

  /** Yields the rows of `vote_word`, sorted by word; can be called once. */
  *rows(): Generator<Row> {
    this.#byAnchor.clear();
    for (const word of [...this.#votes.keys()].sort()) {
      const votes = this.#votes.get(word)!;
      if (votes.length > 0) yield [this.#first, word, packed(votes)];
      this.#votes.delete(word);
    }
  }
}

/** True if the last page of these votes has voted for a target. */
function hasVoted(votes: readonly number[], place: number, target: number): boolean {
  for (let i = votes.length - 2; i >= 0 && votes[i] === place; i -= 2) if (votes[i + 1] === target) return true;
  return false;
}

/** Packs votes: distance from the page before and target as varints, seven bits per byte, lowest first. */
function packed(votes: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  let before = 0;
  for (let i = 0; i < votes.length; i += 2) {
    write(bytes, votes[i]! - before);
    before = votes[i]!;
    write(bytes, votes[i + 1]!);
  }
  return Uint8Array.from(bytes);
}

function write(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
}

/** Reports the votes in a row of `vote_word`. */
export function readVotesOf(data: Uint8Array, first: number, take: (page: number, target: number) => void): void {
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = data[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  let page = first;
  while (at < data.length) {
    page += read();
    take(page, read());
  }
}
