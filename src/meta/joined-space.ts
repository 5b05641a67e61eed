import type { FeatureSpace } from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import {
  type Corpus,
  columnsOf,
  dot,
  type Nearest,
  nearestVectors,
  type Rarity,
  type SparseMatrix,
  type SparseVector,
  writeVector,
} from '../learn/index.ts';
import type { FetchedRows } from './self-training.ts';

/** All documents in one feature space. */
export interface SpaceData {
  readonly space: FeatureSpace;
  readonly corpus: Corpus;
  readonly rarity: Rarity;
}

/** All documents in one feature space, or in several combined. */
export interface JoinedSpace {
  readonly parts: readonly SpaceData[];
  /** Over all features; of length 1, or 0. */
  readonly vectors: readonly SparseVector[];
  /** Frees the vectors, which are empty afterwards. */
  readonly free: () => void;
}

/** Fetched pages that the user did not judge, in one joined space. */
export class FetchedPages implements FetchedRows {
  readonly vectors: readonly SparseVector[];
  readonly #columns: number;
  #nearest: Nearest | undefined;

  constructor({ parts, vectors }: JoinedSpace, documents: readonly number[]) {
    this.vectors = documents.map((document) => vectors[document]!);
    this.#columns = sizeOf(parts);
  }

  /** Their nearest neighbours among themselves; searched once for all topics. */
  get nearest(): Nearest {
    this.#nearest ??= nearestVectors(this.vectors, { columns: this.#columns, most: NEIGHBOURS, common: COMMON });
    return this.#nearest;
  }
}

/** Number of neighbours of a fetched page; measured (docs/quality.md#neighbours). */
const NEIGHBOURS = 10;
/** Words of more fetched pages than this are ignored in the search for neighbours, so that it stays short; our choice. */
const COMMON = 50;

/** Weights of one part of a space, by feature number in the part's corpus. */
export interface PartWeights {
  readonly space: FeatureSpace;
  /** All selected features, including those of weight 0. */
  readonly selected: Int32Array;
  /** Features with a weight, selected or learned from fetched pages; length = `weights.length`. */
  readonly weighted: Int32Array;
  readonly weights: Float32Array;
}

/** Squared length of a part relative to that of terms: measured for those named here (docs/quality.md), else equal. */
const PART_SHARES: Readonly<Partial<Record<FeatureSpace, number>>> = Object.freeze({
  lead: 0.3,
  form: 0.3,
  meaning: 0.3,
});

/** Lengths of the parts of a joined vector, in their order; the whole has length 1. */
export function partLengths(spaces: readonly FeatureSpace[]): readonly number[] {
  const shares = spaces.map((space) => PART_SHARES[space] ?? 1);
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => Math.sqrt(share / sum));
}

/**
 * The vectors of all documents in some parts. With one part they hold only values, beside the documents' own feature
 * numbers: half of the memory.
 */
export function joinedSpace(parts: readonly SpaceData[]): JoinedSpace {
  const documents = parts[0]!.corpus.bags.length;
  const lengthOf = (document: number): number =>
    parts.reduce((sum, { corpus }) => sum + corpus.bags[document]!.ids.length, 0);
  const sizes = Int32Array.from({ length: documents }, (_, document) => lengthOf(document));
  const isOne = parts.length === 1;
  const values = new Float32Array(sizes.reduce((sum, size) => sum + size, 0));
  const indices = new Int32Array(isOne ? sizes.reduce((most, size) => Math.max(most, size), 0) : values.length);
  let at = 0;
  const vectors = Array.from(sizes, (size, document): SparseVector => {
    const own = values.subarray(at, at + size);
    const vector = vectorIn({ indices: isOne ? indices : indices.subarray(at), values: own }, document, parts);
    at += size;
    return vector;
  });
  return { parts, vectors, free: () => freeBytes(values, indices) };
}

/** Buffers for vectors. */
interface Room {
  readonly indices: Int32Array;
  readonly values: Float32Array;
}

