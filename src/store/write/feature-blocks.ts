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

/** A block with larger features, packed for its thread, is left out: its pages are judged by their documents. */
const MAX_COLLECTED_BYTES = 8_000_000;
/** Servers refuse statements above 16 MB by default, and a blob may take two bytes per byte there. */
const MAX_BLOCK_BYTES = 4_000_000;

/** Returns the row of `feature_block`; none for a block that is too large to store. */
export function featureBlockRows(block: number, features: Uint8Array): readonly Row[] {
  return features.length > MAX_BLOCK_BYTES ? [] : [[block, features]];
}

/**
 * Collects the features of pages until their block is complete. A block that another process began is left to the next
 * judging of all pages.
 */
export class FeatureBlocks {
  #pages: BlockPage[] = [];
  /** Sequence that completes what was collected, if all records of the block were seen. */
  #next = 0;
  #bytes = 0;

  /** Adds records in order, and returns rows of `feature_block` for the blocks that they complete. */
  add(records: readonly (PackedPage | Exclude<JournalRecord, { readonly kind: 'page' }>)[]): readonly Row[] {
    const rows: Row[] = [];
    for (const record of records) {
      const { sequence } = record;
      const isFirst = sequence === Math.max(1, featureBlockOf(sequence) * FEATURE_BLOCK);
      if (isFirst) [this.#pages, this.#next, this.#bytes] = [[], sequence, 0];
      if (sequence !== this.#next) continue;
      this.#next++;
      if (record.kind === 'page') this.#collect(record);
      const block = featureBlockOf(sequence);
      if (featureBlockOf(this.#next) === block) continue;
      if (this.#pages.length > 0) rows.push(...featureBlockRows(block, packFeatureBlock(this.#pages, 0)));
      this.#pages = [];
    }
    return rows;
  }

  #collect({ sequence, packed: { bags } }: PackedPage): void {
    this.#bytes += bags.byteLength;
    if (this.#bytes > MAX_COLLECTED_BYTES) {
      // No record continues this block.
      [this.#pages, this.#next] = [[], 0];
      return;
    }
    // The caller frees the packed features of the record.
    this.#pages.push({ sequence, features: unpackBags(bags.slice()) });
  }
}
