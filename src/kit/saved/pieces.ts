import type { NumberArray, Slot } from './fields.ts';
import { ValueReader } from './value-reader.ts';
import { ARRAYS, ValueWriter } from './value-writer.ts';

/** Kinds of pieces. `items` and `raw` follow the piece that holds their number. */
const KIND = { value: 0, list: 1, items: 2, numbers: 3, raw: 4 } as const;

/** A part of the output, small enough to be made in a few milliseconds unless a single value is larger. */
export interface Piece {
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** Bytes per piece, of items or of a large typed array. */
const ITEM_BYTES = 1 << 15;
const RAW_BYTES = 1 << 18;

/** Cuts slots into pieces, one at a time. */
export function* piecesOf(slots: readonly Slot[]): Generator<Piece> {
  const writer = new ValueWriter();
  const piece = (kind: number): Piece => ({ kind, bytes: writer.take() });
  for (const slot of slots) {
    if (slot.kind === 'value') {
      writer.write(slot.value);
      yield piece(KIND.value);
    } else if (slot.kind === 'numbers') {
      yield* rawPieces(slot.numbers, writer);
    } else {
      writer.write(slot.size);
      yield piece(KIND.list);
      for (const item of slot.items) {
        writer.write(slot.pack(item));
        if (writer.size >= ITEM_BYTES) yield piece(KIND.items);
      }
      if (writer.size > 0) yield piece(KIND.items);
    }
  }
}

function* rawPieces(numbers: NumberArray, writer: ValueWriter): Generator<Piece> {
  writer.write([ARRAYS.findIndex((type) => numbers instanceof type), numbers.length]);
  yield { kind: KIND.numbers, bytes: writer.take() };
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  for (let at = 0; at < bytes.length; at += RAW_BYTES) yield { kind: KIND.raw, bytes: bytes.slice(at, at + RAW_BYTES) };
}

/** Reassembles pieces. Throws a RangeError if they are not the output of `piecesOf`. */
export class PieceReader {
  readonly values: unknown[] = [];
  readonly #reader = new ValueReader();
  /** Items, or bytes, still missing. */
  #left = 0;
  #items: unknown[] = [];
  #raw = new Uint8Array(0);

  /** True if nothing is missing. */
  get isWhole(): boolean {
    return this.#left === 0;
  }

  add({ kind, bytes }: Piece): void {
    const isPart = kind === KIND.items || kind === KIND.raw;
    if (isPart !== this.#left > 0) throw new RangeError('A piece is missing');
    if (kind === KIND.raw) {
      this.#raw.set(bytes, this.#raw.length - this.#left);
      this.#left -= bytes.length;
      return;
    }
    this.#reader.open(bytes);
    if (kind === KIND.items) this.#addItems();
    else if (kind === KIND.list) this.#begin(this.#reader.read() as number);
    else if (kind === KIND.numbers) this.#beginRaw(this.#reader.read() as [number, number]);
    else this.values.push(this.#reader.read());
  }

  #begin(size: number): void {
    this.#items = [];
    this.#left = size;
    this.values.push(this.#items);
  }

  #addItems(): void {
    while (!this.#reader.isAtEnd) {
      this.#items.push(this.#reader.read());
      this.#left--;
    }
  }

  #beginRaw([kind, length]: [number, number]): void {
    const type = ARRAYS[kind];
    if (type === undefined) throw new RangeError(`Unknown kind of array: ${kind}`);
    const numbers = new type(length);
    this.#raw = new Uint8Array(numbers.buffer);
    this.#left = numbers.byteLength;
    this.values.push(numbers);
  }
}
