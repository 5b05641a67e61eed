/** Sleeps until it is woken, or the time is over. To wake what is awake does nothing. */
export class Sleep {
  #wake: (() => void) | undefined;

  wake(): void {
    this.#wake?.();
  }

  /** @param ms at most so long */
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
