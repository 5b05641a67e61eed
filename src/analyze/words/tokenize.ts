import { HASH_START, hashStep, type WordTrail } from '../../kit/index.ts';
import { codeUnits } from '../code-units.ts';
import {
  ASCII_WORD,
  CLASSES,
  classify,
  DENSE,
  DIGIT,
  isAstralWord,
  LETTER,
  MARK,
  SEPARATOR,
  SURROGATE,
} from './char-class.ts';
import { MAX_TOKEN_CHARS, stemInPlace } from './stem.ts';
import { stemmerOf } from './stemmers.ts';
import { doubled } from './stems.ts';
import { anchorStopWords, hasOwnStops, unindexedWords } from './stop-words.ts';
import { foldAscii, NO_STEM, TAG_START, tagStep, Vocabulary, WordBatch } from './vocabulary.ts';

/** Longer numbers are serial numbers, not words. */
const MAX_NUMBER_DIGITS = 4;
const ZERO = 48;
const NINE = 57;

/** Stem ids in text order, {@link NO_STEM} for stop words. It grows as needed and is reused for every document. */
export class TokenStream {
  ids: Int32Array = new Int32Array(1 << 12);
  length = 0;

  push(id: number): void {
    if (this.length === this.ids.length) this.ids = doubled(this.ids, Int32Array);
    this.ids[this.length++] = id;
  }

  /** Appends the stems of some words and empties the batch. */
  pushAll(batch: WordBatch, chars: Uint16Array, vocabulary: Vocabulary): void {
    while (this.length + batch.size > this.ids.length) this.ids = doubled(this.ids, Int32Array);
    vocabulary.findAll(chars, batch, this.ids, this.length);
    this.length += batch.size;
    batch.size = 0;
  }
}

const batch = new WordBatch();
/** End of the text whose words are in the trail; the trail may end after our limit. */
let trailed = 0;

/** Destinations of the words. */
export interface WordSinks {
  readonly vocabulary: Vocabulary;
  readonly stream: TokenStream;
  /** Maximum number of words in the stream. */
  readonly limit: number;
  /** Receives all words in the form that `wordPairs` of core reads. */
  readonly trail?: WordTrail;
}

/**
 * Appends the words of `chars[start … end)` to the stream until it holds `limit` of them.
 *
 * A word is a run of letters, digits and marks in any script. Runs longer than 30 characters and numbers longer than
 * 4 digits are dropped. Chinese, Japanese, Thai and other scripts without spaces give pairs of neighbouring
 * characters.
 */
export function scanWords(chars: Uint16Array, start: number, end: number, into: WordSinks): void {
  const { vocabulary, stream, limit, trail } = into;
  batch.size = 0;
  trailed = start;
  let i = start;
  while (i < end && stream.length + batch.size < limit) {
    const from = i;
    let unit = chars[i]!;
    let folded = unit < 128 ? ASCII_WORD[unit]! : 0;
    let hash = HASH_START;
    let tag = TAG_START;
    // Nearly all text is ASCII: only this loop reads it.
    while (folded !== 0) {
      hash = hashStep(hash, folded);
      tag = tagStep(tag, folded);
      unit = ++i < end ? chars[i]! : 0;
      folded = unit < 128 ? ASCII_WORD[unit]! : 0;
    }
    // Rare cases are in a function of their own: V8 would recompile this one at each new case.
    if (CLASSES[unit] !== SEPARATOR) {
      i = readRare(chars, { from, at: i, end, hash, tag }, into);
      continue;
    }
    if (i > from) {
      if (trail !== undefined && from >= trailed) trail.push(hash);
      if (isWord(chars, from, i)) {
        if (batch.isFull) stream.pushAll(batch, chars, vocabulary);
        batch.add(from, i - from, hash, tag);
      }
    }
    // The unit that ended the word begins no word.
    i++;
  }
  stream.pushAll(batch, chars, vocabulary);
  trail?.read(chars, Math.max(trailed, i), end);
}

/** A word whose first ASCII units may already be read. */
interface BegunWord {
  readonly from: number;
  /** The first unread unit: not ASCII, and not known to be a separator. */
  readonly at: number;
  readonly end: number;
  readonly hash: number;
  readonly tag: number;
}

