import type { FrontierEntry } from './ordering.ts';

/** An entry and its place among equals. Never changes while it waits: a better priority makes a new one. */
export interface WaitingLink {
  readonly entry: FrontierEntry;
  /** Number of its first offer: of equal priorities the one that was found first goes first. */
  readonly order: number;
}

/** Best first. A total order: no two waiting links have the same `order`. */
export function compareWaiting(a: WaitingLink, b: WaitingLink): number {
  return b.entry.priority - a.entry.priority || a.order - b.order;
}
