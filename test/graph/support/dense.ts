export type Matrix = number[][];

/** Builds an n × n matrix from its entries. */
export function matrix(n: number, entry: (row: number, column: number) => number): Matrix {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => entry(i, j)));
}

export function multiply(a: Matrix, b: Matrix): Matrix {
  return matrix(a.length, (i, j) => a[i]!.reduce((sum, x, k) => sum + x * b[k]![j]!, 0));
}

export function apply(a: Matrix, x: readonly number[]): number[] {
  return a.map((row) => row.reduce((sum, value, j) => sum + value * x[j]!, 0));
}

/** Divides a vector by its sum; returns it unchanged if the sum is 0. */
export function toSumOne(x: readonly number[]): number[] {
  const sum = x.reduce((a, b) => a + b, 0);
  return sum === 0 ? [...x] : x.map((value) => value / sum);
}

/** The limit direction of multiplying `start` by `a` repeatedly: `a` to the power of 2^30 by squaring. */
export function limit(a: Matrix, start: readonly number[]): number[] {
  let power = a;
  for (let i = 0; i < 30; i++) {
    const largest = Math.max(...power.flat());
    if (largest === 0) return start.map(() => 0);
    power = power.map((row) => row.map((value) => value / largest));
    power = multiply(power, power);
  }
  return toSumOne(apply(power, start));
}

/** Solves a·x = b by Gaussian elimination with partial pivoting. */
export function solve(a: Matrix, b: readonly number[]): number[] {
  const n = b.length;
  const rows = a.map((row, i) => [...row, b[i]!]);
  for (let k = 0; k < n; k++) {
    const pivot = rows.slice(k).reduce((best, row) => (Math.abs(row[k]!) > Math.abs(best[k]!) ? row : best));
    rows.splice(rows.indexOf(pivot, k), 1);
    rows.splice(k, 0, pivot);
    for (const row of rows.slice(k + 1)) {
      const factor = row[k]! / pivot[k]!;
      for (let j = k; j <= n; j++) row[j]! -= factor * pivot[j]!;
    }
  }
  const x: number[] = Array(n).fill(0);
  for (let k = n - 1; k >= 0; k--) {
    const known = x.reduce((sum, value, j) => sum + (j > k ? rows[k]![j]! * value : 0), 0);
    x[k] = (rows[k]![n]! - known) / rows[k]![k]!;
  }
  return x;
}
