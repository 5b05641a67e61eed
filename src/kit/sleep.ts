/** Sleeps until woken or until the time is over. Waking has no effect if nothing sleeps. */
export class Sleep {
  #wake: (() => void) | undefined;

  wake(): void {
    this.#wake?.();
  }

  /** @param ms maximum time */
  async for(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
