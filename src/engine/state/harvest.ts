import type { CanonicalUrl } from '../../core/index.ts';
import type { Frontier, Ordering } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';

/** The frontier of the harvest while learning runs again, and what was found out about it meanwhile. */
export interface Harvest {
  readonly frontier: Frontier;
  readonly ordering: Ordering;
  readonly fetched: CanonicalUrl[];
  /** Hosts with links in the frontier that proved worthless; below, the same for domains. */
  readonly trapHosts: Set<string>;
  readonly trapDomains: Set<string>;
}

/** Sets a frontier and its ordering aside. */
export function newHarvest(frontier: Frontier, ordering: Ordering): Harvest {
  return { frontier, ordering, fetched: [], trapHosts: new Set(), trapDomains: new Set() };
}

/** Reads or writes the fields of a checkpoint. */
export function exchangeHarvest(harvest: Harvest, fields: Fields): void {
  harvest.frontier.exchange(fields);
  harvest.ordering.exchange?.(fields);
  fields.list(harvest.fetched);
  fields.set(harvest.trapHosts);
  fields.set(harvest.trapDomains);
}
