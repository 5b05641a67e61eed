/**
 * Returns the adjusted Rand index (Hubert and Arabie 1985): how far two partitions of the same items agree beyond
 * chance. 1 = the same groups, 0 = as random groups; can be slightly below 0.
 * @param a, b group by item, of equal length
 */
export function adjustedRandIndex(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const cells = new Map<string, number>();
  const rows = new Map<number | string, number>();
  const columns = new Map<number | string, number>();
  a.forEach((x, i) => {
    const y = b[i]!;
    count(cells, `${x}\n${y}`);
    count(rows, x);
    count(columns, y);
  });
  const [both, inA, inB] = [pairsIn(cells), pairsIn(rows), pairsIn(columns)];
  const expected = (inA * inB) / pairs(a.length);
  const greatest = (inA + inB) / 2;
  // Both partitions have one group, or only groups of one item, so they cannot differ.
  return greatest === expected ? 1 : (both - expected) / (greatest - expected);
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function pairsIn(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((sum, n) => sum + pairs(n), 0);
}

function pairs(n: number): number {
  return (n * (n - 1)) / 2;
}
