/** Negative when `a` comes first, positive when `b` does, 0 when they are the same. */
export type Compare<T> = (a: T, b: T) => number;

type Side = 'left' | 'right';

interface Node<T> {
  value: T;
  red: boolean;
  parent: Node<T> | undefined;
  left: Node<T> | undefined;
  right: Node<T> | undefined;
}

/**
 * An ordered set: a binary search tree whose nodes are red or black, so that no path is more than twice as long as
 * another (Guibas and Sedgewick 1978). Insert, delete, first and last take O(log n). What `compare` looks at must not
 * change while a value is in the set.
 *
 * Invariants: the root is black; a red node has black children; every path from a node down to a missing child passes
 * the same number of black nodes.
 */
export class RedBlackTree<T> {
  readonly #compare: Compare<T>;
  #root: Node<T> | undefined;
  #size = 0;

  constructor(compare: Compare<T>) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  /** The value that comes before all others, or `undefined` when there is none. */
  get first(): T | undefined {
    return this.#outermost('left');
  }

  /** The value that comes after all others, or `undefined` when there is none. */
  get last(): T | undefined {
    return this.#outermost('right');
  }

  has(value: T): boolean {
    return this.#find(value) !== undefined;
  }

  /** False, and nothing done, when an equal value is there already. */
  insert(value: T): boolean {
    let parent: Node<T> | undefined;
    let order = 0;
    for (let at = this.#root; at !== undefined; at = order < 0 ? at.left : at.right) {
      order = this.#compare(value, at.value);
      if (order === 0) return false;
      parent = at;
    }
    const node: Node<T> = { value, red: true, parent, left: undefined, right: undefined };
    if (parent === undefined) this.#root = node;
    else if (order < 0) parent.left = node;
    else parent.right = node;
    this.#size++;
    this.#mendAfterInsert(node);
    return true;
  }

  /** False when no equal value is there. */
  delete(value: T): boolean {
    const node = this.#find(value);
    if (node === undefined) return false;
    this.#size--;
    this.#unlink(node);
    return true;
  }

  /** All values, first to last. The set must not change meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    let at = this.#root;
    while (at?.left !== undefined) at = at.left;
    for (; at !== undefined; at = successor(at)) yield at.value;
  }

  #outermost(side: Side): T | undefined {
    let at = this.#root;
    if (at === undefined) return undefined;
    for (let next = at[side]; next !== undefined; next = at[side]) at = next;
    return at.value;
  }

  #find(value: T): Node<T> | undefined {
    let at = this.#root;
    while (at !== undefined) {
      const order = this.#compare(value, at.value);
      if (order === 0) return at;
      at = order < 0 ? at.left : at.right;
    }
    return undefined;
  }

  /** A red node may have got a red parent: recolour on the way up, and end with at most two rotations. */
  #mendAfterInsert(inserted: Node<T>): void {
    let node = inserted;
    let parent = node.parent;
    while (parent?.red) {
      const grandparent: Node<T> = parent.parent!; // A red node is never the root.
      const near: Side = parent === grandparent.left ? 'left' : 'right';
      const far = opposite(near);
      const uncle: Node<T> | undefined = grandparent[far];
      if (uncle?.red) {
        parent.red = false;
        uncle.red = false;
        grandparent.red = true;
        node = grandparent;
      } else {
        if (node === parent[far]) {
          node = parent;
          this.#rotate(node, near);
        }
        node.parent!.red = false;
        grandparent.red = true;
        this.#rotate(grandparent, far);
      }
      parent = node.parent;
    }
    this.#root!.red = false;
  }

  #unlink(found: Node<T>): void {
    let node = found;
    if (node.left !== undefined && node.right !== undefined) {
      node = node.right;
      while (node.left !== undefined) node = node.left;
      found.value = node.value;
    }
    const child = node.left ?? node.right;
    const parent = node.parent;
    this.#replace(node, child);
    if (node.red) return;
    if (child?.red) child.red = false;
    else if (parent !== undefined) this.#mendAfterDelete(child, parent);
  }

  /** Paths through `short`, a child of `parent`, lack one black node. */
  #mendAfterDelete(short: Node<T> | undefined, above: Node<T>): void {
    let node = short;
    let parent: Node<T> | undefined = above;
    while (parent !== undefined && !node?.red) {
      const near: Side = node === parent.left ? 'left' : 'right';
      const far = opposite(near);
      const sibling: Node<T> = this.#blackSibling(parent, near);
      if (!sibling.left?.red && !sibling.right?.red) {
        sibling.red = true;
        node = parent;
        parent = node.parent;
        continue;
      }
      if (!sibling[far]?.red) {
        sibling[near]!.red = false;
        sibling.red = true;
        this.#rotate(sibling, far);
      }
      const top: Node<T> = parent[far]!;
      top.red = parent.red;
      parent.red = false;
      top[far]!.red = false;
      this.#rotate(parent, near);
      return;
    }
    if (node !== undefined) node.red = false;
  }

  /** The sibling of `parent`'s near child; a red one is rotated up, which leaves a black one. */
  #blackSibling(parent: Node<T>, near: Side): Node<T> {
    const far = opposite(near);
    const sibling = parent[far]!; // The near side lacks a black node, so the far side has one.
    if (!sibling.red) return sibling;
    sibling.red = false;
    parent.red = true;
    this.#rotate(parent, near);
    return parent[far]!;
  }

  /**
   * Moves `node` down to its `side`; the child of the other side takes its place.
   *
   *      node                 child
   *     /    \               /     \
   *    a     child    →    node     c      (side = left)
   *          /   \        /    \
   *         b     c      a      b
   */
  #rotate(node: Node<T>, side: Side): void {
    const other = opposite(side);
    const child = node[other]!;
    const middle = child[side];
    this.#replace(node, child);
    node[other] = middle;
    if (middle !== undefined) middle.parent = node;
    child[side] = node;
    node.parent = child;
  }

  #replace(node: Node<T>, by: Node<T> | undefined): void {
    const parent = node.parent;
    if (parent === undefined) this.#root = by;
    else if (parent.left === node) parent.left = by;
    else parent.right = by;
    if (by !== undefined) by.parent = parent;
  }
}

function opposite(side: Side): Side {
  return side === 'left' ? 'right' : 'left';
}

function successor<T>(node: Node<T>): Node<T> | undefined {
  let at = node.right;
  if (at !== undefined) {
    while (at.left !== undefined) at = at.left;
    return at;
  }
  at = node;
  while (at.parent !== undefined && at === at.parent.right) at = at.parent;
  return at.parent;
}
