import { ARRAYS, BUFFER, TAG } from './value-writer.ts';

/**
 * Reads the output of a `ValueWriter`, piece by piece, in the order of writing. Throws a RangeError if the bytes are
 * damaged.
 */
export class ValueReader {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  readonly #names: string[] = [];

  /** Starts the next piece. Field names of earlier pieces stay known. */
  open(piece: Uint8Array): void {
    this.#bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.#at = 0;
  }

  /** True at the end of the piece. */
  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  read(): unknown {
    const tag = this.#byte();
    switch (tag) {
      case TAG.undefined:
        return undefined;
      case TAG.null:
        return null;
      case TAG.false:
        return false;
      case TAG.true:
        return true;
      case TAG.integer:
        return this.#count();
      case TAG.double:
        return this.#slice(8).readDoubleLE();
      case TAG.utf8:
      case TAG.utf16:
        return this.#text(tag);
      default:
        return this.#container(tag);
    }
  }

  #container(tag: number): unknown {
    switch (tag) {
      case TAG.array:
        return Array.from({ length: this.#length() }, () => this.read());
      case TAG.object:
        return this.#object();
      case TAG.map: {
        const map = new Map<unknown, unknown>();
        for (let left = this.#length(); left > 0; left--) map.set(this.read(), this.read());
        return map;
      }
      case TAG.set: {
        const set = new Set<unknown>();
        for (let left = this.#length(); left > 0; left--) set.add(this.read());
        return set;
      }
      case TAG.bytes:
        return this.#view();
      default:
        throw new RangeError(`Unknown kind of value: ${tag}`);
    }
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (let left = this.#length(); left > 0; left--) {
      const number = this.#count();
      if (number === this.#names.length) this.#names.push(this.#text(this.#byte()));
      const name = this.#names[number];
      if (name === undefined) throw new RangeError('Unknown field');
      object[name] = this.read();
    }
    return object;
  }

  #view(): ArrayBufferView {
    const kind = this.#byte();
    const bytes = this.#slice(this.#count());
    if (kind === BUFFER) {
      const copy = Buffer.allocUnsafeSlow(bytes.length);
      bytes.copy(copy);
      return copy;
    }
    const type = ARRAYS[kind];
    if (type === undefined) throw new RangeError(`Unknown kind of array: ${kind}`);
    return new type(Uint8Array.prototype.slice.call(bytes).buffer as ArrayBuffer);
  }

  #text(tag: number): string {
    return this.#slice(this.#count()).toString(tag === TAG.utf8 ? 'utf8' : 'utf16le');
  }

  /** Reads the length of a container. Each entry takes at least one byte, which limits damaged lengths. */
  #length(): number {
    const length = this.#count();
    if (length > this.#bytes.length - this.#at) throw new RangeError('The piece ends too early');
    return length;
  }

  #count(): number {
    let count = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      count += (byte & 127) * factor;
      if (byte < 128) return count;
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('The piece ends too early');
    return byte;
  }

  #slice(length: number): Buffer {
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError('The piece ends too early');
    return this.#bytes.subarray(from, this.#at);
  }
}
