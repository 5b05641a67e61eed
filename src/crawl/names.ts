import { ownCopy } from '../core/index.ts';

/** Names that many share, numbered; a name that nobody has any more gives its number back. */
export class Names {
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];

  keep(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) {
      this.#uses[known]! += 1;
      return known;
    }
    const id = this.#free.pop() ?? this.#names.length;
    const own = ownCopy(name);
    this.#ids.set(own, id);
    this.#names[id] = own;
    this.#uses[id] = 1;
    return id;
  }

  name(id: number): string {
    return this.#names[id]!;
  }

  release(id: number): void {
    this.#uses[id]! -= 1;
    if (this.#uses[id] !== 0) return;
    this.#ids.delete(this.#names[id]!);
    this.#names[id] = '';
    this.#free.push(id);
  }
}

/** Where the path of a URL begins: what is before it, many URLs share. */
export function pathStart(url: string): number {
  const slash = url.indexOf('/', 8);
  return slash < 0 ? url.length : slash;
}
