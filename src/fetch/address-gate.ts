/** Limits the active requests per address. A full address accepts no further request; the caller retries later. */
export class AddressGate {
  readonly #limit: number;
  /** Omits addresses without active requests. */
  readonly #active = new Map<string, number>();

  /** @param limit - maximum number of concurrent requests to one address; 0 = no limit */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns false if the address is full. Call `leave` once for every `enter` that returned true. */
  enter(address: string): boolean {
    const active = this.#active.get(address) ?? 0;
    if (this.#limit > 0 && active >= this.#limit) return false;
    this.#active.set(address, active + 1);
    return true;
  }

  leave(address: string): void {
    const left = (this.#active.get(address) ?? 1) - 1;
    if (left > 0) this.#active.set(address, left);
    else this.#active.delete(address);
  }
}
