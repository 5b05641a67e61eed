import { type ImportanceMeasure, locationImportance } from '../../core/index.ts';
import { backlinks, pageRank } from '../../graph/index.ts';
import type { OrderWeb } from './order-web.ts';

/** Importance metrics of Cho 1998 §2: similarity to a query, backlinks, PageRank, location. */
export const ORDER_MEASURES: readonly OrderMeasure[] = ['is', 'ib', 'ir', 'il'];
export type OrderMeasure = 'is' | ImportanceMeasure;

/** Weights of a sum of importance metrics, each taken relative to its greatest value if there are several. */
export type OrderWeights = Readonly<Partial<Record<OrderMeasure, number>>>;

/** Values of each metric by page number. */
export type Measures = Readonly<Record<OrderMeasure, ArrayLike<number>>>;

/** Returns the metrics over the whole web, which no crawler can know. */
export function trueMeasures(web: OrderWeb): Measures {
  const il = Float64Array.from(web.urls, locationImportance);
  return { is: web.similarity, ib: backlinks(web), ir: pageRank(web), il };
}

/** Returns the weighted sum of metrics for each page. */
export function importanceOf(measures: Measures, weights: OrderWeights, size: number): Float64Array {
  const used = (Object.entries(weights) as [OrderMeasure, number][]).filter(([, weight]) => weight > 0);
  const values = new Float64Array(size);
  for (const [measure, weight] of used) {
    const all = measures[measure];
    let greatest = 0;
    if (used.length > 1) for (let i = 0; i < size; i++) greatest = Math.max(greatest, all[i]!);
    const scale = used.length === 1 ? 1 : greatest > 0 ? weight / greatest : 0;
    for (let i = 0; i < size; i++) values[i]! += scale * all[i]!;
  }
  return values;
}

/** Which pages are hot. A page must meet all given conditions. */
export interface HotRule {
  /** The value of a page of this rank, or more. From 1. */
  readonly rank?: number;
  /** This importance or more. */
  readonly value?: number;
  /** So many occurrences of words of the query in the text, or one in the title. */
  readonly words?: number;
}

/** Returns 1 for each hot page, by page number. */
export function hotPages(web: OrderWeb, importance: Float64Array, { rank, value, words }: HotRule): Uint8Array {
  const floor = rank === undefined ? Number.NEGATIVE_INFINITY : valueAtRank(importance, rank);
  return Uint8Array.from(importance, (own, page) =>
    own >= floor &&
    own >= (value ?? Number.NEGATIVE_INFINITY) &&
    web.words[page]! >= (words ?? Number.NEGATIVE_INFINITY)
      ? 1
      : 0,
  );
}

/** Returns the importance of the page of a rank. */
function valueAtRank(importance: Float64Array, rank: number): number {
  const sorted = importance.toSorted();
  return sorted[Math.max(0, sorted.length - rank)] ?? 0;
}