/** Reads a word with letters beyond ASCII, or a run of a script without spaces. @returns the position after it */
function readRare(chars: Uint16Array, word: BegunWord, into: WordSinks): number {
  const { from, end } = word;
  const { vocabulary, stream, trail } = into;
  let { at: i, hash, tag } = word;
  let kind = classAt(chars, i, end);
  if (i === from && kind === DENSE) {
    while (i < end && (kind === DENSE || kind === MARK)) kind = ++i < end ? classAt(chars, i, end) : SEPARATOR;
    stream.pushAll(batch, chars, vocabulary);
    pushPairs(chars, from, i, into);
    if (trail !== undefined) trailed = trail.read(chars, Math.max(trailed, from), i, end);
    return i;
  }
  if (i === from && kind === MARK) kind = SEPARATOR;
  const isRare = kind !== SEPARATOR;
  while (kind === LETTER || kind === DIGIT || kind === MARK) {
    const folded = foldAscii(chars[i]!);
    hash = hashStep(hash, folded);
    tag = tagStep(tag, folded);
    kind = ++i < end ? classAt(chars, i, end) : SEPARATOR;
  }
  const length = i - from;
  if (length === 0) return i + 1;
  if (trail !== undefined) {
    if (isRare) trailed = trail.read(chars, Math.max(trailed, from), i, end);
    else if (from >= trailed) trail.push(hash);
  }
  if (isWord(chars, from, i)) {
    if (batch.isFull) stream.pushAll(batch, chars, vocabulary);
    batch.add(from, length, hash, tag);
  }
  return i;
}

/**
 * True for a run of letters and digits that is not too long and not a long number. Numbers in other digits are
 * detected when they are normalised.
 */
function isWord(chars: Uint16Array, from: number, to: number): boolean {
  if (to - from <= MAX_NUMBER_DIGITS) return true;
  if (to - from > MAX_TOKEN_CHARS) return false;
  for (let i = from; i < to; i++) if (chars[i]! < ZERO || chars[i]! > NINE) return true;
  return false;
}

function classAt(chars: Uint16Array, i: number, end: number): number {
  const unit = chars[i]!;
  const known = CLASSES[unit]!;
  return known < SURROGATE ? known : rareClassAt(chars, i, end);
}

function rareClassAt(chars: Uint16Array, i: number, end: number): number {
  const unit = chars[i]!;
  const kind = classify(unit);
  if (kind !== SURROGATE) return kind;
  const isHigh = unit < 0xdc00;
  const high = isHigh ? unit : i > 0 ? chars[i - 1]! : 0;
  const low = isHigh ? (i + 1 < end ? chars[i + 1]! : 0) : unit;
  const isPair = high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
  return isPair && isAstralWord(high, low) ? LETTER : SEPARATOR;
}

/** Half-width katakana, whose voicing marks are separate units: ｸﾞﾗﾌ is グラフ. */
const HALF_WIDTH_FIRST = 0xff66;
const HALF_WIDTH_LAST = 0xff9f;

function pushPairs(chars: Uint16Array, from: number, to: number, into: WordSinks): void {
  const { vocabulary, stream } = into;
  if (hasHalfWidth(chars, from, to)) {
    const whole = Buffer.from(chars.slice(from, to).buffer).toString('utf16le').normalize('NFKC');
    pushPairs(codeUnits(whole, new Uint16Array(whole.length)), 0, whole.length, into);
    return;
  }
  const last = Math.max(from, to - 2);
  for (let i = from; i <= last && stream.length < into.limit; i++) {
    const length = Math.min(2, to - i);
    let hash = HASH_START;
    let tag = TAG_START;
    for (let k = i; k < i + length; k++) {
      hash = hashStep(hash, chars[k]!);
      tag = tagStep(tag, chars[k]!);
    }
    stream.push(vocabulary.find(chars, i, length, hash, tag));
  }
}

function hasHalfWidth(chars: Uint16Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (chars[i]! >= HALF_WIDTH_FIRST && chars[i]! <= HALF_WIDTH_LAST) return true;
  return false;
}

/** Maximum number of vocabularies, of at most 10 MB each. Beyond it the least recently used is dropped. */
const MAX_VOCABULARIES = 8;

/**
 * The vocabulary of each language, created on first use. English words and words of unknown language use Porter's
 * algorithm, those of many other languages Snowball's.
 */
