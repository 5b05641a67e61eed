import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { DocumentFeatures, FeatureSpace, TermCounts } from '../../core/index.ts';

/** Features of training pages by key, as a trainer holds them. */
export type HeldFeatures = ReadonlyMap<string, DocumentFeatures>;

/** The quickest level: what is packed is read once, by this process. */
const FRAME = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

type PackedBag = readonly [space: FeatureSpace, features: string, counts: Uint16Array];

/** What a thread held, in a tenth or so of its memory, for the thread that comes after it. Nothing is lost but hashes, which can be had again. */
export function packHeld(held: HeldFeatures): Uint8Array<ArrayBuffer> {
  const rows = [...held].map(([key, features]) => [key, bagsOf(features)] as const);
  return new Uint8Array(zstdCompressSync(serialize(rows), FRAME));
}

export function unpackHeld(packed: Uint8Array): HeldFeatures {
  const rows: readonly (readonly [string, readonly PackedBag[]])[] = deserialize(zstdDecompressSync(packed));
  return new Map(rows.map(([key, bags]) => [key, featuresOf(bags)]));
}

function bagsOf(features: DocumentFeatures): PackedBag[] {
  const bags = Object.entries(features) as [FeatureSpace, TermCounts][];
  return bags.map(([space, bag]) => [space, bag.features, bag.counts]);
}

function featuresOf(bags: readonly PackedBag[]): DocumentFeatures {
  // Counts of their own: those that were read are a part of all that was packed, and would keep it.
  return Object.fromEntries(bags.map(([space, features, counts]) => [space, { features, counts: counts.slice() }]));
}
