import type { Fields } from './saved/fields.ts';
import { type NodeId, TreeNodes } from './tree-nodes.ts';

/** Returns a negative number if `a` is first, a positive one if `b` is first, 0 if they are equal. */
export type Compare<T> = (a: T, b: T) => number;

/** A missing node. */
const NONE: NodeId = 0;

/**
 * An ordered set: a binary search tree with red and black nodes, so that no path is more than twice as long as
 * another (Guibas and Sedgewick 1978). Insert, delete, first and last take O(log n). The result of `compare` for a
 * value must not change while the value is in the set. Of values that compare as equal, the set contains one.
 *
 * Invariants: the root is black; a red node has black children; every path from a node down to a missing child passes
 * the same number of black nodes.
 */
export class RedBlackTree<T> {
  readonly #compare: Compare<T>;
  readonly #nodes: TreeNodes<T>;
  #root: NodeId = NONE;
  #size = 0;

  /** @param nodes storage of the nodes; small trees of one kind should share it. Default: a new one */
  constructor(compare: Compare<T>, nodes: TreeNodes<T> = new TreeNodes()) {
    this.#compare = compare;
    this.#nodes = nodes;
  }

  get size(): number {
    return this.#size;
  }

  /** The first value, or `undefined` if the set is empty. */
  get first(): T | undefined {
    return this.#value(this.#outermost(this.#nodes.left));
  }

  /** The last value, or `undefined` if the set is empty. */
  get last(): T | undefined {
    return this.#value(this.#outermost(this.#nodes.right));
  }

  has(value: T): boolean {
    return this.#find(value) !== NONE;
  }

  /** Returns false without a change if an equal value exists. */
  insert(value: T): boolean {
    const { left, right, values } = this.#nodes;
    let parent = NONE;
    let order = 0;
    for (let at = this.#root; at !== NONE; at = order < 0 ? left[at]! : right[at]!) {
      order = this.#compare(value, values[at]!);
      if (order === 0) return false;
      parent = at;
    }
    const node = this.#nodes.make(value, parent);
    if (parent === NONE) this.#root = node;
    else if (order < 0) this.#nodes.left[parent] = node;
    else this.#nodes.right[parent] = node;
    this.#size++;
    this.#mendAfterInsert(node);
    return true;
  }

  /** Returns false if no equal value exists. */
  delete(value: T): boolean {
    const node = this.#find(value);
    if (node === NONE) return false;
    this.#size--;
    this.#unlink(node);
    return true;
  }

