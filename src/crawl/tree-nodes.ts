import { GROWTH, grown } from './grown.ts';

/** Number of a node; 0 is none. */
export type NodeId = number;

const FIRST_CAPACITY = 64;

/**
 * Nodes of red-black trees in parallel arrays: a value and 13 bytes a node, where an object takes 64 bytes. Trees of one
 * kind share them, so that a tree of three values costs no arrays of its own. Freed nodes are used again first.
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
  readonly values: (T | undefined)[] = [undefined];
  #free: NodeId = 0;

  /** A red node without children. */
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
    const node = this.values.length;
    this.values.push(undefined);
    if (node === this.left.length) this.#grow();
    return node;
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
  }
}