/**
 * Writes the vector of a document over all features into the buffers. With one part its indices are the document's
 * own feature numbers.
 */
function vectorIn({ indices, values }: Room, document: number, parts: readonly SpaceData[]): SparseVector {
  const lengths = partLengths(parts.map(({ space }) => space));
  let at = 0;
  let offset = 0;
  for (const [part, { corpus, rarity }] of parts.entries()) {
    at = writeVector(corpus.bags[document]!, rarity, { indices, values, at, offset, length: lengths[part]! });
    offset += corpus.names.length;
  }
  const ids = parts.length === 1 ? parts[0]!.corpus.bags[document]!.ids : indices.subarray(0, at);
  return { indices: ids, values: values.subarray(0, at) };
}

/** Rows of documents over the features selected in each part. */
export function matrixOf(
  documents: readonly number[],
  { parts, vectors }: JoinedSpace,
  selected: readonly Int32Array[],
): SparseMatrix {
  const features = joinedFeatures(parts, selected);
  const columns = columnsOf(features, sizeOf(parts));
  const entries = documents.reduce((sum, document) => sum + entriesOf(vectors[document]!, columns), 0);
  const starts = new Int32Array(documents.length + 1);
  const indices = new Int32Array(entries);
  const values = new Float32Array(entries);
  let at = 0;
  documents.forEach((document, row) => {
    const vector = vectors[document]!;
    for (let k = 0; k < vector.values.length; k++) {
      const column = columns[vector.indices[k]!]!;
      if (column < 0) continue;
      indices[at] = column;
      values[at++] = vector.values[k]!;
    }
    starts[row + 1] = at;
  });
  freeBytes(columns);
  return { rows: documents.length, columns: features.length, starts, indices, values };
}

function entriesOf({ indices }: SparseVector, columns: Int32Array): number {
  let entries = 0;
  for (let k = 0; k < indices.length; k++) if (columns[indices[k]!]! >= 0) entries++;
  return entries;
}

/** w·x of documents. @param w weights of all features */
export function productsOf(documents: readonly number[], { vectors }: JoinedSpace, w: Float64Array): Float64Array {
  return Float64Array.from(documents, (document) => dot(vectors[document]!, w));
}

/** Number of features of all parts. */
export function sizeOf(parts: readonly SpaceData[]): number {
  return parts.reduce((sum, { corpus }) => sum + corpus.names.length, 0);
}

/** Features selected in each part, by their numbers among those of all parts. */
function joinedFeatures(parts: readonly SpaceData[], selected: readonly Int32Array[]): Int32Array {
  const features = new Int32Array(selected.reduce((sum, own) => sum + own.length, 0));
  let at = 0;
  let offset = 0;
  parts.forEach(({ corpus }, part) => {
    for (const id of selected[part]!) features[at++] = offset + id;
    offset += corpus.names.length;
  });
  return features;
}

/** Weights of the selected features as a vector over all features. */
export function spread(w: Float64Array, parts: readonly SpaceData[], selected: readonly Int32Array[]): Float64Array {
  const all = new Float64Array(sizeOf(parts));
  joinedFeatures(parts, selected).forEach((id, column) => {
    all[id] = w[column]!;
  });
  return all;
}

/** @param w weights of all features */
export function splitWeights(
  parts: readonly SpaceData[],
  selected: readonly Int32Array[],
  w: Float64Array,
): readonly PartWeights[] {
  let offset = 0;
  return parts.map(({ space, corpus }, part) => {
    const own = w.subarray(offset, offset + corpus.names.length);
    offset += corpus.names.length;
    const weighted: number[] = [];
    for (let id = 0; id < own.length; id++) if (own[id] !== 0) weighted.push(id);
    return {
      space,
      selected: selected[part]!,
      weighted: Int32Array.from(weighted),
      weights: Float32Array.from(weighted, (id) => own[id]!),
    };
  });
}
