import { hash53, ownCopy } from '../core/index.ts';
import { GROWTH, grown } from './grown.ts';
import { HashSlots } from './hash-slots.ts';

const FIRST_CAPACITY = 16;

/**
 * Names that many share, numbered; a name that nobody has any more gives its number back. Some 70 bytes a name, where a `Map` takes
 * 100: in a crawl where nearly every link has a host of its own there are as many names as links.
 */
export class Names {
  readonly #byName = new HashSlots();
  readonly #names: string[] = [];
  #uses = new Uint32Array(FIRST_CAPACITY);
  readonly #free: number[] = [];

  keep(name: string): number {
    const hash = hash53(name);
    const known = this.#byName.find(hash);
    if (known !== undefined && this.#names[known] === name) {
      this.#uses[known]! += 1;
      return known;
    }
    const id = this.#free.pop() ?? this.#names.length;
    if (id === this.#uses.length) this.#uses = grown(this.#uses, new Uint32Array(Math.ceil(id * GROWTH)));
    this.#byName.set(hash, id);
    this.#names[id] = ownCopy(name);
    this.#uses[id] = 1;
    return id;
  }

  name(id: number): string {
    return this.#names[id]!;
  }

  release(id: number): void {
    this.#uses[id]! -= 1;
    if (this.#uses[id] !== 0) return;
    this.#byName.delete(id);
    this.#names[id] = '';
    this.#free.push(id);
  }
}

/** Where the path of a URL begins: what is before it, many URLs share. */
export function pathStart(url: string): number {
  const slash = url.indexOf('/', 8);
  return slash < 0 ? url.length : slash;
}
