export { isAscii } from './ascii.ts';
export { awakeTimeout } from './awake-timeout.ts';
export { withoutMark } from './byte-order-mark.ts';
export { ChunkReader } from './chunk-reader.ts';
export { count, counted, percent } from './format-count.ts';
export { freeBytes } from './free-bytes.ts';
export { GROWTH, grown } from './grow-array.ts';
export { type GzipMember, gzipHeaderBytes, isGzip, readGzipMember } from './gzip-member.ts';
export {
  HASH_START,
  hash32,
  hash53,
  hash53Bytes,
  hashAscii,
  hashedShare,
  hashStep,
  mix32,
  SECOND_SEED,
} from './hash.ts';
export { HashSlots } from './hash-slots.ts';
export { LruMap } from './lru-map.ts';
export { Names, pathStart } from './name-table.ts';
export { ownCopy } from './own-copy.ts';
export { builtFile, packageFile } from './package-files.ts';
export { matchesPattern } from './path-pattern.ts';
export { type Random, seededRandom, shuffled } from './random.ts';
export { type BoundedRead, readAtMost } from './read-at-most.ts';
export { RedBlackTree } from './red-black-tree.ts';
export {
  type Fields,
  type Form,
  LoadingFields,
  type NumberArray,
  type Saved,
  SavingFields,
  type Slot,
} from './saved/fields.ts';
export { type Piece, PieceReader, piecesOf } from './saved/pieces.ts';
export { Sleep } from './sleep.ts';
export { countSorted, packSorted, sortByDigit, unpackSorted } from './sorted-numbers.ts';
export { SpillFile } from './spill-file.ts';
export {
  displayWidth,
  pad,
  safeJson,
  sanitizeForTerminal,
  sanitizeLines,
  sanitizeText,
  truncate,
} from './terminal-text.ts';
export { TextArena, type TextId } from './text-arena.ts';
export { Turns } from './time-slices.ts';
export { TreeNodes } from './tree-nodes.ts';
export { utf8 } from './utf8.ts';
export { within } from './with-timeout.ts';
export { PAIR_BITS, WordTrail, wordPairs } from './word-pairs.ts';
