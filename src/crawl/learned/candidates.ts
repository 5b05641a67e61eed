import { type Fields, GROWTH, grown, HashSlots } from '../../kit/index.ts';
import { type UrlKey, urlKey } from '../url-key.ts';
import { WordSets, type Words } from './link-words.ts';
import { type ParentId, Parents } from './parents.ts';
import { fits, offsetOf, WordBlocks } from './word-blocks.ts';

/** Number of a {@link Candidates candidate}. */
export type CandidateId = number;

/** Maximum number of offers stored per URL; later offers only add to the sums. */
export const MAX_OFFERS = 16;

/** Texts of a candidate. Their words are stored in this order; see `placeOf` for the last one. */
export const ANCHOR = 0;
export const CONTEXT = 1;
export const URL_PATH = 2;
export const PLACE = 3;
const TEXTS = 4;

/** One offer of a URL: from which page, and where on it. */
export interface Offer {
  readonly parent: ParentId;
  readonly stretch: number;
  /** Flags and counts added to those of the candidate. */
  readonly boilerplate: boolean;
  readonly list: boolean;
  readonly sameHost: boolean;
  /** See {@link CROWD}. */
  readonly crowd: number;
  readonly relevance: number;
}

/** Number of floating-point columns, stored side by side because scoring reads all of them. */
export const NUMBERS = 5;
/**
 * Sum of the number of links on the offering pages, on a logarithmic scale on which 1 is 255 links. Covers stored
 * offers only.
 */
export const CROWD = 0;
/** Sum of the relevance of all offering pages. */
export const RELEVANCE_SUM = 1;
export const RELEVANCE_MAX = 2;
export const OFFERED = 3;
/** Score at the last scoring. */
export const SCORE = 4;

/** Number of integer columns: counts over the stored offers, and the lengths of the four texts. */
export const COUNTS = 8;
export const KEPT = 0;
export const BOILERPLATE = 1;
export const LIST = 2;
export const SAME_HOST = 3;
const LENGTHS = 4;

const FIRST_CAPACITY = 256;

/**
 * Features of the waiting links, in parallel arrays: about 210 bytes per link, of which each offering page takes 8
 * and each word takes two. Objects took 700 bytes. Only the key of the URL is stored here.
 *
 * numbers | CROWD RELEVANCE_SUM … SCORE | …       NUMBERS per candidate
 * counts  | KEPT BOILERPLATE … lengths  | …       COUNTS per candidate
 * offers  | page and place, next | …              one linked list per candidate; 0 = the end
 * blocks  | anchor context URL place | …          the words of a candidate, its texts in sequence
 */
export class Candidates {
  readonly parents: Parents = new Parents();
  numbers: Float64Array = new Float64Array(NUMBERS * FIRST_CAPACITY);
  counts: Uint8Array = new Uint8Array(COUNTS * FIRST_CAPACITY);
  /** First offer of a candidate. Offers are two numbers each: parent and stretch, and the next offer. */
  first: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  offers: Uint32Array = new Uint32Array(4 * FIRST_CAPACITY);
  #last = new Uint32Array(FIRST_CAPACITY);
  readonly #words = new WordBlocks();
  #blocks = new Uint32Array(FIRST_CAPACITY);
  readonly #byUrl = new HashSlots();
  readonly #free: CandidateId[] = [];
  #end = 0;
  #freeOffer = 0;
  #offersEnd = 1;
  readonly #merged = new WordSets();

  get size(): number {
    return this.#byUrl.size;
  }

  find(url: string): CandidateId | undefined {
    return this.#byUrl.find(urlKey(url));
  }

  keyOf(candidate: CandidateId): UrlKey {
    return this.#byUrl.hashOf(candidate) as UrlKey;
  }

  /** Adds a candidate without offers. */
  add(url: string, path: Words): CandidateId {
    const candidate = this.#free.pop() ?? this.#end++;
    if (candidate === this.first.length) this.#grow();
    this.#byUrl.set(urlKey(url), candidate);
    this.numbers.fill(0, NUMBERS * candidate, NUMBERS * (candidate + 1));
    this.counts.fill(0, COUNTS * candidate, COUNTS * (candidate + 1));
    this.first[candidate] = 0;
    const length = path.to - path.from;
    this.#setWords(candidate, path);
    this.counts[COUNTS * candidate + LENGTHS + URL_PATH] = length;
    return candidate;
  }

  delete(candidate: CandidateId): void {
    this.#byUrl.delete(candidate);
    for (let offer = this.first[candidate]!; offer !== 0; ) {
      const next = this.offers[2 * offer + 1]!;
      this.parents.release(parentOf(this.offers[2 * offer]!));
      this.offers[2 * offer + 1] = this.#freeOffer;
      this.#freeOffer = offer;
      offer = next;
    }
    this.#words.drop(this.#blocks[candidate]!, this.#allWordsOf(candidate));
    this.counts.fill(0, COUNTS * candidate, COUNTS * (candidate + 1));
    this.#free.push(candidate);
  }

