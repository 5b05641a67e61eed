import type { PageScoreTable } from '../schema.ts';

/** Numbers of a score, in the order in which they are packed. */
const NUMBERS = ['confidence', 'calibrated', 'bayes', 'bayes_calibrated', 'cosine', 'relevance'] as const;
const COUNT_BYTES = 4;
const NUMBER_BYTES = 8;
const RUN_BYTES = COUNT_BYTES + NUMBERS.length * NUMBER_BYTES;

type ScoreNumbers = Pick<PageScoreTable, (typeof NUMBERS)[number]>;

/**
 * Packs a page's scores: for each run of equal neighbours a 32-bit count and six 64-bit numbers, little-endian; NaN
 * for null. A page that the user placed has the same score for all topics but one.
 */
export function packScores(scores: readonly ScoreNumbers[]): Buffer {
  const runs: { readonly first: ScoreNumbers; count: number }[] = [];
  for (const score of scores) {
    const last = runs.at(-1);
    if (last !== undefined && NUMBERS.every((name) => last.first[name] === score[name])) last.count++;
    else runs.push({ first: score, count: 1 });
  }
  const packed = Buffer.alloc(runs.length * RUN_BYTES);
  runs.forEach(({ first, count }, i) => {
    let at = packed.writeUInt32LE(count, i * RUN_BYTES);
    for (const name of NUMBERS) at = packed.writeDoubleLE(first[name] ?? Number.NaN, at);
  });
  return packed;
}

/** Returns the scores of a page as rows of `page_score`. */
export function unpackScores(page: number, topics: readonly string[], packed: Uint8Array): PageScoreTable[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const rows: PageScoreTable[] = [];
  for (let at = 0; at + RUN_BYTES <= bytes.length; at += RUN_BYTES) {
    const values = NUMBERS.map((_, i) => bytes.readDoubleLE(at + COUNT_BYTES + i * NUMBER_BYTES));
    const numbers = Object.fromEntries(NUMBERS.map((name, i) => [name, Number.isNaN(values[i]) ? null : values[i]!]));
    for (let left = bytes.readUInt32LE(at); left > 0; left--)
      rows.push({ page, n: rows.length, topic: topics[rows.length] ?? '', ...(numbers as unknown as ScoreNumbers) });
  }
  return rows;
}
