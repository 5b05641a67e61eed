/** What watching the store needs from the crawl. */
export interface StoreWatchPorts {
  /** Records queued but not yet durable. */
  readonly backlog: () => number;
  /** Time in ms, from a clock that is never adjusted. */
  readonly now: () => number;
  readonly onStuck: (waiting: number) => void;
  readonly onBack: () => void;
}

/** A batch takes well under a second, a checkpoint of a large store a few seconds. */
const STUCK_MS = 5_000;

/**
 * Detects a store that accepts nothing for a while, such as a restarted database server or a hanging disk. The writer
 * waits for the store and the crawl for the writer; this class reports the reason.
 */
export class StoreWatch {
  readonly #ports: StoreWatchPorts;
  /** Time of the first check since which records have waited and none was stored. */
  #waitingSince: number | undefined;
  #isStuck = false;

  constructor(ports: StoreWatchPorts) {
    this.#ports = ports;
  }

  /** True from the report of a stuck store until a record is stored. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Notes that a record became durable. */
  stored(): void {
    this.#waitingSince = undefined;
    if (!this.#isStuck) return;
    this.#isStuck = false;
    this.#ports.onBack();
  }

  /** Checks the store. Call it regularly. */
  look(): void {
    const waiting = this.#ports.backlog();
    const now = this.#ports.now();
    this.#waitingSince = waiting === 0 ? undefined : (this.#waitingSince ?? now);
    if (this.#isStuck || this.#waitingSince === undefined || now - this.#waitingSince < STUCK_MS) return;
    this.#isStuck = true;
    this.#ports.onStuck(waiting);
  }
}
