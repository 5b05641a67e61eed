/** Number of fields per stem. */
const STEM = 4;

let joined = Buffer.allocUnsafeSlow(1 << 14);

/**
 * Stems, numbered in the order of arrival. They are identified by the 64 bits of their two hashes; strings are
 * created on demand.
 *
 * ```
 *   ids    [ … | id + 1 | … ]             by the first hash, linear probing
 *                   └──→ stems [ … | hash hash start end | … ]   bytes[start … end) = "frontier\n"
 * ```
 */
export class Stems {
  #size = 0;
  /** Ids + 1 (0 = free) by the first hash. */
  #ids = new Int32Array(1 << 13);
  /** As strings; `''` until one is requested. */
  #words: string[] = [];
  /** Two hashes and the byte range of each stem in one row, since a page needs them together. */
  #stems = new Uint32Array(STEM << 11);
  /** In UTF-8, each followed by a line break. */
  #bytes = new Uint8Array(1 << 15);
  /** End of the stems that {@link takeNew} has returned. */
  #taken = 0;

  /** Number of stems; every id is smaller. */
  get size(): number {
    return this.#size;
  }

  word(id: number): string {
    const word = this.#words[id]!;
    if (word !== '') return word;
    const start = this.#stems[STEM * id + 2]!;
    const end = this.#stems[STEM * id + 3]!;
    this.#words[id] = Buffer.from(this.#bytes.buffer, start, end - 1 - start).toString();
    return this.#words[id]!;
  }

  /** The first hash of a stem. */
  hash(id: number): number {
    return this.#stems[STEM * id]!;
  }

  /** The two hashes of each stem, side by side. */
  hashes(ids: Int32Array): Uint32Array {
    const stems = this.#stems;
    const hashes = new Uint32Array(2 * ids.length);
    for (let i = 0; i < ids.length; i++) {
      const row = STEM * ids[i]!;
      hashes[2 * i] = stems[row]!;
      hashes[2 * i + 1] = stems[row + 1]!;
    }
    return hashes;
  }

  /**
   * Returns the stems added since the last call, in UTF-8, each followed by a line break; `undefined` if there are no
   * new ones.
   */
  takeNew(): Uint8Array<ArrayBuffer> | undefined {
    const end = this.#size === 0 ? 0 : this.#stems[STEM * this.#size - 1]!;
    const start = this.#taken;
    this.#taken = end;
    return start === end ? undefined : this.#bytes.slice(start, end);
  }

  clear(): void {
    this.#size = 0;
    this.#taken = 0;
    this.#ids.fill(0);
    this.#words = [];
  }

  /** Joins stems by their ids with line breaks. */
  join(ids: Int32Array): string {
    const bytes = this.#bytes;
    const stems = this.#stems;
    let n = 0;
    let bits = 0;
    for (let i = 0; i < ids.length; i++) {
      const row = STEM * ids[i]!;
      const end = stems[row + 3]!;
      let at = stems[row + 2]!;
      if (n + end - at > joined.length) joined = Buffer.concat([joined, joined]);
      for (; at < end; at++) {
        const byte = bytes[at]!;
        bits |= byte;
        joined[n++] = byte;
      }
    }
    return n === 0 ? '' : joined.toString(bits < 128 ? 'latin1' : 'utf8', 0, n - 1);
  }

  /** Id of the stem with these hashes; adds the stem if it is new. @param bytes its letters in UTF-8, up to `length` */
  idOf(bytes: Uint8Array, length: number, first: number, second: number): number {
    const stems = this.#stems;
    const mask = this.#ids.length - 1;
    let slot = first & mask;
    for (; this.#ids[slot] !== 0; slot = (slot + 1) & mask) {
      const id = this.#ids[slot]! - 1;
      if (stems[STEM * id] === first && stems[STEM * id + 1] === second) return id;
    }
    const id = this.#size;
    if (STEM * id >= stems.length) this.#stems = doubled(stems, Uint32Array);
    this.#stems[STEM * id] = first;
    this.#stems[STEM * id + 1] = second;
    this.#ids[slot] = id + 1;
    this.#append(bytes, length);
    if (2 * id > mask) this.#moreIds();
    return id;
  }

  #append(bytes: Uint8Array, length: number): void {
    const id = this.#size++;
    const start = id === 0 ? 0 : this.#stems[STEM * id - 1]!;
    if (start + length + 1 > this.#bytes.length) this.#bytes = doubled(this.#bytes, Uint8Array);
    for (let i = 0; i < length; i++) this.#bytes[start + i] = bytes[i]!;
    this.#bytes[start + length] = 10;
    this.#stems[STEM * id + 2] = start;
    this.#stems[STEM * id + 3] = start + length + 1;
    this.#words.push('');
  }

  #moreIds(): void {
    this.#ids = new Int32Array(2 * this.#ids.length);
    const mask = this.#ids.length - 1;
    for (let id = 0; id < this.#size; id++) {
      let slot = this.#stems[STEM * id]! & mask;
      while (this.#ids[slot] !== 0) slot = (slot + 1) & mask;
      this.#ids[slot] = id + 1;
    }
  }
}

/** Returns a copy with twice the length. */
export function doubled<T extends Int32Array | Uint32Array | Uint16Array | Uint8Array>(
  old: T,
  Maker: new (length: number) => T,
): T {
  const bigger = new Maker(old.length * 2);
  bigger.set(old);
  return bigger;
}