  /** Adds an offer by another page. */
  offer(candidate: CandidateId, { parent, stretch, relevance, crowd, boilerplate, list, sameHost }: Offer): void {
    const { numbers, counts } = this;
    const n = NUMBERS * candidate;
    numbers[n + OFFERED]! += 1;
    numbers[n + RELEVANCE_SUM]! += relevance;
    numbers[n + RELEVANCE_MAX] = Math.max(numbers[n + RELEVANCE_MAX]!, relevance);
    const c = COUNTS * candidate;
    if (counts[c + KEPT] === MAX_OFFERS) return;
    numbers[n + CROWD]! += crowd;
    counts[c + KEPT]! += 1;
    if (boilerplate) counts[c + BOILERPLATE]! += 1;
    if (list) counts[c + LIST]! += 1;
    if (sameHost) counts[c + SAME_HOST]! += 1;
    this.#link(candidate, placed(parent, stretch));
  }

  /** Returns the array that holds its words. */
  unitsOf(candidate: CandidateId): Uint16Array {
    return this.#words.units(this.#blocks[candidate]!);
  }

  /** Returns the index of a text's first word in that array; the last text ends with the words of `PLACE`. */
  startOf(candidate: CandidateId, text: number): number {
    let start = offsetOf(this.#blocks[candidate]!);
    for (let before = 0; before < text; before++) start += this.counts[COUNTS * candidate + LENGTHS + before]!;
    return start;
  }

  lengthOf(candidate: CandidateId, text: number): number {
    return this.counts[COUNTS * candidate + LENGTHS + text]!;
  }

  /** Returns the words of a text. Valid until words are added to the candidate or it is removed. */
  wordsOf(candidate: CandidateId, text: number): Words {
    const from = this.startOf(candidate, text);
    return { units: this.unitsOf(candidate), from, to: from + this.lengthOf(candidate, text) };
  }

  /** Adds the words of another link to the candidate, up to `MAX_WORDS` per text. */
  addWords(candidate: CandidateId, anchor: Words, context: Words, place: Words): void {
    const c = COUNTS * candidate + LENGTHS;
    const before = this.#allWordsOf(candidate);
    const merged = this.#merged;
    merged.clear();
    const units = this.unitsOf(candidate);
    let from = this.startOf(candidate, 0);
    for (let text = 0; text < TEXTS; text++) {
      const length = this.counts[c + text]!;
      const own = { units, from, to: from + length };
      from += length;
      const more = text === ANCHOR ? anchor : text === CONTEXT ? context : text === PLACE ? place : NO_WORDS;
      this.counts[c + text] = merged.addUnion(own, more);
    }
    if (merged.end === before) return;
    const all = { units: merged.units, from: 0, to: merged.end };
    if (fits(merged.end, before)) this.#words.write(this.#blocks[candidate]!, all);
    else {
      this.#words.drop(this.#blocks[candidate]!, before);
      this.#setWords(candidate, all);
    }
  }

  #setWords(candidate: CandidateId, words: Words): void {
    const block = this.#words.make(words.to - words.from);
    this.#words.write(block, words);
    this.#blocks[candidate] = block;
  }

  #allWordsOf(candidate: CandidateId): number {
    const c = COUNTS * candidate + LENGTHS;
    const { counts } = this;
    return counts[c]! + counts[c + 1]! + counts[c + 2]! + counts[c + 3]!;
  }

  /** Appends an offer to the list of a candidate. */
  #link(candidate: CandidateId, place: number): void {
    const offer = this.#freeOffer === 0 ? this.#offersEnd++ : this.#freeOffer;
    if (this.#freeOffer !== 0) this.#freeOffer = this.offers[2 * offer + 1]!;
    if (2 * offer === this.offers.length)
      this.offers = grown(this.offers, new Uint32Array(2 * Math.ceil(offer * GROWTH)));
    this.offers[2 * offer] = place;
    this.offers[2 * offer + 1] = 0;
    if (this.first[candidate] === 0) this.first[candidate] = offer;
    else this.offers[2 * this.#last[candidate]! + 1] = offer;
    this.#last[candidate] = offer;
    this.parents.retain(parentOf(place));
  }

  #grow(): void {
    const capacity = Math.ceil(this.first.length * GROWTH);
    this.numbers = grown(this.numbers, new Float64Array(NUMBERS * capacity));
    this.counts = grown(this.counts, new Uint8Array(COUNTS * capacity));
    this.#blocks = grown(this.#blocks, new Uint32Array(capacity));
    this.first = grown(this.first, new Uint32Array(capacity));
    this.#last = grown(this.#last, new Uint32Array(capacity));
  }

  exchange(fields: Fields): void {
    this.parents.exchange(fields);
    this.#words.exchange(fields);
    this.#byUrl.exchange(fields);
    this.numbers = fields.numbers(this.numbers);
    this.counts = fields.numbers(this.counts);
    this.first = fields.numbers(this.first);
    this.offers = fields.numbers(this.offers);
    this.#last = fields.numbers(this.#last);
    this.#blocks = fields.numbers(this.#blocks);
    fields.list(this.#free);
    this.#end = fields.value(this.#end);
    this.#freeOffer = fields.value(this.#freeOffer);
    this.#offersEnd = fields.value(this.#offersEnd);
  }
}

const NO_WORDS: Words = { units: new Uint16Array(0), from: 0, to: 0 };

const STRETCH_BITS = 5;

/** Packs a parent and a stretch of its page into one number. */
function placed(parent: ParentId, stretch: number): number {
  return ((parent << STRETCH_BITS) | stretch) >>> 0;
}

export function parentOf(place: number): ParentId {
  return place >>> STRETCH_BITS;
}

export function stretchAt(place: number): number {
  return place & ((1 << STRETCH_BITS) - 1);
}
