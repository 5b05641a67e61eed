/** Kinds of values; each value starts with this byte. */
export const TAG = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  integer: 4,
  double: 5,
  utf8: 6,
  utf16: 7,
  array: 8,
  object: 9,
  map: 10,
  set: 11,
  bytes: 12,
} as const;

/** Typed arrays by number. A `Buffer` is written as bytes and read as a `Buffer` with its own memory. */
export const ARRAYS: readonly (
  | Uint8ArrayConstructor
  | Int8ArrayConstructor
  | Uint16ArrayConstructor
  | Int16ArrayConstructor
  | Uint32ArrayConstructor
  | Int32ArrayConstructor
  | Float32ArrayConstructor
  | Float64ArrayConstructor
)[] = [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array, Float64Array];
export const BUFFER: number = ARRAYS.length;

const FIRST_BYTES = 1 << 16;

/**
 * Writes plain data: numbers, strings, arrays, maps, sets, typed arrays, and objects without methods. Equal data
 * gives equal bytes, however the engine stores it. A field name is written once, later only its number.
 */
export class ValueWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;
  readonly #names = new Map<string, number>();

  /** Bytes written since the last `take`. */
  get size(): number {
    return this.#end;
  }

  /** Returns a copy of the output and clears it. Field names stay known. */
  take(): Uint8Array {
    const taken = Uint8Array.prototype.slice.call(this.#bytes, 0, this.#end);
    this.#end = 0;
    return taken;
  }

  /** @throws TypeError if it is not plain data */
  write(value: unknown): void {
    switch (typeof value) {
      case 'undefined':
        this.#byte(TAG.undefined);
        break;
      case 'boolean':
        this.#byte(value ? TAG.true : TAG.false);
        break;
      case 'number':
        this.#number(value);
        break;
      case 'string':
        this.#string(value);
        break;
      case 'object':
        this.#object(value);
        break;
      default:
        throw new TypeError(`Cannot save a ${typeof value}.`);
    }
  }

  #object(value: object | null): void {
    if (value === null) this.#byte(TAG.null);
    else if (Array.isArray(value)) this.#all(TAG.array, value.length, value);
    else if (value instanceof Map) {
      this.#head(TAG.map, value.size);
      for (const [key, entry] of value) {
        this.write(key);
        this.write(entry);
      }
    } else if (value instanceof Set) this.#all(TAG.set, value.size, value);
    else if (ArrayBuffer.isView(value)) this.#view(value);
    else this.#plain(value);
  }

  #all(tag: number, length: number, values: Iterable<unknown>): void {
    this.#head(tag, length);
    for (const value of values) this.write(value);
  }

  #plain(value: object): void {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw new TypeError('Cannot save an object of a class.');
    const entries = Object.entries(value);
    this.#head(TAG.object, entries.length);
    for (const [name, field] of entries) {
      const number = this.#names.get(name);
      this.#count(number ?? this.#names.size);
      if (number === undefined) {
        this.#names.set(name, this.#names.size);
        this.#string(name);
      }
      this.write(field);
    }
  }

  #view(view: ArrayBufferView): void {
    const kind = Buffer.isBuffer(view) ? BUFFER : ARRAYS.findIndex((type) => view instanceof type);
    if (kind < 0) throw new TypeError('Cannot save this kind of typed array.');
    this.#byte(TAG.bytes);
    this.#byte(kind);
    this.#count(view.byteLength);
    this.#room(view.byteLength);
    this.#bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), this.#end);
    this.#end += view.byteLength;
  }

  #number(value: number): void {
    this.#room(9);
    if (Number.isInteger(value) && value >= 0 && value < 2 ** 32 && !Object.is(value, -0)) {
      this.#byte(TAG.integer);
      this.#count(value);
      return;
    }
    this.#byte(TAG.double);
    this.#bytes.writeDoubleLE(value, this.#end);
    this.#end += 8;
  }

  #string(text: string): void {
    const encoding = text.isWellFormed() ? 'utf8' : 'utf16le';
    const length = Buffer.byteLength(text, encoding);
    this.#head(encoding === 'utf8' ? TAG.utf8 : TAG.utf16, length);
    this.#room(length);
    this.#bytes.write(text, this.#end, encoding);
    this.#end += length;
  }

  #head(tag: number, length: number): void {
    this.#byte(tag);
    this.#count(length);
  }

  /** Seven bits per byte, lowest first. */
  #count(count: number): void {
    this.#room(8);
    let left = count;
    while (left >= 128) {
      this.#bytes[this.#end++] = (left % 128) + 128;
      left = Math.floor(left / 128);
    }
    this.#bytes[this.#end++] = left;
  }

  #byte(byte: number): void {
    this.#room(1);
    this.#bytes[this.#end++] = byte;
  }

  #room(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const more = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#end + length));
    this.#bytes.copy(more, 0, 0, this.#end);
    this.#bytes = more;
  }
}
