import { SAYS, saidBy } from './boilerplate.ts';
import { decodeAttribute } from './entities.ts';
import { ATTRIBUTES, type AttributeName, attributeAt } from './tags.ts';

const MAX_STYLE_CHARS = 500;

/** Attributes by number; see `attributeAt`. */
const NUMBER = Object.fromEntries(ATTRIBUTES.map((name, index) => [name, index + 1])) as Record<AttributeName, number>;

const TELLING = (1 << NUMBER.itemprop) | (1 << NUMBER.rel) | (1 << NUMBER.datetime);

/**
 * Attributes of the tag being read, as positions in the source: a value is copied only on request. The first of a
 * name counts.
 */
export class TagAttributes {
  readonly #source: string;
  /** Bit n: attribute n is present. */
  #seen = 0;
  #current = 0;
  /** What class and id say; -1 until it is asked for. */
  #classSays = -1;
  #idSays = -1;
  readonly #starts = new Int32Array(ATTRIBUTES.length + 1);
  readonly #ends = new Int32Array(ATTRIBUTES.length + 1);

  constructor(source: string) {
    this.#source = source;
  }

  get isEmpty(): boolean {
    return this.#seen === 0;
  }

  /** Whether the element may say something about the page: `itemprop`, `rel`, `datetime`. */
  get isTelling(): boolean {
    return (this.#seen & TELLING) !== 0;
  }

  /** Whether the class names the author of the page. */
  get namesAuthor(): boolean {
    if (!this.has('class')) return false;
    // Few classes have these letters. Looking the others up would fill the memory of `saidBy`.
    if (this.#classSays < 0 && !/aut|byline/i.test(this.raw('class'))) return false;
    return (this.classSays & SAYS.author) !== 0;
  }

  clear(): void {
    this.#seen = 0;
    this.#classSays = -1;
    this.#idSays = -1;
  }

  /** Bits of `SAYS`. */
  get classSays(): number {
    if (this.#classSays < 0) this.#classSays = saidBy(this.raw('class'));
    return this.#classSays;
  }

  /** Bits of `SAYS`. */
  get idSays(): number {
    if (this.#idSays < 0) this.#idSays = saidBy(this.raw('id'));
    return this.#idSays;
  }

  /** Starts an attribute; its value follows. */
  begin(start: number, end: number): void {
    const number = attributeAt(this.#source, start, end);
    this.#current = (this.#seen & (1 << number)) === 0 ? number : 0;
    this.#starts[this.#current] = 0;
    this.#ends[this.#current] = 0;
  }

  /** Starts an attribute that is not needed. */
  skip(): void {
    this.#current = 0;
  }

  setValue(start: number, end: number): void {
    if (this.#current === 0) return;
    this.#starts[this.#current] = start;
    this.#ends[this.#current] = end;
  }

  end(): void {
    if (this.#current !== 0) this.#seen |= 1 << this.#current;
  }

  has(name: AttributeName): boolean {
    return (this.#seen & (1 << NUMBER[name])) !== 0;
  }

  /** Returns the value as written, `''` if missing. */
  raw(name: AttributeName): string {
    const number = NUMBER[name];
    return (this.#seen & (1 << number)) === 0 ? '' : this.#source.slice(this.#starts[number], this.#ends[number]);
  }

  /** Returns the value with its character references decoded, `''` if missing. */
  value(name: AttributeName): string {
    return decodeAttribute(this.raw(name));
  }

  /** Whether the attributes alone hide the element, without regard to style sheets. */
  get hidesElement(): boolean {
    return (
      (this.has('hidden') && this.raw('hidden') !== 'until-found') ||
      (this.has('style') && /display\s*:\s*none/i.test(this.raw('style').slice(0, MAX_STYLE_CHARS)))
    );
  }
}
