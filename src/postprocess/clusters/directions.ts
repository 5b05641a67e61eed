import { seededRandom } from '../../kit/index.ts';
import type { ClusterRow } from './space.ts';

/** Projection of pages onto the few directions of greatest variance. */
export interface Directions {
  readonly count: number;
  /** Returns coordinates of a row, the direction of greatest variance first. Length = `count`. */
  readonly project: (row: ClusterRow) => number[];
}

/** Rounds of subspace iteration; the main directions converge within a few. */
const ITERATIONS = 40;
const SEED = 1;

/**
 * Returns the principal directions of rows, by subspace iteration on their covariance. Words that occur together
 * share a direction, so that pages can be similar with few common words.
 * @param columns of the space, > 0
 * @param count maximum number of directions
 */
export function principalDirections(rows: readonly ClusterRow[], columns: number, count: number): Directions {
  const mean = meanOf(rows, columns);
  const covariance = covarianceOf(rows, mean);
  const wanted = Math.min(count, columns, rows.length);
  const random = seededRandom(SEED);
  let basis = Array.from({ length: wanted }, () => Float64Array.from({ length: columns }, () => random() - 0.5));
  orthonormalize(basis);
  for (let n = 0; n < ITERATIONS; n++) {
    basis = basis.map((direction) => covariance.map((row) => dot(row, direction))).map((y) => Float64Array.from(y));
    basis = orthonormalize(basis);
  }
  for (const direction of basis) orient(direction);
  const offsets = basis.map((direction) => dot(direction, mean));
  const project = ({ columns: at, weights }: ClusterRow): number[] =>
    basis.map((direction, d) => at.reduce((sum, column, i) => sum + direction[column]! * weights[i]!, -offsets[d]!));
  return { count: basis.length, project };
}

function meanOf(rows: readonly ClusterRow[], columns: number): Float64Array {
  const mean = new Float64Array(columns);
  for (const row of rows)
    row.columns.forEach((column, i) => {
      mean[column]! += row.weights[i]! / rows.length;
    });
  return mean;
}

function covarianceOf(rows: readonly ClusterRow[], mean: Float64Array): Float64Array[] {
  const covariance = Array.from(mean, (own) => mean.map((other) => -own * other * rows.length));
  for (const { columns, weights } of rows)
    for (let i = 0; i < columns.length; i++) {
      const line = covariance[columns[i]!]!;
      for (let j = 0; j < columns.length; j++) line[columns[j]!]! += weights[i]! * weights[j]!;
    }
  return covariance;
}

/** Gram–Schmidt in place; drops directions that become zero. */
function orthonormalize<A extends Float64Array>(basis: readonly A[]): A[] {
  const kept: A[] = [];
  for (const direction of basis) {
    for (const other of kept) {
      const share = dot(direction, other);
      for (let i = 0; i < direction.length; i++) direction[i]! -= share * other[i]!;
    }
    const length = Math.sqrt(dot(direction, direction));
    if (length < 1e-9) continue;
    for (let i = 0; i < direction.length; i++) direction[i]! /= length;
    kept.push(direction);
  }
  return kept;
}

/** Opposite directions are equivalent; the largest component is made positive, so that pictures are repeatable. */
function orient(direction: Float64Array): void {
  let greatest = 0;
  for (let i = 1; i < direction.length; i++)
    if (Math.abs(direction[i]!) > Math.abs(direction[greatest]!) + 1e-9) greatest = i;
  if (direction[greatest]! < 0) for (let i = 0; i < direction.length; i++) direction[i]! *= -1;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
