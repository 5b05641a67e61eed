/** A callback that comes this much later than it is due, in ms, tells of a process that stood still meanwhile. */
const STOOD_STILL_MS = 1000;

/**
 * Calls back when `ms` are over. Where the process stood still in between (Ctrl-Z, a laptop or a virtual machine that slept), what
 * it waits for had no time either: the time begins anew.
 * @param isHolding - false: it does not keep the process alive
 * @returns cancels it
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
