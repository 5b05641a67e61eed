import { countStatements } from '../../core/index.ts';
import { type Fields, mix32 } from '../../kit/index.ts';

const FIRST_SLOTS = 1 << 10;
/** Slots of a generation at most, at 4 bytes each. */
const MAX_SLOTS = 1 << 20;

/** A hash table of numbers; 0 = free. At most half full. */
interface Generation {
  slots: Uint32Array<ArrayBuffer>;
  size: number;
}

/**
 * The statements that the pages of each site have made (see `statementsOf`). Two generations: when the newer one is
 * full, the older one is forgotten, so that only the last 500,000 to 1,000,000 statements are known. Bounded memory.
 */
export class SaidBefore {
  #newer: Generation = { slots: new Uint32Array(FIRST_SLOTS), size: 0 };
  #older: Generation = { slots: new Uint32Array(0), size: 0 };

  /**
   * Adds the statements of a page.
   * @param site - a hash of the site
   * @returns about how many of them no earlier page of the site made
   */
  note(site: number, statements: Uint32Array): number {
    const own = mix32(site);
    let fresh = 0;
    for (const statement of statements) {
      const key = mix32(statement ^ own) || 1;
      if (has(this.#newer, key)) continue;
      if (!has(this.#older, key)) fresh++;
      this.#add(key);
    }
    return fresh === 0 ? 0 : (fresh / statements.length) * countStatements(statements);
  }

  #add(key: number): void {
    if (2 * this.#newer.size >= this.#newer.slots.length) this.#makeRoom();
    put(this.#newer, key);
  }

  #makeRoom(): void {
    const full = this.#newer;
    const { length } = full.slots;
    if (length === MAX_SLOTS) this.#older = full;
    this.#newer = { slots: new Uint32Array(length === MAX_SLOTS ? FIRST_SLOTS : 2 * length), size: 0 };
    if (length < MAX_SLOTS) for (const key of full.slots) if (key !== 0) put(this.#newer, key);
  }

  exchange(fields: Fields): void {
    for (const generation of [this.#newer, this.#older]) {
      generation.slots = fields.numbers(generation.slots);
      generation.size = fields.value(generation.size);
    }
  }
}

function has({ slots }: Generation, key: number): boolean {
  return slots.length > 0 && slots[slotOf(slots, key)] === key;
}

function put(generation: Generation, key: number): void {
  generation.slots[slotOf(generation.slots, key)] = key;
  generation.size++;
}

/** Returns the slot of a key, or the free one where it belongs. */
function slotOf(slots: Uint32Array, key: number): number {
  const mask = slots.length - 1;
  let at = key & mask;
  while (slots[at] !== 0 && slots[at] !== key) at = (at + 1) & mask;
  return at;
}
