import v8 from 'node:v8';

/** Half of a thread's space for young objects, in MB. */
const SEMI_SPACE_MB = 4;
const CHECK_MS = 50;
/** A heap may grow by this share of what was left after the last collection before the next one. */
const GROWTH_PERCENT = 30;

/**
 * Keeps V8 from taking memory that a crawl does not need, in this thread and in all threads started from now on. A heap grows by 30 %
 * before its garbage is collected, where V8 waits for up to three times as much. The space for young objects stays at 8 MB. Left alone V8 lets
 * it grow to 100 MB and more in each thread of a crawl, for no speed that could be measured: most of what a page leaves behind is
 * garbage long before 8 MB are full.
 *
 * New threads take the limit from V8's flags; a running one reads only how far its space grows at the next step, so that is
 * what is watched.
 * @returns ends the watch
 */
export function limitHeaps(): () => void {
  v8.setFlagsFromString(`--min-semi-space-size=${SEMI_SPACE_MB}`);
  v8.setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MB}`);
  v8.setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  let factor = 2;
  const timer = setInterval(() => {
    const wanted = youngSpaceMb() < 2 * SEMI_SPACE_MB ? 2 : 1;
    if (wanted !== factor) v8.setFlagsFromString(`--semi-space-growth-factor=${wanted}`);
    factor = wanted;
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Size of this thread's space for young objects. */
export function youngSpaceMb(): number {
  const space = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (space?.space_size ?? 0) / 2 ** 20;
}