  /** All values, first to last. The set must not change meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    const { values } = this.#nodes;
    for (let at = this.#outermost(this.#nodes.left); at !== NONE; at = this.#successor(at)) yield values[at]!;
  }

  #value(node: NodeId): T | undefined {
    return node === NONE ? undefined : this.#nodes.values[node];
  }

  /** Returns the outermost node on one side; 0 for an empty tree. */
  #outermost(side: Int32Array): NodeId {
    let at = this.#root;
    for (let next = side[at]!; next !== NONE; next = side[at]!) at = next;
    return at;
  }

  #successor(node: NodeId): NodeId {
    const { left, right, parent } = this.#nodes;
    let at = right[node]!;
    if (at !== NONE) {
      while (left[at] !== NONE) at = left[at]!;
      return at;
    }
    at = node;
    while (parent[at] !== NONE && at === right[parent[at]!]) at = parent[at]!;
    return parent[at]!;
  }

  #find(value: T): NodeId {
    const { left, right, values } = this.#nodes;
    let at = this.#root;
    while (at !== NONE) {
      const order = this.#compare(value, values[at]!);
      if (order === 0) return at;
      at = order < 0 ? left[at]! : right[at]!;
    }
    return NONE;
  }

  /** A red node may now have a red parent. Recolours on the way up; at most two rotations. */
  #mendAfterInsert(inserted: NodeId): void {
    const { left, parent, red } = this.#nodes;
    let node = inserted;
    for (let above = parent[node]!; above !== NONE && red[above] === 1; above = parent[node]!) {
      const grandparent = parent[above]!; // A red node is never the root.
      const [near, far] = this.#sides(above === left[grandparent]);
      const uncle = far[grandparent]!;
      if (uncle !== NONE && red[uncle] === 1) {
        red[above] = 0;
        red[uncle] = 0;
        red[grandparent] = 1;
        node = grandparent;
      } else {
        if (node === far[above]) {
          node = above;
          this.#rotate(node, near, far);
        }
        red[parent[node]!] = 0;
        red[grandparent] = 1;
        this.#rotate(grandparent, far, near);
      }
    }
    red[this.#root] = 0;
  }

  #unlink(found: NodeId): void {
    const { left, right, parent, red, values } = this.#nodes;
    let node = found;
    if (left[node] !== NONE && right[node] !== NONE) {
      node = right[node]!;
      while (left[node] !== NONE) node = left[node]!;
      values[found] = values[node];
    }
    const child = left[node] === NONE ? right[node]! : left[node]!;
    const above = parent[node]!;
    const wasRed = red[node] === 1;
    this.#replace(node, child);
    this.#nodes.free(node);
    if (wasRed) return;
    if (child !== NONE && red[child] === 1) red[child] = 0;
    else if (above !== NONE) this.#mendAfterDelete(child, above);
  }

  /** Paths through `short`, a child of `above` that may be missing, lack one black node. */
  #mendAfterDelete(short: NodeId, above: NodeId): void {
    const { left, parent, red } = this.#nodes;
    const isRed = (node: NodeId): boolean => node !== NONE && red[node] === 1;
    let node = short;
    let top = above;
    while (top !== NONE && !isRed(node)) {
      const [near, far] = this.#sides(node === left[top]);
      const sibling = this.#blackSibling(top, near, far);
      if (!isRed(left[sibling]!) && !isRed(this.#nodes.right[sibling]!)) {
        red[sibling] = 1;
        node = top;
        top = parent[node]!;
        continue;
      }
      if (!isRed(far[sibling]!)) {
        red[near[sibling]!] = 0;
        red[sibling] = 1;
        this.#rotate(sibling, far, near);
      }
      const risen = far[top]!;
      red[risen] = red[top]!;
      red[top] = 0;
      red[far[risen]!] = 0;
      this.#rotate(top, near, far);
      return;
    }
    if (node !== NONE) red[node] = 0;
  }

  /** Returns the sibling of `parent`'s near child. A red sibling is rotated up first, so that the result is black. */
  #blackSibling(parent: NodeId, near: Int32Array, far: Int32Array): NodeId {
    const { red } = this.#nodes;
    const sibling = far[parent]!; // The near side lacks a black node, so the far side has one.
    if (red[sibling] === 0) return sibling;
    red[sibling] = 0;
    red[parent] = 1;
    this.#rotate(parent, near, far);
    return far[parent]!;
  }

  #sides(isLeft: boolean): readonly [near: Int32Array, far: Int32Array] {
    const { left, right } = this.#nodes;
    return isLeft ? [left, right] : [right, left];
  }

  /**
   * Moves `node` down to `side`; its child on the other side takes its place.
   *
   *      node                 child
   *     /    \               /     \
   *    a     child    →    node     c      (side = left)
   *          /   \        /    \
   *         b     c      a      b
   */
  #rotate(node: NodeId, side: Int32Array, other: Int32Array): void {
    const { parent } = this.#nodes;
    const child = other[node]!;
    const middle = side[child]!;
    this.#replace(node, child);
    other[node] = middle;
    if (middle !== NONE) parent[middle] = node;
    side[child] = node;
    parent[node] = child;
  }

  #replace(node: NodeId, by: NodeId): void {
    const { left, right, parent } = this.#nodes;
    const above = parent[node]!;
    if (above === NONE) this.#root = by;
    else if (left[above] === node) left[above] = by;
    else right[above] = by;
    if (by !== NONE) parent[by] = above;
  }

  exchange(fields: Fields): void {
    // The storage of the nodes is saved with them.
    this.#root = fields.value(this.#root);
    this.#size = fields.value(this.#size);
  }
}
