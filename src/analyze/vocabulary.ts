import { hash32 } from '../core/index.ts';
import { MAX_TOKEN_CHARS } from './stem.ts';

/** Stem id of a word that is no feature: a stop word, or nothing once normalised. */
export const NO_STEM = -1;

/** Surfaces kept before the vocabulary starts afresh; some 10 MB. */
const SURFACE_LIMIT = 200_000;

const SECOND_SEED = 0x9e3779b9;
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The running hash that {@link Vocabulary.find} expects, over folded code units. */
export const HASH_START: number = FNV_BASIS | 0;
export function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FNV_PRIME);
}

/** Code units with A–Z in lower case; others as they are. */
export function foldAscii(unit: number): number {
  return unit >= 65 && unit <= 90 ? unit | 32 : unit;
}

/** How a vocabulary turns words into stems. */
export interface WordPolicy {
  /** Stem of a word in lower case and NFKC. */
  readonly stem: (word: string) => string;
  readonly stops: ReadonlySet<string>;
}

/** A slot of the table: hash, place in the arena + 1 (0 = free), length, stem id. */
const SLOT = 4;

/**
 * Word forms and their stems, numbered. A word met before costs one probe of a hash table over code units: no string is
 * made, no stemmer run. Ids are good until {@link Vocabulary.freshen}, which is called between documents and forgets
 * everything once too many forms are known, so that memory stays bounded.
 *
 * ```
 *   chars  … t h e ␣ F r o n t i e r s ␣ …       hash of "frontiers"
 *                    └───────┬───────┘                   │
 *   slots  [ …  | hash  place  length  stem |  … ]  ←────┘   linear probing, a slot is one quarter of a cache line
 *                         │              └──→ words[stem] = "frontier"
 *   arena  … frontiers …  ←┘
 * ```
 */
export class Vocabulary {
  readonly #policy: WordPolicy;
  #slots = new Int32Array(SLOT << 12);
  #mask = (1 << 12) - 1;
  #forms = 0;
  #arena = new Uint16Array(1 << 14);
  #arenaUsed = 0;
  #words: string[] = [];
  #ids = new Map<string, number>();
  /** Two hashes of each stem, side by side. */
  #stemHashes = new Uint32Array(1 << 12);

  constructor(policy: WordPolicy) {
    this.#policy = policy;
  }

  /** The stem with this id. */
  word(id: number): string {
    return this.#words[id]!;
  }

  /** A 32-bit hash of the stem, the first or the second of two; the same in every run. */
  hash(id: number, which: 0 | 1): number {
    return this.#stemHashes[2 * id + which]!;
  }

  /** Number of stems: every id is below it. */
  get size(): number {
    return this.#words.length;
  }

  /** To be called before a document, never within one: ids from before are void afterwards. */
  freshen(limit: number = SURFACE_LIMIT): void {
    if (this.#forms <= limit) return;
    this.#slots.fill(0);
    this.#forms = 0;
    this.#arenaUsed = 0;
    this.#words = [];
    this.#ids = new Map();
  }

  /**
   * Stem id of the word in `chars[start … start + length)`, or {@link NO_STEM}.
   * @param hash of its units folded by {@link foldAscii}, see {@link hashStep}
   */
  find(chars: Uint16Array, start: number, length: number, hash: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const at = slot * SLOT;
      const place = slots[at + 1]! - 1;
      if (place < 0) return this.#add(chars, start, length, hash);
      if (slots[at] === hash && slots[at + 2] === length && this.#equals(place, chars, start, length)) {
        return slots[at + 3]!;
      }
      slot = (slot + 1) & mask;
    }
  }

  #equals(place: number, chars: Uint16Array, start: number, length: number): boolean {
    const arena = this.#arena;
    for (let k = 0; k < length; k++) if (arena[place + k] !== foldAscii(chars[start + k]!)) return false;
    return true;
  }

  #add(chars: Uint16Array, start: number, length: number, hash: number): number {
    if (this.#arenaUsed + length > this.#arena.length) this.#arena = doubled(this.#arena, Uint16Array);
    if (this.#forms * 2 > this.#mask) this.#rehash();
    const place = this.#arenaUsed;
    for (let k = 0; k < length; k++) this.#arena[place + k] = foldAscii(chars[start + k]!);
    this.#arenaUsed += length;
    this.#forms++;
    const stemId = this.#stemIdOf(String.fromCharCode(...this.#arena.subarray(place, place + length)));
    this.#put(hash, place + 1, length, stemId);
    return stemId;
  }

  #put(hash: number, place: number, length: number, stemId: number): void {
    const slots = this.#slots;
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    while (slots[slot * SLOT + 1] !== 0) slot = (slot + 1) & this.#mask;
    slots.set([hash, place, length, stemId], slot * SLOT);
  }

  #rehash(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let at = 0; at < old.length; at += SLOT) {
      if (old[at + 1] !== 0) this.#put(old[at]!, old[at + 1]!, old[at + 2]!, old[at + 3]!);
    }
  }

  #stemIdOf(form: string): number {
    const word = normalizeWord(form);
    if (word === '' || this.#policy.stops.has(word)) return NO_STEM;
    const stemmed = this.#policy.stem(word);
    let id = this.#ids.get(stemmed);
    if (id === undefined) {
      id = this.#words.length;
      this.#words.push(stemmed);
      if (2 * id + 1 >= this.#stemHashes.length) this.#stemHashes = doubled(this.#stemHashes, Uint32Array);
      this.#stemHashes[2 * id] = hash32(stemmed);
      this.#stemHashes[2 * id + 1] = hash32(stemmed, SECOND_SEED);
      this.#ids.set(stemmed, id);
    }
    return id;
  }
}

/** NFKC, lower case, letters, digits and marks only; `''` for what is left of long numbers. */
function normalizeWord(form: string): string {
  if (/^[a-z0-9]*$/.test(form)) return form;
  const word = form
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '')
    .slice(0, MAX_TOKEN_CHARS)
    .toWellFormed()
    .replace('\ufffd', '');
  return /^\p{N}{5,}$/u.test(word) ? '' : word;
}

function doubled<T extends Int32Array | Uint32Array | Uint16Array | Uint8Array>(
  old: T,
  Maker: new (length: number) => T,
): T {
  const bigger = new Maker(old.length * 2);
  bigger.set(old);
  return bigger;
}
