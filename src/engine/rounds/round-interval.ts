/** Rounds before the interval doubles for the first time. */
const STEADY = 4;

/**
 * Returns the number of pages between two rounds: `every` at first, twice as many from `4 · every` pages on, twice as
 * many again from `8 · every`, and so on. Further pages teach less as a crawl grows, but a round costs the same. So
 * the share of rounds in the total cost shrinks to zero.
 * @param fetched pages so far
 * @param every > 0
 */
export function roundInterval(fetched: number, every: number): number {
  const doublings = Math.max(0, Math.floor(Math.log2(fetched / (STEADY * every))) + 1);
  return every * 2 ** doublings;
}

/** Returns the number of pages until the next round by {@link roundInterval}. */
export function pagesToNextRound(fetched: number, every: number): number {
  const interval = roundInterval(fetched, every);
  return interval - (fetched % interval);
}

/** Returns the page count at which the last round by {@link roundInterval} was due; 0 if none was. */
export function lastRoundDue(fetched: number, every: number): number {
  return fetched - (fetched % roundInterval(fetched, every));
}
