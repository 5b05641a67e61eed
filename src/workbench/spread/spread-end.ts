import { ALL_SHARDS, type ShardStanding } from '../../core/index.ts';
import type { ExchangeState } from '../../store/index.ts';

/** One look at a shard's store. */
export interface ShardLook {
  readonly exchange: ExchangeState;
  /** What its worker published last; `undefined` before the first worker. */
  readonly standing: ShardStanding | undefined;
}

/**
 * Decides whether nothing is left to do in any shard. Shards are looked at one after the other, so a single look may
 * miss a parcel under way. If two looks find all shards idle, all parcels received, and the same last records, nothing
 * happened between them, and nothing can happen after them.
 */
export class SpreadEnd {
  #before: string | undefined;

  /**
   * @param isSpent no further pages will be granted
   * @returns true if the crawl is over
   */
  isReached(looks: readonly ShardLook[], isSpent: boolean): boolean {
    const seen = looks.map(({ exchange }) => exchange.sequence).join();
    const isOver = looks.every((look) => isAtRest(look, isSpent)) && !isAnyUnderWay(looks);
    const isSame = isOver && seen === this.#before;
    this.#before = isOver ? seen : undefined;
    return isSame;
  }
}

/** True if the shard's crawl has nothing to fetch, and has stored all that it knows. */
function isAtRest({ exchange, standing }: ShardLook, isSpent: boolean): boolean {
  if (standing === undefined || !standing.isIdle || standing.sequence !== exchange.sequence) return false;
  return standing.waiting === 0 || isSpent;
}

function isAnyUnderWay(looks: readonly ShardLook[]): boolean {
  return looks.some(({ exchange: { sent } }, source) =>
    looks.some(({ exchange: { received } }, target) => {
      const last = Math.max(sent.get(target) ?? 0, sent.get(ALL_SHARDS) ?? 0);
      return target !== source && (received.get(source) ?? 0) < last;
    }),
  );
}
