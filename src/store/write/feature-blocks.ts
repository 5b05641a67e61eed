import {
  type BlockPage,
  FEATURE_BLOCK,
  featureBlockOf,
  type JournalRecord,
  packFeatureBlock,
  unpackBags,
} from '../../core/index.ts';
import type { PackedPage } from '../rows/record-rows.ts';
import type { Row } from '../schema.ts';

/**
 * Collects the features of pages until their block is complete. A block that another process began is left to the next
 * judging of all pages.
 */
export class FeatureBlocks {
  #pages: BlockPage[] = [];
  /** Sequence that completes what was collected, if all records of the block were seen. */
  #next = 0;

  /** Adds records in order, and returns rows of `feature_block` for the blocks that they complete. */
  add(records: readonly (PackedPage | Exclude<JournalRecord, { readonly kind: 'page' }>)[]): readonly Row[] {
    const rows: Row[] = [];
    for (const record of records) {
      const { sequence } = record;
      const isFirst = sequence === Math.max(1, featureBlockOf(sequence) * FEATURE_BLOCK);
      if (isFirst) [this.#pages, this.#next] = [[], sequence];
      if (sequence !== this.#next) continue;
      this.#next++;
      // The caller frees the packed features of the record.
      if (record.kind === 'page') this.#pages.push({ sequence, features: unpackBags(record.packed.bags.slice()) });
      if (featureBlockOf(this.#next) === featureBlockOf(sequence)) continue;
      if (this.#pages.length > 0) rows.push([featureBlockOf(sequence), packFeatureBlock(this.#pages, 0)]);
      this.#pages = [];
    }
    return rows;
  }
}
