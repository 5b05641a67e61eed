import { type Fields, RedBlackTree, type TreeNodes } from '../kit/index.ts';
import type { LinkTable, WaitingLink } from './link-table.ts';

/** Maximum number of links in each queue of a topic. */
export interface QueueLimits {
  readonly incomingQueue: number;
  /** >= 1 */
  readonly outgoingQueue: number;
}

/** Table of the links of all topics, and the nodes of the trees they are in. */
export interface WaitingLinks {
  readonly table: LinkTable;
  readonly nodes: TreeNodes<WaitingLink>;
}

/**
 * The two queues of one topic (BINGO! §4.2): the best links are in the small outgoing queue, the rest in the large
 * incoming queue. Invariant: no incoming link is better than an outgoing one, and no link is incoming while outgoing
 * has room. So both queues together hold the best links offered, and the worst incoming link is dropped first.
 */
export class TopicQueues {
  readonly #limits: QueueLimits;
  readonly #compare: LinkTable['compare'];
  readonly #incoming: RedBlackTree<WaitingLink>;
  readonly #outgoing: RedBlackTree<WaitingLink>;

  constructor(limits: QueueLimits, { table, nodes }: WaitingLinks) {
    this.#limits = limits;
    this.#compare = table.compare;
    this.#incoming = new RedBlackTree(table.compare, nodes);
    this.#outgoing = new RedBlackTree(table.compare, nodes);
  }

  get incoming(): number {
    return this.#incoming.size;
  }

  get outgoing(): number {
    return this.#outgoing.size;
  }

  get size(): number {
    return this.#incoming.size + this.#outgoing.size;
  }

  get isFull(): boolean {
    return this.size >= this.#limits.incomingQueue + this.#limits.outgoingQueue;
  }

  get best(): WaitingLink | undefined {
    return this.#outgoing.first;
  }

  get worst(): WaitingLink | undefined {
    return this.#incoming.last ?? this.#outgoing.last;
  }

  /** Returns the first waiting links that pass a test, best first. */
  first(count: number, isWanted: (link: WaitingLink) => boolean): readonly WaitingLink[] {
    const found: WaitingLink[] = [];
    for (const queue of [this.#outgoing, this.#incoming])
      for (const link of queue) {
        if (found.length === count) return found;
        if (isWanted(link)) found.push(link);
      }
    return found;
  }

  /** Returns all waiting links, best first. */
  links(): readonly WaitingLink[] {
    return [...this.#outgoing, ...this.#incoming];
  }

  /** Precondition: the queues are not full. */
  add(link: WaitingLink): void {
    const worstOutgoing = this.#outgoing.last;
    const hasRoom = this.#outgoing.size < this.#limits.outgoingQueue;
    const goesOut = worstOutgoing === undefined || hasRoom || this.#compare(link, worstOutgoing) < 0;
    (goesOut ? this.#outgoing : this.#incoming).insert(link);
    if (!goesOut || hasRoom) return;
    this.#outgoing.delete(worstOutgoing!);
    this.#incoming.insert(worstOutgoing!);
  }

  remove(link: WaitingLink): void {
    if (!this.#outgoing.delete(link)) {
      this.#incoming.delete(link);
      return;
    }
    const next = this.#incoming.first;
    if (next === undefined) return;
    this.#incoming.delete(next);
    this.#outgoing.insert(next);
  }

  /** Returns true for outgoing links and for the incoming link that moves there next: they are worth a name lookup. */
  isPromising(link: WaitingLink): boolean {
    const next = this.#incoming.first;
    return next === undefined || this.#compare(link, next) <= 0;
  }

  exchange(fields: Fields): void {
    this.#incoming.exchange(fields);
    this.#outgoing.exchange(fields);
  }
}
