import { freeBytes } from './free-bytes.ts';
import { GROWTH, grown } from './grow-array.ts';
import type { Fields } from './saved/fields.ts';

/** Number of a stored text. */
export type TextId = number;

const FIRST_BYTES = 1 << 14;
const FIRST_TEXTS = 256;
/** Longer than any text. */
const FREE = 0xffffffff;
/** Maximum UTF-8 bytes of one UTF-16 code unit. */
const MAX_UNIT_BYTES = 3;

/**
 * Short texts in one block of memory, with 8 bytes of overhead each. A string has 32 to 48 bytes of overhead, or
 * keeps alive the whole page from which it was cut. Texts cannot be searched: `keep` returns a number, `release`
 * frees it. The number released last is reused first.
 *
 *   bytes  h t t p : / / a . t e s t / 1 ░ ░ ░ ░ h t t p : / / b . t e s t / …     ░ = released
 *          └─ offset of text 0, length 15       └─ offset of text 2
 *
 * If the block is full and a third of its bytes are released, the remaining texts are compacted; else the block
 * grows.
 */
export class TextArena {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;
  #waste = 0;
  #offsets = new Uint32Array(FIRST_TEXTS);
  /** {@link FREE} if the number is unused; `#offsets` then holds the next unused one. */
  #lengths = new Uint32Array(FIRST_TEXTS);
  #texts = 0;
  /** First free number, plus 1. */
  #free = 0;

  /** Bytes allocated, with released and free ones. */
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

  /** Returns true if the number belongs to this text. */
  is(id: TextId, text: string): boolean {
    const length = this.#lengths[id]!;
    // A text beyond ASCII has more bytes than characters.
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

  /** Copies the texts in use into a new block, in order of number. */
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
    // Save only up to the end; the rest is old memory.
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