class Vocabularies {
  readonly #stopsOf: (language: string) => ReadonlySet<string>;
  readonly #kept = new Map<string, Vocabulary>();
  #latest: { readonly language: string; readonly vocabulary: Vocabulary } | undefined;

  constructor(stopsOf: (language: string) => ReadonlySet<string>) {
    this.#stopsOf = stopsOf;
  }

  of(language: string): Vocabulary {
    if (this.#latest?.language === language) return this.#latest.vocabulary;
    const isKnown = hasOwnStops(language) || stemmerOf(language) !== undefined;
    const key = language === '' ? 'en' : isKnown ? language : 'other';
    const vocabulary = this.#kept.get(key) ?? this.#make(key);
    // Moves it to the end: the first one is the least recently used.
    this.#kept.delete(key);
    this.#kept.set(key, vocabulary);
    if (this.#kept.size > MAX_VOCABULARIES) this.#kept.delete(this.#kept.keys().next().value!);
    this.#latest = { language, vocabulary };
    return vocabulary;
  }

  /** The new stems of all vocabularies, see {@link Vocabulary.takeNew}. */
  takeNew(): readonly Uint8Array<ArrayBuffer>[] {
    return [...this.#kept.values()].flatMap((vocabulary) => vocabulary.takeNew() ?? []);
  }

  #make(language: string): Vocabulary {
    const stops = this.#stopsOf(language);
    if (language === 'en') return new Vocabulary({ stem: stemInPlace, stops });
    const stemText = stemmerOf(language);
    return new Vocabulary({ stem: (_, length) => length, stops, ...(stemText && { stemText }) });
  }
}

const vocabularies = new Vocabularies(unindexedWords);
const anchorVocabularies = new Vocabularies(anchorStopWords);

/** The vocabulary of texts in a language (ISO 639-1; `''` = unknown). */
export function vocabularyOf(language: string): Vocabulary {
  return vocabularies.of(language);
}

/**
 * Stems that this thread met since the last call, in all languages, each followed by a line break. Forgotten stems
 * are repeated.
 */
export function takeNewStems(): readonly Uint8Array<ArrayBuffer>[] {
  return vocabularies.takeNew();
}

/** The same for the `anchors` space, which has more stop words. */
export function anchorVocabularyOf(language: string): Vocabulary {
  return anchorVocabularies.of(language);
}

const scratch = { chars: new Uint16Array(256), stream: new TokenStream(), hashes: new Uint32Array(256) };

/** Copies a string's code units to a buffer that the next call overwrites. */
export function unitsOf(text: string): Uint16Array {
  scratch.chars = codeUnits(text, scratch.chars);
  return scratch.chars;
}

/** Stems of a text in the order of its words, without stop words. */
export function tokenize(text: string, language: string): string[] {
  return stemsWith(vocabularyOf(language), text);
}

/** {@link tokenize} for text in English or in an unknown language, such as queries. */
export function stemsOf(text: string): string[] {
  return stemsWith(vocabularyOf(''), text);
}

/** `hash32` of each stem of {@link tokenize}, without creating strings. Valid until the next call. */
export function stemHashesOf(text: string, language: string): Uint32Array {
  const vocabulary = vocabularyOf(language);
  const { ids, length } = streamOf(vocabulary, text);
  if (length > scratch.hashes.length) scratch.hashes = new Uint32Array(ids.length);
  const { hashes } = scratch;
  let end = 0;
  for (let i = 0; i < length; i++) if (ids[i] !== NO_STEM) hashes[end++] = vocabulary.hash(ids[i]!);
  return hashes.subarray(0, end);
}

/** Stems of a text by a vocabulary of the caller. */
export function stemsWith(vocabulary: Vocabulary, text: string): string[] {
  const stream = streamOf(vocabulary, text);
  const stems: string[] = [];
  for (let i = 0; i < stream.length; i++) {
    const id = stream.ids[i]!;
    if (id !== NO_STEM) stems.push(vocabulary.word(id));
  }
  return stems;
}

/** The words of a text; the next call overwrites them. */
function streamOf(vocabulary: Vocabulary, text: string): TokenStream {
  vocabulary.freshen();
  const { stream } = scratch;
  stream.length = 0;
  scanWords(unitsOf(text), 0, text.length, { vocabulary, stream, limit: Number.POSITIVE_INFINITY });
  return stream;
}
