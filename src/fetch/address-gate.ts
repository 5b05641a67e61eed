/** Counts the requests under way by address. A full address lets no further request in; the caller tries later. */
export class AddressGate {
  readonly #limit: number;
  /** Addresses without any are absent. */
  readonly #active = new Map<string, number>();

  /** @param limit - requests at a time to one address; 0 = no limit */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False if the address is full. Every `enter` that returns true is answered by a `leave`. */
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
