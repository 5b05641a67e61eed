interface Group {
  /** Requests under way. */
  active: number;
  /** When the next request may start, on the caller's clock, in ms. */
  freeAt: number;
}

/** No group waits longer for what was sent. Requests of an earlier run are charged at times in the past, and do not add up. */
const MAX_DEBT_MS = 5_000;

/** Groups before the first look for those that can be forgotten. */
const FIRST_SWEEP = 1024;

/**
 * The pace of requests to hosts that share a registered domain or an address. Each request moves the group's next start by the delay, also one
 * that was not planned, such as for a robots.txt. So the rate holds on average whatever is sent.
 */
export class SharedPace {
  readonly #limit: number;
  readonly #delayMs: number;
  /** Idle groups whose time has come are absent. */
  readonly #groups = new Map<string, Group>();
  #sweepAt = FIRST_SWEEP;

  /**
   * @param limit - requests under way at a time; 0 = no limit
   * @param delayMs - least time between two starts. >= 0
   */
  constructor(limit: number, delayMs: number) {
    this.#limit = limit;
    this.#delayMs = delayMs;
  }

  isFull(key: string): boolean {
    return this.#limit > 0 && (this.#groups.get(key)?.active ?? 0) >= this.#limit;
  }

  /** When the next request may start; a time in the past means now. */
  freeAt(key: string): number {
    return this.#groups.get(key)?.freeAt ?? Number.NEGATIVE_INFINITY;
  }

  /** A request begins. */
  enter(key: string, now: number): void {
    this.#group(key, now).active++;
    this.charge(key, now);
  }

  leave(key: string): void {
    const group = this.#groups.get(key);
    if (group !== undefined) group.active--;
  }

  /** A request is sent that was not announced. */
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
