import type { WaitingLink } from './link-table.ts';
import type { RedBlackTree } from './red-black-tree.ts';

/**
 * Where a host stands:
 * - `unnamed`: its address was not asked for yet; `asked`: it was, the answer is awaited
 * - `ready`: takes a request as far as we know, its domain permitting
 * - `resting` until a known time; `full` until a request of it ends
 * - `bad`: never again
 */
export type Place = 'unnamed' | 'asked' | 'ready' | 'resting' | 'full' | 'bad';

/** A host with links that wait. */
export interface Host {
  readonly name: string;
  readonly number: number;
  readonly domain: Domain;
  readonly links: RedBlackTree<WaitingLink>;
  /** First of `links`: the key under which the host stands in other trees. */
  best: WaitingLink;
  place: Place;
  isNamed: boolean;
  restsUntil: number;
  /** The hosts of its domain that came before and after it. */
  previous: Host | undefined;
  next: Host | undefined;
}

/** A registered domain with hosts that wait. */
export interface Domain {
  readonly name: string;
  /** Those with waiting links, a chain: hundreds of thousands of domains have one host each, and an empty set takes 200 bytes. */
  first: Host | undefined;
  last: Host | undefined;
  /** Its ready hosts, by their best link. */
  readonly ready: RedBlackTree<Host>;
  /** Best link of the first ready host: the key of the domain among the domains. */
  best: WaitingLink | undefined;
  /** Has as many requests under way as a domain may, or no room for another page. */
  isFull: boolean;
}

/** Puts a host behind the others of its domain. */
export function join(host: Host): void {
  const { domain } = host;
  host.previous = domain.last;
  if (domain.last === undefined) domain.first = host;
  else domain.last.next = host;
  domain.last = host;
}

/** Takes a host out of its domain. */
export function part({ domain, previous, next }: Host): void {
  if (previous === undefined) domain.first = next;
  else previous.next = next;
  if (next === undefined) domain.last = previous;
  else next.previous = previous;
}

/** True where the host stands in a tree by its best link. */
export function isKeyed({ place }: Host): boolean {
  return place === 'unnamed' || place === 'ready';
}
