import { GROWTH, grown } from './grow-array.ts';
import { hash53 } from './hash.ts';
import { HashSlots } from './hash-slots.ts';
import type { Fields } from './saved/fields.ts';
import { TextArena } from './text-arena.ts';

const FIRST_CAPACITY = 16;

/**
 * Numbers for shared names, with reference counts; the number of an unused name is reused. Takes about 35 bytes per
 * name plus its text, outside the heap. In a crawl in which nearly every link has its own host, there are as many
 * names as links.
 */
export class Names {
  readonly #byName = new HashSlots();
  readonly #texts = new TextArena();
  #uses = new Uint32Array(FIRST_CAPACITY);

  keep(name: string): number {
    const hash = hash53(name);
    const known = this.#known(name, hash);
    if (known !== undefined) {
      this.keepAgain(known);
      return known;
    }
    const id = this.#texts.keep(name);
    if (id >= this.#uses.length) this.#uses = grown(this.#uses, new Uint32Array(Math.ceil((id + 1) * GROWTH)));
    this.#byName.set(hash, id);
    this.#uses[id] = 1;
    return id;
  }

  /** Adds a user of the name with this number. */
  keepAgain(id: number): void {
    this.#uses[id]! += 1;
  }

  /** Returns the number of a name in use. */
  find(name: string): number | undefined {
    return this.#known(name, hash53(name));
  }

  name(id: number): string {
    return this.#texts.text(id);
  }

  /** Returns the number of users of a name. */
  uses(id: number): number {
    return this.#uses[id]!;
  }

  release(id: number): void {
    this.#uses[id]! -= 1;
    if (this.#uses[id] !== 0) return;
    this.#byName.delete(id);
    this.#texts.release(id);
  }

  #known(name: string, hash: number): number | undefined {
    const known = this.#byName.find(hash);
    return known !== undefined && this.#texts.is(known, name) ? known : undefined;
  }

  exchange(fields: Fields): void {
    this.#byName.exchange(fields);
    this.#texts.exchange(fields);
    this.#uses = fields.numbers(this.#uses);
  }
}

/** Returns the index at which the path of a URL starts. Many URLs share the part before it. */
export function pathStart(url: string): number {
  const slash = url.indexOf('/', 8);
  return slash < 0 ? url.length : slash;
}
