import { HASH_START, hash32, hashAscii, hashStep, isAscii, SECOND_SEED } from '../../kit/index.ts';
import { foldCase } from '../fold.ts';
import { MAX_TOKEN_CHARS } from './stem.ts';
import type { Stemmer } from './stemmers.ts';
import { Stems } from './stems.ts';

/** Stem id of a word without a feature: a stop word, or a word that is empty once normalised. */
export const NO_STEM = -1;

/** Number of surface forms at which the vocabulary restarts; about 10 MB. */
const SURFACE_LIMIT = 200_000;

const TAG_FACTOR = 0x5bd1e995;

/**
 * Start of the second running hash that {@link Vocabulary.find} expects, over folded code units. The first is
 * `hashStep` of core, of another family. Forms that agree in both hashes count as the same.
 */
export const TAG_START: number = SECOND_SEED | 0;
export function tagStep(tag: number, unit: number): number {
  return (Math.imul(tag, TAG_FACTOR) + unit) | 0;
}

/** Maps A–Z to lower case; other code units are unchanged. */
export function foldAscii(unit: number): number {
  return unit >= 65 && unit <= 90 ? unit | 32 : unit;
}

/** How a vocabulary turns words into stems. */
export interface WordPolicy {
  /**
   * Stems a lower-case ASCII word in place, at the beginning of the bytes, and returns the length of the stem, which
   * is never longer. Other words are their own stems.
   */
  readonly stem: (word: Uint8Array, length: number) => number;
  /** For languages with letters outside ASCII: stems any lower-case word; used instead of `stem`. */
  readonly stemText?: Stemmer;
  readonly stops: ReadonlySet<string>;
}

/** First slot to look for a form. */
function slotOf(hash: number, mask: number): number {
  return (hash ^ (hash >>> 15)) & mask;
}

/** Layout of a slot: the form's tag, and its stem id + 2 (0 = free). */
const SLOT = 2;
const STEM_OFFSET = 2;

const BATCH_WORDS = 256;

/** A batch of words for {@link Vocabulary.findAll}: the arguments of `find` as parallel lists. */
export class WordBatch {
  readonly starts: Int32Array = new Int32Array(BATCH_WORDS);
  readonly lengths: Int32Array = new Int32Array(BATCH_WORDS);
  readonly hashes: Int32Array = new Int32Array(BATCH_WORDS);
  readonly tags: Int32Array = new Int32Array(BATCH_WORDS);
  /** Words that are not in their first slot. */
  readonly elsewhere: Int32Array = new Int32Array(BATCH_WORDS);
  size = 0;

  get isFull(): boolean {
    return this.size === BATCH_WORDS;
  }

  /** Adds a word. The batch must not be full. */
  add(start: number, length: number, hash: number, tag: number): void {
    const at = this.size++;
    this.starts[at] = start;
    this.lengths[at] = length;
    this.hashes[at] = hash;
    this.tags[at] = tag;
  }
}

/**
 * Numbered word forms and their stems. A known word costs one probe of a hash table and runs no stemmer. The table is
 * small enough for the processor's cache. A new ASCII word is stemmed in place. Ids are valid until {@link
 * Vocabulary.freshen}, which is called between documents and forgets everything once too many forms are known, so
 * that memory stays bounded.
 *
 * ```
 *   chars  … t h e ␣ F r o n t i e r s ␣ …       hash and tag of "frontiers"
 *                    └───────┬───────┘                   │
 *   slots  [ …  | tag  stem |  … ]  ←────────────────────┘   linear probing
 *                        └──→ the number of "frontier" among the stems
 * ```
 *
 * Forms are distinguished by 32 bits of tag and the 13 to 19 bits of hash that choose the slot: among 200,000 forms
 * one new form in 10,000,000 collides.
 */
export class Vocabulary {
  readonly #policy: WordPolicy;
  #slots = new Int32Array(SLOT << 13);
  /** The whole hash of the form in each slot; read only to grow the table. */
  #hashes = new Int32Array(1 << 13);
  #mask = (1 << 13) - 1;
  #forms = 0;
  readonly #stems = new Stems();

  constructor(policy: WordPolicy) {
    this.#policy = policy;
    this.#putStops();
  }

  /** Returns the stem with this id. */
  word(id: number): string {
    return this.#stems.word(id);
  }

  /** Returns the first hash of a stem: its `hash32`. */
  hash(id: number): number {
    return this.#stems.hash(id);
  }

  /** Returns two 32-bit hashes of each stem, side by side, see `hashesOf` in core. */
  hashes(ids: Int32Array): Uint32Array {
    return this.#stems.hashes(ids);
  }

  /** Joins stems by their ids with line breaks. */
  join(ids: Int32Array): string {
    return this.#stems.join(ids);
  }

  /** Number of stems; every id is smaller. */
  get size(): number {
    return this.#stems.size;
  }

  /**
   * Returns the stems added since the last call, in UTF-8, each followed by a line break; `undefined` if there are no
   * new ones.
   */
  takeNew(): Uint8Array<ArrayBuffer> | undefined {
    return this.#stems.takeNew();
  }

