import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { DocumentFeatures, FeatureSpace } from '../../core/index.ts';
import { freeBytes } from '../../kit/index.ts';
import { FeatureNames, type KeptBag } from '../../learn/index.ts';

/** All held features, in about a third of the memory. */
export interface PackedFeatures {
  /** {@link Table}, serialized. */
  readonly table: Packed;
  /** Each is a part of a space's feature bags: feature numbers, then counts. */
  readonly bags: readonly Packed[];
}

/** A zstd frame. */
interface Packed {
  readonly frame: Uint8Array<ArrayBuffer>;
  /** Uncompressed length in bytes. */
  readonly length: number;
}

/**
 * The contents of the parts; bags are given by the positions of their keys. Uses lists: typed arrays would be views
 * of the unpacked memory, which is freed.
 */
interface Table {
  readonly keys: readonly string[];
  /** One per line. */
  readonly names: readonly (readonly [space: FeatureSpace, names: string, many: number])[];
  readonly parts: readonly {
    readonly space: FeatureSpace;
    readonly places: readonly number[];
    readonly sizes: readonly number[];
  }[];
}

/** The fastest level: packed data is read once, by this process. */
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Number of features packed at a time: packing and reading need little memory beyond the features. */
const PART = 1 << 17;

type Bags = Partial<Record<FeatureSpace, KeptBag>>;
type Placed = readonly [place: number, bag: KeptBag];

/** Features of training pages by key, as a trainer holds them: as numbers, with one numbering per feature space. */
export class HeldFeatures {
  readonly names: ReadonlyMap<FeatureSpace, FeatureNames>;
  readonly #bags = new Map<string, Bags>();

  /**
   * @param spaces other spaces are not stored
   * @param packed features of an earlier trainer with the same number of spaces; its frames are emptied
   */
  constructor(spaces: readonly FeatureSpace[], packed?: PackedFeatures) {
    this.names = new Map(spaces.map((space) => [space, new FeatureNames()]));
    if (packed === undefined) return;
    const table = unpack(packed.table, (bytes) => deserialize(bytes) as Table);
    for (const [space, names, many] of table.names) this.names.get(space)!.learn(names, many);
    const bags = table.keys.map((): Bags => ({}));
    for (const [i, part] of packed.bags.entries()) {
      const { space, places, sizes } = table.parts[i]!;
      unpack(part, (bytes) => keepAll(this.names.get(space)!, bytes, sizes)).forEach((bag, k) => {
        bags[places[k]!]![space] = bag;
      });
    }
    table.keys.forEach((key, place) => {
      this.#bags.set(key, bags[place]!);
    });
  }

  get size(): number {
    return this.#bags.size;
  }

  get(key: string): DocumentFeatures | undefined {
    return this.#bags.get(key);
  }

  entries(): Iterable<readonly [string, DocumentFeatures]> {
    return this.#bags;
  }

  /** Adds features. Spaces added earlier stay. */
  add(key: string, features: DocumentFeatures): void {
    const bags: Bags = { ...this.#bags.get(key) };
    for (const [space, names] of this.names) {
      const bag = features[space];
      if (bag === undefined) continue;
      if (bags[space] !== undefined) names.drop(bags[space]);
      bags[space] = names.keep(bag);
    }
    this.#bags.set(key, bags);
  }

  forget(key: string): void {
    const bags = this.#bags.get(key);
    if (bags === undefined) return;
    for (const [space, names] of this.names) if (bags[space] !== undefined) names.drop(bags[space]);
    this.#bags.delete(key);
  }

  pack(): PackedFeatures {
    const parts: Table['parts'][number][] = [];
    const bags: Packed[] = [];
    const add = (space: FeatureSpace, placed: readonly Placed[]): void => {
      parts.push({ space, places: placed.map(([place]) => place), sizes: placed.map(([, { ids }]) => ids.length) });
      bags.push(packedBags(placed));
    };
    for (const space of this.names.keys()) {
      let placed: Placed[] = [];
      let features = 0;
      for (const [place, { [space]: bag }] of [...this.#bags.values()].entries()) {
        if (bag === undefined) continue;
        placed.push([place, bag]);
        features += bag.ids.length;
        if (features < PART) continue;
        add(space, placed);
        placed = [];
        features = 0;
      }
      if (placed.length > 0) add(space, placed);
    }
    const names = [...this.names].map(([space, { names }]) => [space, names.join('\n'), names.length] as const);
    const table = serialize({ keys: [...this.#bags.keys()], names, parts } satisfies Table);
    return { table: packed(table), bags };
  }
}

/** Returns the buffers to transfer with it. */
export function framesOf({ table, bags }: PackedFeatures): ArrayBuffer[] {
  return [table, ...bags].map(({ frame }) => frame.buffer);
}

/** Packs bags as feature numbers, then counts; frees them once packed. */
function packedBags(placed: readonly Placed[]): Packed {
  const features = placed.reduce((sum, [, { ids }]) => sum + ids.length, 0);
  const bytes = new Uint8Array(6 * features);
  const ids = new Int32Array(bytes.buffer, 0, features);
  const counts = new Uint16Array(bytes.buffer, 4 * features);
  let at = 0;
  for (const [, bag] of placed) {
    ids.set(bag.ids, at);
    counts.set(bag.counts, at);
    at += bag.ids.length;
  }
  return packed(bytes);
}

function keepAll(
  names: FeatureNames,
  { buffer, length }: Uint8Array<ArrayBuffer>,
  sizes: readonly number[],
): KeptBag[] {
  const ids = new Int32Array(buffer, 0, length / 6);
  const counts = new Uint16Array(buffer, 4 * ids.length, ids.length);
  let at = 0;
  return sizes.map((size) => {
    const end = at + size;
    const bag = names.keepNumbered(ids.subarray(at, end), counts.subarray(at, end));
    at = end;
    return bag;
  });
}

/** Node does not take chunks of this size from a pool, so they can be freed. */
function roomFor(length: number): number {
  return Math.max(Buffer.poolSize, length + 1);
}

/** Packs bytes and empties them. */
function packed(bytes: Uint8Array): Packed {
  const { length } = bytes;
  const room = zstdCompressSync(bytes, { params: LEVEL, chunkSize: roomFor(length) });
  const frame = new Uint8Array(room);
  freeBytes(bytes, new Uint8Array(room.buffer));
  return { frame, length };
}

/** Calls `read` with the unpacked bytes, at the start of their own memory; then empties that memory and the frame. */
function unpack<T>({ frame, length }: Packed, read: (bytes: Buffer<ArrayBuffer>) => T): T {
  // In one chunk: several chunks, joined later, would leave garbage for a while.
  const bytes = zstdDecompressSync(frame, { chunkSize: roomFor(length) }) as Buffer<ArrayBuffer>;
  freeBytes(frame);
  const found = read(bytes);
  freeBytes(new Uint8Array(bytes.buffer));
  return found;
}
