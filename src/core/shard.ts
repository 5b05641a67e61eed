import { hash53 } from '../kit/index.ts';
import { registeredDomain } from './web/registered-domain.ts';

/** The part of the web that one store of a spread crawl fetches. */
export interface Shard {
  /** 0 to `shards` - 1. */
  readonly shard: number;
  /** Number of parts. It never changes while the crawl is spread. */
  readonly shards: number;
}

/** Maximum number of shards. */
export const MAX_SHARDS = 64;

/** A record of another store of a spread crawl. */
export interface FollowedRecord {
  /** The shard that has it, or {@link HOME}. */
  readonly source: number;
  /** Its sequence there. */
  readonly own: number;
}

/** The store that a spread crawl began with, as a source of records. */
export const HOME = -1;

/** Target of a parcel for all other shards. */
export const ALL_SHARDS = -1;

/** Returns the shard that fetches a host. */
export type ShardOf = (host: string, shards: number) => number;

/** Returns the shard that fetches a host. All hosts of a registered domain, and all ports of an address, are in one. */
export function shardOf(host: string, shards: number): number {
  return hash53(registeredDomain(host)) % shards;
}

/** Maximum number of links that a shard announces. */
export const MAX_NEXT = 50;

/** How far the crawl of a shard is. */
export interface ShardStanding {
  /** The last record that it describes. */
  readonly sequence: number;
  /** Nothing is under way, and nothing may be fetched: no link waits, or the budget is spent. Every record is stored. */
  readonly isIdle: boolean;
  /** Links that wait; 0 if none of them can be taken. */
  readonly waiting: number;
  /** Priorities of the best links that it may request within two seconds, best first. At most {@link MAX_NEXT}. */
  readonly next: readonly number[];
  /** Pages that count against the budget, with those fetched before the crawl was spread. */
  readonly fetched: number;
  readonly budget: number;
  /** The process that crawls it. */
  readonly pid?: number;
}
