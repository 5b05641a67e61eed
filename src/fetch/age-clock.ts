/** Clocks drift apart by less than this by themselves; beyond it somebody set one, or the machine slept. */
const JUMP_MS = 1000;

/**
 * Makes a clock for the age of what is kept, in ms from any beginning: it never goes back and is never behind. The system's clock
 * alone would keep an answer for hours too long when it is set back. The steady one stands still while a laptop sleeps; when the
 * system's clock jumps ahead of it, that time counts as well.
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