  /** Forgets everything if too many forms are known. Call it between documents only: earlier ids become invalid. */
  freshen(limit: number = SURFACE_LIMIT): void {
    if (this.#forms <= limit) return;
    this.#slots.fill(0);
    this.#forms = 0;
    this.#stems.clear();
    this.#putStops();
  }

  /**
   * Returns the stem id of the word in `chars[start … start + length)`, or {@link NO_STEM}.
   * @param hash of its units folded by {@link foldAscii}, see `hashStep` in core
   * @param tag of the same units, see {@link tagStep}
   */
  find(chars: Uint16Array, start: number, length: number, hash: number, tag: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = slotOf(hash, mask);
    for (;;) {
      const stem = slots[SLOT * slot + 1]!;
      if (stem === 0) return this.#add(chars, start, length, hash, tag);
      if (slots[SLOT * slot] === tag) return stem - STEM_OFFSET;
      slot = (slot + 1) & mask;
    }
  }

  /**
   * {@link find} for many words; writes their ids to `ids` from `at`. A page has a thousand different words in a
   * table of megabytes, and waiting for each memory read is slow. So the first slots are all read ahead.
   */
  findAll(
    chars: Uint16Array,
    { starts, lengths, hashes, tags, size, elsewhere }: WordBatch,
    ids: Int32Array,
    at: number,
  ): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let missed = 0;
    for (let i = 0; i < size; i++) {
      const slot = SLOT * slotOf(hashes[i]!, mask);
      const stem = slots[slot + 1]!;
      const other = slots[slot]! ^ tags[i]!;
      ids[at + i] = stem - STEM_OFFSET;
      elsewhere[missed] = i;
      // Counts a miss if the slot holds another form or is free. It has no branch, so no wrong prediction stops the
      // reading ahead.
      missed += (other | (0 - other) | (stem - 1)) >>> 31;
    }
    for (let k = 0; k < missed; k++) {
      const i = elsewhere[k]!;
      ids[at + i] = this.find(chars, starts[i]!, lengths[i]!, hashes[i]!, tags[i]!);
    }
  }

  #add(chars: Uint16Array, start: number, length: number, hash: number, tag: number): number {
    if (this.#forms * 2 > this.#mask) this.#rehash();
    this.#forms++;
    const isBytes = this.#policy.stemText === undefined && copyAscii(chars, start, length);
    const stemId = isBytes ? this.#asciiId(length) : this.#rareId(chars, start, length);
    this.#put(hash, tag, stemId + STEM_OFFSET);
    return stemId;
  }

  /** Enters ASCII stop words as forms, so that a new ASCII form cannot be a stop word. */
  #putStops(): void {
    for (const word of this.#policy.stops) {
      const units = [...word].map((letter) => letter.charCodeAt(0));
      if (isAscii(word))
        this.#put(units.reduce(hashStep, HASH_START), units.reduce(tagStep, TAG_START), NO_STEM + STEM_OFFSET);
    }
  }

  #put(hash: number, tag: number, stem: number): void {
    let slot = slotOf(hash, this.#mask);
    while (this.#slots[SLOT * slot + 1] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[SLOT * slot] = tag;
    this.#slots[SLOT * slot + 1] = stem;
    this.#hashes[slot] = hash;
  }

  #rehash(): void {
    const slots = this.#slots;
    const hashes = this.#hashes;
    this.#slots = new Int32Array(slots.length * 2);
    this.#hashes = new Int32Array(hashes.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let slot = 0; slot < hashes.length; slot++) {
      if (slots[SLOT * slot + 1] !== 0) this.#put(hashes[slot]!, slots[SLOT * slot]!, slots[SLOT * slot + 1]!);
    }
  }

  /** Id of the stem of {@link form}. */
  #asciiId(length: number): number {
    const end = this.#policy.stem(form, length);
    return this.#stems.idOf(form, end, hashAscii(form, end), hashAscii(form, end, SECOND_SEED));
  }

  /** The same for a word that must be normalised first. */
  #rareId(chars: Uint16Array, start: number, length: number): number {
    const word = normalizeWord(lowerCase(chars, start, length));
    if (word === '' || this.#policy.stops.has(word)) return NO_STEM;
    const { stemText } = this.#policy;
    const stem = stemText === undefined ? word : stemText(word) || word;
    const bytes = encoder.encode(stem);
    if (stemText === undefined && bytes.length === word.length) {
      form.set(bytes);
      return this.#asciiId(bytes.length);
    }
    return this.#stems.idOf(bytes, bytes.length, hash32(stem), hash32(stem, SECOND_SEED));
  }
}

const encoder = new TextEncoder();
/** Buffer for an ASCII word that is being stemmed. */
const form = new Uint8Array(64);

/** Copies the word to {@link form} in lower case; returns false if it is not pure ASCII. */
function copyAscii(chars: Uint16Array, start: number, length: number): boolean {
  if (length > form.length) return false;
  for (let i = 0; i < length; i++) {
    const unit = foldAscii(chars[start + i]!);
    if (unit >= 128) return false;
    form[i] = unit;
  }
  return true;
}

function lowerCase(chars: Uint16Array, start: number, length: number): string {
  return String.fromCharCode(...chars.subarray(start, start + length).map(foldAscii));
}

/** Fractions such as ½, which would normalise to the number 12. */
const FRACTIONS = /[\u00bc-\u00be\u2150-\u215f\u2189]/g;

/** Normalises to NFKC and lower case, keeps letters, digits and marks only; `''` for long numbers. */
function normalizeWord(form: string): string {
  const word = foldCase(form.replace(FRACTIONS, '').normalize('NFKC'))
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '')
    .slice(0, MAX_TOKEN_CHARS)
    .toWellFormed()
    .replace('\ufffd', '');
  return /^\p{N}{5,}$/u.test(word) ? '' : word;
}
