/** What watching the store needs of the crawl. */
export interface StoreWatchPorts {
  /** Records that are queued and not yet durable. */
  readonly backlog: () => number;
  /** In ms, by a clock that nobody sets. */
  readonly now: () => number;
  readonly onStuck: (waiting: number) => void;
  readonly onBack: () => void;
}

/** A batch takes well under a second, a checkpoint of a large store a few. */
const STUCK_MS = 5_000;

/**
 * Sees a store that takes nothing for a while: a database server that is restarted, a disk that hangs. The writer waits for it and
 * the crawl for the writer; this one tells why.
 */
export class StoreWatch {
  readonly #ports: StoreWatchPorts;
  /** When a look found something waiting of which nothing was taken since. */
  #waitingSince: number | undefined;
  #isStuck = false;

  constructor(ports: StoreWatchPorts) {
    this.#ports = ports;
  }

  /** Something became durable. */
  stored(): void {
    this.#waitingSince = undefined;
    if (!this.#isStuck) return;
    this.#isStuck = false;
    this.#ports.onBack();
  }

  /** To be called now and then. */
  look(): void {
    const waiting = this.#ports.backlog();
    const now = this.#ports.now();
    this.#waitingSince = waiting === 0 ? undefined : (this.#waitingSince ?? now);
    if (this.#isStuck || this.#waitingSince === undefined || now - this.#waitingSince < STUCK_MS) return;
    this.#isStuck = true;
    this.#ports.onStuck(waiting);
  }
}
