import { seededRandom } from '../src/kit/index.ts';
import { type SparseMatrix, type SparseVector, sparseMatrix } from '../src/learn/index.ts';

/** Documents with the side they are on, +1 or −1. */
export interface LabelledRows {
  readonly x: SparseMatrix;
  readonly y: Int8Array;
}

const WORDS_PER_DOCUMENT = 120;
/** Share of a document's words drawn from its own side's vocabulary; small enough that no plane parts all. */
const OWN_SHARE = 0.2;
const POSITIVE_SHARE = 0.3;

/**
 * Made-up documents as L2-normalised term vectors: words follow Zipf's law, one in five comes from the vocabulary of
 * its document's side.
 */
export function labelledDocuments(count: number, features: number, seed: number): LabelledRows {
  const random = seededRandom(seed);
  const y = new Int8Array(count);
  const half = Math.floor(features / 2);
  const vectors = Array.from({ length: count }, (_, i) => {
    const side = random() < POSITIVE_SHARE ? 1 : -1;
    y[i] = side;
    const counts = new Map<number, number>();
    for (let k = 0; k < WORDS_PER_DOCUMENT; k++) {
      const rank = Math.floor(half ** random()) - 1;
      const own = random() < OWN_SHARE ? side : random() < 0.5 ? 1 : -1;
      const feature = Math.max(0, rank) * 2 + (own > 0 ? 1 : 0);
      counts.set(feature, (counts.get(feature) ?? 0) + 1);
    }
    return unitVector(counts, features);
  });
  return { x: sparseMatrix(vectors, features), y };
}

function unitVector(counts: ReadonlyMap<number, number>, features: number): SparseVector {
  const indices = Int32Array.from([...counts.keys()].sort((a, b) => a - b));
  // Rare words weigh more, as idf makes them.
  const weight = (index: number): number => Math.log(1 + counts.get(index)!) * Math.log(2 + index / features);
  const values = Float32Array.from(indices, weight);
  const norm = Math.hypot(...values);
  return { indices, values: values.map((value) => value / norm) };
}
