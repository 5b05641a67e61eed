/** Rounds before the interval doubles for the first time. */
const STEADY = 4;

/**
 * Pages between two rounds: `every` at first, twice as many from `4 · every` pages on, twice as many again from `8 · every`, and so
 * on. What a page more can teach gets less as a crawl grows, while a round costs the same, so that rounds take a vanishing share.
 * @param fetched pages so far
 * @param every > 0
 */
export function roundInterval(fetched: number, every: number): number {
  const doublings = Math.max(0, Math.floor(Math.log2(fetched / (STEADY * every))) + 1);
  return every * 2 ** doublings;
}

/** Pages from here to the next round by {@link roundInterval}. */
export function pagesToNextRound(fetched: number, every: number): number {
  const interval = roundInterval(fetched, every);
  return interval - (fetched % interval);
}

/** Pages at which the last round by {@link roundInterval} was due; 0: none was. */
export function lastRoundDue(fetched: number, every: number): number {
  return fetched - (fetched % roundInterval(fetched, every));
}
