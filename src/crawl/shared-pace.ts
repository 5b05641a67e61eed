interface Group {
  /** Active requests. */
  active: number;
  /** When the next request may start, on the caller's clock, in ms. */
  freeAt: number;
}

/**
 * Maximum time a group waits because of earlier requests. Requests of an earlier run are charged in the past and do
 * not add up.
 */
const MAX_DEBT_MS = 5_000;

/** Number of groups that triggers the first cleanup. */
const FIRST_SWEEP = 1024;

/**
 * Paces requests to hosts that share a registered domain or an address. Each request moves the group's next start by
 * the delay, including unplanned requests such as those for robots.txt. So the average rate holds whatever is sent.
 */
export class SharedPace {
  readonly #limit: number;
  readonly #delayMs: number;
  /** Omits idle groups that may start now. */
  readonly #groups = new Map<string, Group>();
  #sweepAt = FIRST_SWEEP;

  /**
   * @param limit - maximum number of active requests; 0 = no limit
   * @param delayMs - minimum time between two starts. >= 0
   */
  constructor(limit: number, delayMs: number) {
    this.#limit = limit;
    this.#delayMs = delayMs;
  }

  isFull(key: string): boolean {
    return this.#limit > 0 && (this.#groups.get(key)?.active ?? 0) >= this.#limit;
  }

  /** Returns when the next request may start; a time in the past means now. */
  freeAt(key: string): number {
    return this.#groups.get(key)?.freeAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Records that a request begins. */
  enter(key: string, now: number): void {
    this.#group(key, now).active++;
    this.charge(key, now);
  }

  leave(key: string): void {
    const group = this.#groups.get(key);
    if (group !== undefined) group.active--;
  }

  /** Records an unannounced request. */
  charge(key: string, now: number): void {
    if (this.#delayMs === 0) return;
    const group = this.#group(key, now);
    const next = Math.max(now, group.freeAt) + this.#delayMs;
    group.freeAt = Math.max(group.freeAt, Math.min(next, now + MAX_DEBT_MS));
  }

  #group(key: string, now: number): Group {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    if (this.#groups.size >= this.#sweepAt) {
      for (const [name, { active, freeAt }] of this.#groups)
        if (active === 0 && freeAt <= now) this.#groups.delete(name);
      this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#groups.size);
    }
    const group: Group = { active: 0, freeAt: Number.NEGATIVE_INFINITY };
    this.#groups.set(key, group);
    return group;
  }
}
