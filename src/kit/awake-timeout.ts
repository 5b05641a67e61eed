/** A callback later than this, in ms, shows that the process was suspended. */
const STOOD_STILL_MS = 1000;

/**
 * Calls back after `ms`. If the process was suspended meanwhile (Ctrl-Z, a sleeping laptop or virtual machine), what
 * it waits for was suspended too, so the time starts again.
 * @param isHolding if false, the timer does not keep the process alive
 * @returns a function that cancels the callback
 */
export function awakeTimeout(ms: number, onEnd: () => void, isHolding = true): () => void {
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    const due = performance.now() + ms;
    timer = setTimeout(() => (performance.now() - due > STOOD_STILL_MS ? arm() : onEnd()), ms);
    if (!isHolding) timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}
