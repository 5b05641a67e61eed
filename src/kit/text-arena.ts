import { freeBytes } from './free-bytes.ts';
import { GROWTH, grown } from './grown.ts';
import type { Fields } from './saved/fields.ts';

/** Number of a kept text. */
export type TextId = number;

const FIRST_BYTES = 1 << 14;
const FIRST_TEXTS = 256;
/** Longer than any text. */
const FREE = 0xffffffff;
/** Bytes of one UTF-16 code unit in UTF-8 at the most. */
const MAX_UNIT_BYTES = 3;

/**
 * Short texts in one piece of memory: their bytes and 8 more each, where a string takes 32 to 48 more, or keeps alive
 * the whole page that it was cut out of. Texts are not found again: `keep` gives a number, `release` forgets it. The number that was
 * released last is given first.
 *
 *   bytes  h t t p : / / a . t e s t / 1 ░ ░ ░ ░ h t t p : / / b . t e s t / …     ░ = forgotten
 *          └─ offset of text 0, length 15       └─ offset of text 2
 *
 * When there is no room and a third of the bytes are forgotten ones, the others move together; else the piece grows.
 */
export class TextArena {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;
  #waste = 0;
  #offsets = new Uint32Array(FIRST_TEXTS);
  /** {@link FREE}: nobody has the number, and `#offsets` holds the next such one. */
  #lengths = new Uint32Array(FIRST_TEXTS);
  #texts = 0;
  /** First free number, plus 1. */
  #free = 0;

  /** Bytes in use, forgotten ones and free room included. */
  get byteLength(): number {
    return this.#bytes.length + 8 * this.#offsets.length;
  }

  keep(text: string): TextId {
    this.#makeRoom(MAX_UNIT_BYTES * text.length);
    const id = this.#newId();
    const length = this.#bytes.write(text, this.#end, 'utf8');
    this.#offsets[id] = this.#end;
    this.#lengths[id] = length;
    this.#end += length;
    return id;
  }

  text(id: TextId): string {
    const from = this.#offsets[id]!;
    return this.#bytes.toString('utf8', from, from + this.#lengths[id]!);
  }

  /** True when the number is this text's. */
  is(id: TextId, text: string): boolean {
    const length = this.#lengths[id]!;
    // Beyond ASCII a text has more bytes than characters.
    if (length !== text.length) return length > text.length && this.text(id) === text;
    const from = this.#offsets[id]!;
    for (let i = 0; i < length; i++) if (this.#bytes[from + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  release(id: TextId): void {
    this.#waste += this.#lengths[id]!;
    this.#lengths[id] = FREE;
    this.#offsets[id] = this.#free;
    this.#free = id + 1;
  }

  #newId(): TextId {
    if (this.#free > 0) {
      const id = this.#free - 1;
      this.#free = this.#offsets[id]!;
      return id;
    }
    if (this.#texts === this.#offsets.length) this.#growTable();
    return this.#texts++;
  }

  #growTable(): void {
    const capacity = Math.ceil(this.#offsets.length * GROWTH);
    this.#offsets = grown(this.#offsets, new Uint32Array(capacity));
    this.#lengths = grown(this.#lengths, new Uint32Array(capacity));
  }

  #makeRoom(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const live = this.#end - this.#waste;
    const isWasteful = 3 * this.#waste > this.#end && live + length <= this.#bytes.length;
    this.#move(isWasteful ? this.#bytes.length : Math.ceil((live + length) * GROWTH));
  }

  /** Copies what is in use into a new piece, in order of number. */
  #move(capacity: number): void {
    const bytes = Buffer.allocUnsafeSlow(capacity);
    let end = 0;
    for (let id = 0; id < this.#texts; id++) {
      if (this.#lengths[id] === FREE) continue;
      const from = this.#offsets[id]!;
      this.#bytes.copy(bytes, end, from, from + this.#lengths[id]!);
      this.#offsets[id] = end;
      end += this.#lengths[id]!;
    }
    freeBytes(this.#bytes);
    this.#bytes = bytes;
    this.#end = end;
    this.#waste = 0;
  }

  exchange(fields: Fields): void {
    const capacity = fields.value(this.#bytes.length);
    // Behind the end is what was in the memory before.
    const kept = fields.numbers(new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#end));
    if (fields.isLoading) {
      this.#bytes = Buffer.allocUnsafeSlow(capacity);
      this.#bytes.set(kept);
      freeBytes(kept);
    }
    this.#end = fields.value(this.#end);
    this.#waste = fields.value(this.#waste);
    this.#offsets = fields.numbers(this.#offsets);
    this.#lengths = fields.numbers(this.#lengths);
    this.#texts = fields.value(this.#texts);
    this.#free = fields.value(this.#free);
  }
}
