import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { DocumentFeatures, FeatureSpace } from '../../core/index.ts';
import { freeBytes } from '../../kit/index.ts';
import { FeatureNames, type KeptBag } from '../../learn/index.ts';

/** All that was held, in a third or so of its memory. */
export interface PackedFeatures {
  /** {@link Table}, serialized. */
  readonly table: Packed;
  /** Each a part of the bags of a space: numbers of features, then counts. */
  readonly bags: readonly Packed[];
}

/** A zstd frame. */
interface Packed {
  readonly frame: Uint8Array<ArrayBuffer>;
  /** Bytes in it. */
  readonly length: number;
}

/** What is in the parts; bags are told by the places of their keys. In lists: typed arrays would lie in what is unpacked, which is freed. */
interface Table {
  readonly keys: readonly string[];
  /** One a line. */
  readonly names: readonly (readonly [space: FeatureSpace, names: string, many: number])[];
  readonly parts: readonly {
    readonly space: FeatureSpace;
    readonly places: readonly number[];
    readonly sizes: readonly number[];
  }[];
}

/** The quickest level: what is packed is read once, by this process. */
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Features packed at one time: neither packing nor reading takes much memory beside what is held. */
const PART = 1 << 17;

type Bags = Partial<Record<FeatureSpace, KeptBag>>;
type Placed = readonly [place: number, bag: KeptBag];

/** Features of training pages by key, as a trainer holds them: in numbers, with one numbering for each feature space. */
export class HeldFeatures {
  readonly names: ReadonlyMap<FeatureSpace, FeatureNames>;
  readonly #bags = new Map<string, Bags>();

  /**
   * @param spaces others are not held
   * @param packed what was held before, by as many spaces; its frames are empty from then on
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

  /** Spaces given before and not now are kept. */
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

/** What changes hands with it. */
export function framesOf({ table, bags }: PackedFeatures): ArrayBuffer[] {
  return [table, ...bags].map(({ frame }) => frame.buffer);
}

/** Numbers of features, then counts, of some bags; freed when it is packed. */
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

/** Node takes pieces of this size from no pool, so that they can be freed. */
function roomFor(length: number): number {
  return Math.max(Buffer.poolSize, length + 1);
}

/** Packs bytes, which are empty from then on. */
function packed(bytes: Uint8Array): Packed {
  const { length } = bytes;
  const room = zstdCompressSync(bytes, { params: LEVEL, chunkSize: roomFor(length) });
  const frame = new Uint8Array(room);
  freeBytes(bytes, new Uint8Array(room.buffer));
  return { frame, length };
}

/** Lets `read` see what was packed, at the beginning of memory of its own; that and the frame are empty afterwards. */
function unpack<T>({ frame, length }: Packed, read: (bytes: Buffer<ArrayBuffer>) => T): T {
  // All at once: pieces, put together then, would be garbage for a while.
  const bytes = zstdDecompressSync(frame, { chunkSize: roomFor(length) }) as Buffer<ArrayBuffer>;
  freeBytes(frame);
  const found = read(bytes);
  freeBytes(new Uint8Array(bytes.buffer));
  return found;
}
