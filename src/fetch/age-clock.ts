/** Normal drift between the clocks is smaller. A larger difference means that a clock was set or the machine slept. */
const JUMP_MS = 1000;

/**
 * Returns a clock for the age of stored data, in ms from an arbitrary start. It never goes back and never lags. The
 * system clock alone would keep an answer hours too long after it is set back. The steady clock stops while a laptop
 * sleeps. If the system clock jumps ahead of it, that time is added.
 */
export function ageClock(wall: () => number, steady: () => number): () => number {
  let offset = wall() - steady();
  let slept = 0;
  return () => {
    const now = steady();
    const jump = wall() - now - offset;
    if (Math.abs(jump) > JUMP_MS) {
      offset += jump;
      slept += Math.max(0, jump);
    }
    return now + slept;
  };
}
