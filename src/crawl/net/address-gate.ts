/** Lets no more than so many requests at a time to one address; the others wait for their turn, first come first. */
export class AddressGate {
  readonly #limit: number;
  /** Those under way; addresses without any are absent. */
  readonly #active = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @param limit - requests at a time to one address; 0 = no limit */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when the request may begin; every `enter` is answered by a `leave`. */
  async enter(address: string): Promise<void> {
    const active = this.#active.get(address) ?? 0;
    if (this.#limit === 0 || active < this.#limit) {
      this.#active.set(address, active + 1);
      return;
    }
    await new Promise<void>((go) => {
      const waiting = this.#waiting.get(address);
      if (waiting === undefined) this.#waiting.set(address, [go]);
      else waiting.push(go);
    });
  }

  /** A request ended: its place goes to the one that waits longest. */
  leave(address: string): void {
    const waiting = this.#waiting.get(address);
    const next = waiting?.shift();
    if (waiting?.length === 0) this.#waiting.delete(address);
    if (next !== undefined) {
      next();
      return;
    }
    const left = (this.#active.get(address) ?? 1) - 1;
    if (left > 0) this.#active.set(address, left);
    else this.#active.delete(address);
  }
}
