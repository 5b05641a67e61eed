import type { OrderingName } from '../../core/index.ts';
import { hash32 } from '../../kit/index.ts';
import type { LinkOffer, Ordering } from '../ordering.ts';

/** Returns an ordering whose priorities depend on the offer alone. */
export function staticOrdering(name: OrderingName, priorityOf: (offer: LinkOffer) => number): Ordering {
  return { name, focused: false, judged: () => {}, priorityOf, changes: () => [], gone: () => {} };
}

/**
 * First found, first fetched. All priorities are equal, and the frontier keeps equals in the order of their first
 * offers.
 */
export function breadthFirst(): Ordering {
  return staticOrdering('breadth-first', () => 0);
}

/** A random order that depends on the seed alone. Priorities in [0,1). */
export function randomOrder(seed: number): Ordering {
  const start = hash32(`random ${seed}`);
  return staticOrdering('random', ({ url }) => hash32(url, start) / 2 ** 32);
}
