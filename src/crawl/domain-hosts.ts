import type { WaitingLink } from './link-table.ts';
import { type Compare, RedBlackTree } from './red-black-tree.ts';
import type { TreeNodes } from './tree-nodes.ts';

/**
 * Where a host stands:
 * - `unnamed`: its address was not asked for yet; `asked`: it was, the answer is awaited
 * - `ready`: takes a request as far as we know, its domain permitting
 * - `resting` until a known time; `full` until a request of it ends
 * - `bad`: never again
 * - `aside`: not while a person says so
 */
export type Place = 'unnamed' | 'asked' | 'ready' | 'resting' | 'full' | 'bad' | 'aside';

/** A host with links that wait. */
export interface Host {
  readonly name: string;
  readonly number: number;
  readonly domain: Domain;
  /** First of its links: the key under which the host stands in other trees. */
  best: WaitingLink;
  /** All of its links; `undefined` while `best` is the only one there ever was, as with most hosts where there are many: a tree takes 70 bytes. */
  links: RedBlackTree<WaitingLink> | undefined;
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
  /** Its ready hosts, by their best link; the host itself while there was no second one. */
  ready: RedBlackTree<Host> | Host | undefined;
  /** Best link of the first ready host: the key of the domain among the domains. */
  best: WaitingLink | undefined;
  /** Has as many requests under way as a domain may, or no room for another page. */
  isFull: boolean;
}

/** Links that wait for a host, best first. */
export function linksOf({ best, links }: Host): Iterable<WaitingLink> {
  return links ?? [best];
}

export function linkCount({ links }: Host): number {
  return links?.size ?? 1;
}

/** Its ready host with the best link. */
export function firstReady({ ready }: Domain): Host | undefined {
  return ready instanceof RedBlackTree ? ready.first : ready;
}

/** A host of the domain is ready. */
export function addReady(host: Host, compare: Compare<Host>, nodes: TreeNodes<Host>): void {
  const { domain } = host;
  const { ready } = domain;
  if (ready === undefined) domain.ready = host;
  else if (ready instanceof RedBlackTree) ready.insert(host);
  else {
    const hosts = new RedBlackTree(compare, nodes);
    hosts.insert(ready);
    hosts.insert(host);
    domain.ready = hosts;
  }
}

/** It is ready no more. */
export function deleteReady(host: Host): void {
  const { domain } = host;
  if (domain.ready instanceof RedBlackTree) domain.ready.delete(host);
  else domain.ready = undefined;
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
