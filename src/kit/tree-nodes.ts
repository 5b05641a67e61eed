import { GROWTH, grown } from './grow-array.ts';
import type { Fields } from './saved/fields.ts';

/** Number of a node; 0 if missing. */
export type NodeId = number;

const FIRST_CAPACITY = 64;

/**
 * Values by node: a plain array or, for 32-bit numbers, an array of half its size that the garbage collector need not
 * scan.
 */
interface Values<T> {
  [node: number]: T | undefined;
}

/**
 * Nodes of red-black trees in parallel arrays: a value and 13 bytes per node; an object would take 64 bytes. Trees of
 * one kind share them, so that a tree of three values needs no arrays of its own. Freed nodes are reused first.
 *
 *   left     | 0 | 2 | 0 | 5 | 0 | …     0 = none; of a free node: the next free one
 *   right    | 0 | 3 | 0 | 0 | 0 | …
 *   parent   | 0 | 0 | 1 | 1 | 0 | …     0 = a root
 *   red      |   | 0 | 1 | 1 |   | …
 */
export class TreeNodes<T> {
  left: Int32Array = new Int32Array(FIRST_CAPACITY);
  right: Int32Array = new Int32Array(FIRST_CAPACITY);
  parent: Int32Array = new Int32Array(FIRST_CAPACITY);
  red: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  values: Values<T>;
  readonly #valueRoom: (capacity: number, values?: Values<T>) => Values<T>;
  #end: NodeId = 1;
  #free: NodeId = 0;

  /**
   * @param valueRoom makes an array of the given capacity that starts with the given values. Default: a plain array,
   * for values of any kind
   */
  constructor(valueRoom: (capacity: number, values?: Values<T>) => Values<T> = (_, values = [undefined]) => values) {
    this.#valueRoom = valueRoom;
    this.values = valueRoom(FIRST_CAPACITY);
  }

  /** Returns nodes for trees of 32-bit numbers. */
  static ofNumbers(): TreeNodes<number> {
    return new TreeNodes<number>((capacity, values) => {
      const room = new Int32Array(capacity);
      return values instanceof Int32Array ? grown(values, room) : room;
    });
  }

  /** Adds a red node without children. */
  make(value: T, parent: NodeId): NodeId {
    const node = this.#free === 0 ? this.#fresh() : this.#reused();
    this.values[node] = value;
    this.left[node] = 0;
    this.right[node] = 0;
    this.parent[node] = parent;
    this.red[node] = 1;
    return node;
  }

  free(node: NodeId): void {
    this.values[node] = undefined;
    this.left[node] = this.#free;
    this.#free = node;
  }

  #fresh(): NodeId {
    if (this.#end === this.left.length) this.#grow();
    return this.#end++;
  }

  #reused(): NodeId {
    const node = this.#free;
    this.#free = this.left[node]!;
    return node;
  }

  #grow(): void {
    const capacity = Math.ceil(this.left.length * GROWTH);
    this.left = grown(this.left, new Int32Array(capacity));
    this.right = grown(this.right, new Int32Array(capacity));
    this.parent = grown(this.parent, new Int32Array(capacity));
    this.red = grown(this.red, new Uint8Array(capacity));
    this.values = this.#valueRoom(capacity, this.values);
  }

  exchange(fields: Fields): void {
    this.left = fields.numbers(this.left);
    this.right = fields.numbers(this.right);
    this.parent = fields.numbers(this.parent);
    this.red = fields.numbers(this.red);
    if (this.values instanceof Int32Array) this.values = fields.numbers(this.values) as Int32Array & Values<T>;
    else throw new TypeError('Only trees of numbers are saved.');
    this.#end = fields.value(this.#end);
    this.#free = fields.value(this.#free);
  }
}
