import { hash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { freeBytes, hash32, packSorted, SECOND_SEED, wordPairs } from '../../kit/index.ts';
import {
  type AnalyzedDocument,
  type DocumentFeatures,
  EMPTY_COUNTS,
  EMPTY_LINKS,
  FEATURE_SPACES,
  type FeatureSpace,
  hashesOf,
  hashesOfAscii,
  type LinkTable,
  type TermCounts,
} from '../document.ts';
import { statementsOf } from '../statements.ts';
import { mainTextOf, type TextStructure } from '../structure.ts';
import { packBags } from './feature-block.ts';

/**
 * The large parts of a document as stored. The thread that analyses a page packs them; other threads pass the bytes
 * along without reading or copying them.
 */
export interface PackedDocument {
  /** Links, text and features in one zstd frame, see {@link packDocument}. */
  readonly content: Uint8Array<ArrayBuffer>;
  /** The stems of the space `terms` for the search index, two numbers each, see {@link packStems}. */
  readonly stems: Uint32Array<ArrayBuffer>;
  /** Consecutive words in title and text, for phrase search: {@link wordPairs}, packed by {@link packSorted}. */
  readonly pairs: Uint8Array<ArrayBuffer>;
  /** The features for the page's block, see {@link packBags}. */
  readonly bags: Uint32Array<ArrayBuffer>;
}

/**
 * Level 1 costs half of the usual 3, for frames one tenth larger. Without a checksum (4 bytes), three in four flipped
 * bits would silently change the text.
 */
const FRAME = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
/** Number of values in the header before those of the feature spaces. */
const HEAD = 6;
/** Marks a space that was not built; a built one may be empty. */
const ABSENT = 0xffffffff;
/** Scratch memory above this many bytes is freed after use. */
const KEPT_BYTES = 1 << 20;
/** Maximum count of a stem in the search index; higher counts hardly affect rankings. */
export const MAX_STEM_COUNT = 8;

/** Buffer size for unpacking, enough for most frames; too large to come from Node's buffer pool. */
const UNPACKED_BYTES = 1 << 17;

const NO_COUNTS = new Uint16Array(0);

const HAN = /\p{Script=Han}/u;

let scratch = Buffer.allocUnsafeSlow(1 << 17);

type Packable = Pick<AnalyzedDocument, 'title' | 'text' | 'features' | 'links' | 'noted' | 'structure'>;

/**
 * Packs text, features and links. Inside the frame, all numbers little-endian:
 *
 *     head        32-bit: number of links; bytes of URLs, anchors, text, contexts; number of feature spaces;
 *                 for each of them number of features (all bits set: space not built) and their bytes
 *     positions   16-bit, one a link; then flags, one byte a link
 *     counts      16-bit, space by space
 *     strings     UTF-8: URLs, anchors, text, contexts, then the features of each space
 *
 * The structure of the text, as JSON, is an absent space with a string. Older versions skip it.
 */
export function packDocument({ title, text, features, links, noted, structure }: Packable): PackedDocument {
  const bags = [...FEATURE_SPACES.map((space) => features[space]), ...(structure === undefined ? [] : [undefined])];
  const strings = [
    ...[links.urls, links.anchors, noted?.utf8 ?? text, links.contexts],
    ...FEATURE_SPACES.map((space) => features[space]?.features ?? ''),
    ...(structure === undefined ? [] : [JSON.stringify(structure)]),
  ];
  const counted = bags.reduce((sum, bag) => sum + (bag?.counts.length ?? 0), 0);
  const stringsAt = 4 * (HEAD + 2 * bags.length) + 3 * links.size + 2 * counted;
  // A UTF-16 unit takes at most three bytes.
  reserve(stringsAt + 3 * strings.reduce((sum, string) => sum + string.length, 0));
  const lengths: number[] = [];
  let at = stringsAt;
  for (const string of strings) {
    const written = write(string, at);
    lengths.push(written);
    at += written;
  }
  const end = at;
  at = writeNumbers([links.size, ...lengths.slice(0, 4), bags.length], 0);
  for (const [i, bag] of bags.entries()) at = writeNumbers([bag?.counts.length ?? ABSENT, lengths[4 + i]!], at);
  at = writeShorts(links.positions.subarray(0, links.size), at);
  for (let i = 0; i < links.size; i++) scratch[at++] = links.flags[i] ?? 0;
  for (const bag of bags) at = writeShorts(bag?.counts ?? NO_COUNTS, at);
  const content = compressed(scratch.subarray(0, end));
  const pairs = noted?.pairs ?? packSorted(wordPairs(title, text));
  if (scratch.length > KEPT_BYTES) scratch = Buffer.allocUnsafeSlow(1 << 17);
  return { content, stems: packStems(features.terms ?? EMPTY_COUNTS), pairs, bags: packBags(features) };
}

/** Returns 32 hex digits (half of a SHA-256) of a text in UTF-8; `''` for empty text. */
export function contentHash(text: Uint8Array): string {
  return text.length === 0 ? '' : hash('sha256', text, 'hex').slice(0, 32);
}

/** Returns the document without its packed parts; its links keep what is needed to follow them. */
export function thinDocument({ noted: _, structure: __, ...document }: AnalyzedDocument): AnalyzedDocument {
  return { ...document, text: '', features: {} };
}

/** Restores a thin document. */
export function unpackDocument(thin: AnalyzedDocument, content: Uint8Array): AnalyzedDocument {
  return reading(content, (parts) => {
    const structure = parts.structure();
    const whole = { ...thin, text: parts.text(), features: parts.features(), links: parts.links() };
    return structure === undefined ? whole : { ...whole, structure };
  });
}

/**
 * Restores what judging a page again needs: counts and hashes of the features. The names are missing, except those
 * that are not ASCII.
 */
export function unpackHashes(content: Uint8Array): DocumentFeatures {
  return reading(content, (parts) =>
    parts.features((bytes, counts) => {
      const hashes = hashesOfAscii(bytes, counts.length);
      return hashes && { features: '', counts, hashes };
    }),
  );
}

/** Restores only the features. */
export function unpackFeatures(content: Uint8Array): DocumentFeatures {
  return reading(content, (parts) => parts.features());
}

export function unpackText(content: Uint8Array): string {
  return reading(content, (parts) => parts.text());
}

/** Returns the text without what stands beside it. */
export function unpackMainText(content: Uint8Array): string {
  return reading(content, (parts) => mainTextOf({ text: parts.text(), structure: parts.structure() }));
}

/** Restores the text, and the terms if the document has that space. */
export function unpackWords(content: Uint8Array): { readonly text: string; readonly terms?: TermCounts } {
  return reading(content, (parts) => {
    const { terms } = parts.features(undefined, ['terms']);
    return { text: parts.text(), ...(terms && { terms }) };
  });
}

/** Returns the stems of the space `terms`, without duplicates. */
export function unpackStems(content: Uint8Array): readonly string[] {
  const features = reading(content, (parts) => parts.features(undefined, ['terms']).terms?.features ?? '');
  return features === '' ? [] : features.split('\n');
}

/** Packs what is kept of a page that asks not to be stored: its links, and its language in place of its text. */
export function packLinksAlone({
  links,
  language,
}: Pick<AnalyzedDocument, 'links' | 'language'>): Uint8Array<ArrayBuffer> {
  return packDocument({ title: '', text: language, features: {}, links }).content;
}

export function unpackLinksAlone(content: Uint8Array): Pick<AnalyzedDocument, 'links' | 'language'> {
  return reading(content, (parts) => {
    return { links: parts.links(), language: parts.text() };
  });
}

/** Restores what the fold needs: the links, and the statements of the text. */
export function unpackFollowed(content: Uint8Array): Pick<AnalyzedDocument, 'links' | 'statements'> {
  return reading(content, (parts) => ({ links: parts.links(), statements: statementsOf(unitsOf(parts.text())) }));
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}

/** Reads a frame and frees its bytes at once, because training or resuming reads thousands. */
function reading<T>(content: Uint8Array, read: (parts: Parts) => T): T {
  const parts = new Parts(content);
  const found = read(parts);
  parts.free();
  return found;
}

/** Sections of a frame, located by its header. */
class Parts {
  readonly #bytes: Buffer;
  readonly #size: number;
  readonly #counts: number[] = [];
  readonly #positionsAt: number;
  /** Start of each string, and end of the last one. */
  readonly #starts: number[] = [];

  /** @throws RangeError if the header does not match the bytes */
  constructor(content: Uint8Array) {
    this.#bytes = zstdDecompressSync(content, { chunkSize: UNPACKED_BYTES });
    const number = (i: number): number => this.#bytes.readUInt32LE(4 * i);
    this.#size = number(0);
    const spaces = number(5);
    const lengths = [number(1), number(2), number(3), number(4)];
    for (let i = 0; i < spaces; i++) {
      this.#counts.push(number(HEAD + 2 * i));
      lengths.push(number(HEAD + 2 * i + 1));
    }
    this.#positionsAt = 4 * (HEAD + 2 * spaces);
    let at = this.#countsAt(spaces);
    for (const length of lengths) {
      this.#starts.push(at);
      at += length;
    }
    this.#starts.push(at);
    if (at !== this.#bytes.length) throw new RangeError(`Expected ${at} bytes of content, got ${this.#bytes.length}`);
  }

  /** Frees the memory; the last call. */
  free(): void {
    const { buffer, length } = this.#bytes;
    // Either the one output buffer, or a copy of several.
    freeBytes(length < UNPACKED_BYTES ? new Uint8Array(buffer) : this.#bytes);
  }

  text(): string {
    return this.#string(2);
  }

  links(): LinkTable {
    const size = this.#size;
    if (size === 0) return EMPTY_LINKS;
    const flagsAt = this.#positionsAt + 2 * size;
    const flags = Uint8Array.from(this.#bytes.subarray(flagsAt, flagsAt + size));
    const positions = this.#shorts(this.#positionsAt, size);
    return { size, urls: this.#string(0), anchors: this.#string(1), contexts: this.#string(3), flags, positions };
  }

  /**
   * @param asHashes makes a bag of the names in UTF-8, unless it returns `undefined`
   * @param wanted spaces to restore. Default: all
   */
  features(
    asHashes?: (names: Uint8Array, counts: Uint16Array) => TermCounts | undefined,
    wanted: readonly FeatureSpace[] = FEATURE_SPACES,
  ): DocumentFeatures {
    const features: Partial<Record<FeatureSpace, TermCounts>> = {};
    for (const space of wanted) {
      const i = FEATURE_SPACES.indexOf(space);
      const count = this.#counts[i] ?? ABSENT;
      if (count === 0) features[space] = EMPTY_COUNTS;
      else if (count !== ABSENT) {
        const counts = this.#shorts(this.#countsAt(i), count);
        const names = this.#bytes.subarray(this.#starts[4 + i]!, this.#starts[5 + i]!);
        features[space] = asHashes?.(names, counts) ?? { features: this.#string(4 + i), counts };
      }
    }
    return features;
  }

  structure(): TextStructure | undefined {
    const at = this.#counts.findIndex((count, i) => count === ABSENT && this.#string(4 + i) !== '');
    return at < 0 ? undefined : (JSON.parse(this.#string(4 + at)) as TextStructure);
  }

  #countsAt(space: number): number {
    let at = this.#positionsAt + 3 * this.#size;
    for (const count of this.#counts.slice(0, space)) if (count !== ABSENT) at += 2 * count;
    return at;
  }

  #string(i: number): string {
    return this.#bytes.toString('utf8', this.#starts[i]!, this.#starts[i + 1]!);
  }

  #shorts(at: number, length: number): Uint16Array {
    const shorts = new Uint16Array(length);
    for (let i = 0; i < length; i++) shorts[i] = this.#bytes.readUInt16LE(at + 2 * i);
    return shorts;
  }
}

/**
 * Stems as the search index knows them, 64 bits each in two numbers, the lower first:
 *
 *     63            16 15    4 3     0
 *     [ stem's number |  free | count ]      count: 1 to {@link MAX_STEM_COUNT}
 *
 * In the free bits the index puts the page, so that sorting the numbers sorts by stem, then page.
 */
export function packStems(terms: TermCounts): Uint32Array<ArrayBuffer> {
  const { counts } = terms;
  const hashes = hashesOf(terms);
  const characters = charactersOf(terms);
  const packed = new Uint32Array(2 * (counts.length + characters.size));
  const pack = (i: number, first: number, second: number, count: number): void => {
    packed[2 * i] = (second << 16) | Math.min(count, MAX_STEM_COUNT);
    packed[2 * i + 1] = first;
  };
  for (let i = 0; i < counts.length; i++) pack(i, hashes[2 * i]!, hashes[2 * i + 1]!, counts[i]!);
  let end = counts.length;
  for (const [character, count] of characters) pack(end++, hash32(character), hash32(character, SECOND_SEED), count);
  return packed;
}

/**
 * Returns the Chinese characters that occur in pairs of neighbours. Each is also a word, as 茶 is in 红茶 and 茶叶. Single
 * characters are already terms and left out.
 */
function charactersOf(terms: TermCounts): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  if (!HAN.test(terms.features)) return found;
  const seconds = new Map<string, number>();
  const pairs = terms.features.split('\n');
  for (const [i, pair] of pairs.entries()) {
    if (pair.length !== 2) continue;
    const [first, second] = [pair[0]!, pair[1]!];
    if (HAN.test(first)) found.set(first, (found.get(first) ?? 0) + terms.counts[i]!);
    if (HAN.test(second)) seconds.set(second, (seconds.get(second) ?? 0) + terms.counts[i]!);
  }
  // Within a sentence, a character is the second of one pair and the first of the next.
  for (const [character, count] of seconds) found.set(character, Math.max(found.get(character) ?? 0, count));
  for (const pair of pairs) if (pair.length === 1) found.delete(pair);
  return found;
}

/** Returns a stem's number in 48 bits. Among half a million stems, two share a number with a chance of 1 in 2,000. */
export function stemNumber(stem: string): { readonly high: number; readonly low: number } {
  return { high: hash32(stem), low: hash32(stem, SECOND_SEED) & 0xffff };
}

function reserve(bytes: number): void {
  if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes);
}

/** Writes a string, or UTF-8 bytes; returns the number of bytes. */
function write(text: string | Uint8Array, at: number): number {
  if (text.length === 0) return 0;
  if (typeof text === 'string') return scratch.write(text, at, 'utf8');
  scratch.set(text, at);
  return text.length;
}

function writeNumbers(numbers: readonly number[], from: number): number {
  let at = from;
  for (const number of numbers) at = scratch.writeUInt32LE(number, at);
  return at;
}

function writeShorts(numbers: Uint16Array, from: number): number {
  let at = from;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    scratch[at++] = number & 255;
    scratch[at++] = number >>> 8;
  }
  return at;
}

/** Returns a frame in its own memory, so that it can be transferred to another thread. */
function compressed(bytes: Buffer): Uint8Array<ArrayBuffer> {
  // One buffer for everything: each further one costs another call into the library.
  const chunkSize = Math.min(1 << 20, Math.max(Buffer.poolSize, bytes.length >>> 1));
  // With the size known, zstd uses no larger tables than necessary.
  const frame = zstdCompressSync(bytes, { params: FRAME, chunkSize, pledgedSrcSize: bytes.length });
  const own = new Uint8Array(frame);
  freeBytes(new Uint8Array(frame.buffer));
  return own;
}
