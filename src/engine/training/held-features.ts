import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type DocumentFeatures, type FeatureSpace, freeBytes } from '../../core/index.ts';
import { FeatureNames, type KeptBag } from '../../learn/index.ts';

/** All that was held, in a third or so of its memory: the names, then some documents in each part. */
export type PackedFeatures = readonly Uint8Array<ArrayBuffer>[];

/** The quickest level: what is packed is read once, by this process. */
const FRAME = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Features packed at one time: neither packing nor reading takes much memory beside what is held. */
const PART = 1 << 19;

type Bags = Partial<Record<FeatureSpace, KeptBag>>;
type Row = readonly [key: string, bags: readonly (readonly [FeatureSpace, Int32Array, Uint16Array])[]];

/** Features of training pages by key, as a trainer holds them: in numbers, with one numbering for each feature space. */
export class HeldFeatures {
  readonly names: ReadonlyMap<FeatureSpace, FeatureNames>;
  readonly #bags = new Map<string, Bags>();

  /**
   * @param spaces others are not held
   * @param packed what was held before, by as many spaces; it is empty from then on
   */
  constructor(spaces: readonly FeatureSpace[], packed: PackedFeatures = []) {
    this.names = new Map(spaces.map((space) => [space, new FeatureNames()]));
    const [names, ...parts] = packed;
    if (names === undefined) return;
    unpack(names, (own: readonly (readonly [FeatureSpace, string])[]) => {
      for (const [space, all] of own) if (all !== '') this.names.get(space)!.learn(all.split('\n'));
    });
    for (const part of parts) unpack(part, (rows: readonly Row[]) => this.#addRows(rows));
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

  #addRows(rows: readonly Row[]): void {
    for (const [key, bags] of rows) {
      const own = bags.map(
        ([space, ids, counts]) => [space, this.names.get(space)!.keepNumbered(ids, counts)] as const,
      );
      this.#bags.set(key, Object.fromEntries(own));
    }
  }

  pack(): PackedFeatures {
    const parts = [packed([...this.names].map(([space, { names }]) => [space, names.join('\n')] as const))];
    let rows: Row[] = [];
    let features = 0;
    const add = (): void => {
      parts.push(packed(rows));
      rows = [];
      features = 0;
    };
    for (const [key, bags] of this.#bags) {
      const own = Object.entries(bags) as [FeatureSpace, KeptBag][];
      rows.push([key, own.map(([space, { ids, counts }]) => [space, ids, counts])]);
      features += own.reduce((sum, [, { ids }]) => sum + ids.length, 0);
      if (features >= PART) add();
    }
    if (rows.length > 0) add();
    return parts;
  }
}

function packed(value: unknown): Uint8Array<ArrayBuffer> {
  const raw = serialize(value);
  const frame = zstdCompressSync(raw, FRAME);
  const bytes = new Uint8Array(frame);
  freeBytes(raw, frame);
  return bytes;
}

/** Lets `read` see what was packed; its arrays are empty afterwards. */
function unpack<T>(bytes: Uint8Array, read: (value: T) => void): void {
  const raw = zstdDecompressSync(bytes);
  freeBytes(bytes);
  read(deserialize(raw));
  freeBytes(raw);
}
