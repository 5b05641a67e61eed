import type { PageRecord, Parcel, VisitRecord } from '../core/index.ts';

/** A fetch with its whole document. */
export type StoredFetch = PageRecord | VisitRecord;

/** What a store holds for another shard until that shard has it. */
export interface StoredParcel {
  /** Sequence of the last record in its transaction. */
  readonly sequence: number;
  readonly parcel: Parcel;
}

/** What a store has sent and received. */
export interface ExchangeState {
  /** Number of its last record. */
  readonly sequence: number;
  /** Sequence of the last parcel for each target, a shard or `ALL_SHARDS`; those without a parcel are absent. */
  readonly sent: ReadonlyMap<number, number>;
  /** Sequence of the last parcel that it has of each other shard. */
  readonly received: ReadonlyMap<number, number>;
}
