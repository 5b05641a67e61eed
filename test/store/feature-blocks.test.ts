import { expect, test } from 'vitest';
import { type JournalRecord, packDocument } from '../../src/core/index.ts';
import type { PackedPage } from '../../src/store/rows/record-rows.ts';
import { FeatureBlocks } from '../../src/store/write/feature-blocks.ts';
import { page, visit } from '../contracts/store-records.ts';

/** Returns a page with many different words. */
function packedPage(sequence: number, words: number): PackedPage {
  const stems = Object.fromEntries(Array.from({ length: words }, (_, i) => [`w${sequence}x${i}`, 1]));
  const record = page(sequence, `https://p${sequence}.example/`, { stems });
  return { ...record, packed: packDocument(record.document) };
}

/** Returns the blocks that are completed by records in which each hundredth is a page. */
function blocksOf(words: (sequence: number) => number): readonly unknown[] {
  const records = Array.from({ length: 1_100 }, (_, i) =>
    i % 100 === 0 ? packedPage(i + 1, words(i + 1)) : visit(i + 1, `https://p${i + 1}.example/`),
  );
  return new FeatureBlocks().add(records as (PackedPage | Exclude<JournalRecord, { kind: 'page' }>)[]).map(([n]) => n);
}

test('pages with very many features are left out of blocks, which bounds memory; later blocks are whole', () => {
  expect(blocksOf(() => 10)).toEqual([0, 1]);
  expect(blocksOf((sequence) => (sequence < 512 ? 200_000 : 10))).toEqual([1]);
});
