import { freeBytes } from '../core/index.ts';
import { GROWTH, grown } from './grown.ts';

/** Number of a kept text. */
export type TextId = number;

const FIRST_BYTES = 1 << 14;
const FIRST_TEXTS = 256;
/** Bytes of one UTF-16 code unit in UTF-8 at the most. */
const MAX_UNIT_BYTES = 3;

/**
 * Short texts in one piece of memory: their bytes and 12 more each, where a string takes 32 to 48 more, or keeps alive
 * the whole page that it was cut out of. Texts are counted, not found again: `keep` gives a number, `release` as many
 * times as `keep` and `retain` were called forgets it.
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
  #lengths = new Uint32Array(FIRST_TEXTS);
  /** How often a text was kept; 0 = the number is free, and `#offsets` holds the next free one. */
  #uses = new Uint32Array(FIRST_TEXTS);
  #texts = 0;
  /** First free number, plus 1. */
  #free = 0;

  /** Bytes in use, forgotten ones and free room included. */
  get byteLength(): number {
    return this.#bytes.length + 12 * this.#offsets.length;
  }

  keep(text: string): TextId {
    this.#makeRoom(MAX_UNIT_BYTES * text.length);
    const id = this.#newId();
    const length = this.#bytes.write(text, this.#end, 'utf8');
    this.#offsets[id] = this.#end;
    this.#lengths[id] = length;
    this.#uses[id] = 1;
    this.#end += length;
    return id;
  }

  /** Keeps a text once more. */
  retain(id: TextId): TextId {
    this.#uses[id]! += 1;
    return id;
  }

  text(id: TextId): string {
    const from = this.#offsets[id]!;
    return this.#bytes.toString('utf8', from, from + this.#lengths[id]!);
  }

  release(id: TextId): void {
    this.#uses[id]! -= 1;
    if (this.#uses[id] !== 0) return;
    this.#waste += this.#lengths[id]!;
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
    this.#uses = grown(this.#uses, new Uint32Array(capacity));
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
      if (this.#uses[id] === 0) continue;
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
}
