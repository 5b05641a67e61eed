import { FEATURE_BLOCK, FeatureBlockPacker, featureBlockOf, type JournalRecord, unpackBags } from '../../core/index.ts';
import type { PackedPage } from '../rows/record-rows.ts';
import type { Row } from '../schema.ts';

/** A block with more features is left out: its pages are judged by their documents. */
const MAX_ENTRIES = 800_000;
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
  readonly #packer = new FeatureBlockPacker();
  /** Sequence that completes what was collected, if all records of the block were seen. */
  #next = 0;

  /** Adds records in order, and returns rows of `feature_block` for the blocks that they complete. */
  add(records: readonly (PackedPage | Exclude<JournalRecord, { readonly kind: 'page' }>)[]): readonly Row[] {
    const rows: Row[] = [];
    for (const record of records) {
      const { sequence } = record;
      const isFirst = sequence === Math.max(1, featureBlockOf(sequence) * FEATURE_BLOCK);
      if (isFirst) this.#begin(sequence);
      if (sequence !== this.#next) continue;
      this.#next++;
      if (record.kind === 'page') this.#collect(record);
      const block = featureBlockOf(sequence);
      if (featureBlockOf(this.#next) === block) continue;
      if (this.#packer.pages > 0) rows.push(...featureBlockRows(block, this.#packer.pack(0)));
    }
    return rows;
  }

  #begin(sequence: number): void {
    this.#packer.clear();
    this.#next = sequence;
  }

  #collect({ sequence, packed: { bags } }: PackedPage): void {
    this.#packer.add({ sequence, features: unpackBags(bags) });
    // No record continues this block.
    if (this.#packer.entries > MAX_ENTRIES) this.#begin(0);
  }
}
