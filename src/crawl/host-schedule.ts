import { assertNever } from '../core/index.ts';
import {
  addReady,
  type Domain,
  deleteReady,
  firstReady,
  type Host,
  isKeyed,
  join,
  linkCount,
  linksOf,
  type Place,
  part,
} from './domain-hosts.ts';
import type { HostClocks } from './host-clocks.ts';
import type { LinkTable, WaitingLink } from './link-table.ts';
import { RedBlackTree } from './red-black-tree.ts';
import { registeredDomain } from './registered-domain.ts';
import type { WaitingLinks } from './topic-queues.ts';
import { TreeNodes } from './tree-nodes.ts';

/** What the schedule asks of the world. */
export interface SchedulePorts {
  /** Asks for the address of a host ahead of time; `resolved` tells the answer. */
  readonly resolve: (host: string) => void;
  /** True when the host needs no asking. Default: never. */
  readonly isResolved?: (host: string) => boolean;
  /** False: pages of the site, a registered domain, may not be fetched now; `reopened` tells of a change. Default: true. */
  readonly hasRoom?: (site: string) => boolean;
}

/** With fewer ready hosts than this, names are asked for beyond the promising links. */
const ENOUGH_READY = 32;

/**
 * Finds the best waiting link of one topic whose host is willing without looking at those whose host is not. Links wait in a tree
 * per host, ready hosts in a tree per domain, domains with room in one tree:
 *
 *     domains ──best first──▶ hosts ──best first──▶ links
 *
 * A host that turns out to be unwilling leaves its domain's tree with all its links, and comes back when its time has
 * come or one of its requests ends. So a look costs O(log n), whatever number of links cannot be taken.
 */
export class HostSchedule {
  readonly #clocks: HostClocks;
  readonly #ports: SchedulePorts;
  readonly #hosts = new Map<string, Host>();
  readonly #domains = new Map<string, Domain>();
  readonly #links: LinkTable;
  readonly #linkNodes: TreeNodes<WaitingLink>;
  readonly #hostNodes = new TreeNodes<Host>();
  readonly #byBestLink = (a: Host, b: Host): number => this.#links.compare(a.best, b.best);
  readonly #open = new RedBlackTree<Domain>((a, b) => this.#links.compare(a.best!, b.best!));
  readonly #unnamed = new RedBlackTree(this.#byBestLink, this.#hostNodes);
  readonly #resting = new RedBlackTree<Host>((a, b) => a.restsUntil - b.restsUntil || a.number - b.number);
  readonly #asked = new Set<string>();
  #nextNumber = 0;
  #ready = 0;
  #lost = 0;
  #aside = 0;

  constructor(clocks: HostClocks, ports: SchedulePorts, { table, nodes }: WaitingLinks) {
    this.#clocks = clocks;
    this.#ports = ports;
    this.#links = table;
    this.#linkNodes = nodes;
  }

  /** Links of bad hosts: they will not be taken. */
  get lost(): number {
    return this.#lost;
  }

  /** Links that a person does not want to be taken. */
  get aside(): number {
    return this.#aside;
  }

  /** Hosts with links that wait, each with their number. */
  *hosts(): Generator<{ readonly host: string; readonly links: number }> {
    for (const host of this.#hosts.values()) yield { host: host.name, links: linkCount(host) };
  }

  add(link: WaitingLink): void {
    const host = this.#hosts.get(this.#links.hostOf(link));
    if (host === undefined) {
      this.#addHost(link);
      return;
    }
    host.links ??= this.#treeOf(host.best);
    host.links.insert(link);
    this.#countIdle(host, 1);
    this.#rekey(host, host.links.first!);
  }

  remove(link: WaitingLink): void {
    const host = this.#hosts.get(this.#links.hostOf(link))!;
    host.links?.delete(link);
    this.#countIdle(host, -1);
    const best = host.links?.first;
    if (best === undefined) this.#removeHost(host);
    else this.#rekey(host, best);
  }

  /** Lets `change` give a waiting link another priority. */
  change(link: WaitingLink, change: () => void): void {
    const host = this.#hosts.get(this.#links.hostOf(link))!;
    // Where the host stands in other trees by this link, it must not change under them.
    const isKey = host.best === link && isKeyed(host);
    if (isKey) this.#leave(host);
    host.links?.delete(link);
    change();
    host.links?.insert(link);
    const best = host.links?.first ?? host.best;
    if (!isKey) {
      this.#rekey(host, best);
      return;
    }
    host.best = best;
    this.#enter(host);
  }

  /** The best link that may be taken now. */
  best(now: number): WaitingLink | undefined {
    for (let host = this.#resting.first; host !== undefined && host.restsUntil <= now; host = this.#resting.first)
      this.#move(host, 'ready');
    for (let domain = this.#open.first; domain !== undefined; domain = this.#open.first) {
      const host = firstReady(domain)!; // Domains without ready hosts are not among the open ones.
      if (this.#isWilling(host, now)) return host.best;
    }
    return undefined;
  }

  /** Earliest time at which `best` may find something when no request begins or ends and no name comes in. */
  nextWillingAt(now: number): number | undefined {
    return this.best(now) === undefined ? this.#resting.first?.restsUntil : now;
  }

  /**
   * Asks for the names of the best links' hosts, while `isPromising` says so or few hosts are ready, and never for more
   * than `limit` at one time. An answer may come at once.
   */
  askForNames(isPromising: (link: WaitingLink) => boolean, limit: number): void {
    for (let host = this.#unnamed.first; host !== undefined; host = this.#unnamed.first) {
      if (this.#asked.size >= limit) break;
      if (this.#ready >= ENOUGH_READY && !isPromising(host.best)) break;
      this.#move(host, 'asked');
      this.#asked.add(host.name);
      this.#ports.resolve(host.name);
    }
  }

  /** The answer for a name that was asked for, here or elsewhere. */
  resolved(name: string): void {
    this.#asked.delete(name);
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    host.isNamed = true;
    if (host.place === 'asked' || host.place === 'unnamed') this.#move(host, 'ready');
  }

  /** Links of a host, best first. */
  linksOf(name: string): readonly WaitingLink[] {
    const host = this.#hosts.get(name);
    return host === undefined ? [] : [...linksOf(host)];
  }

  /** Links of a site's hosts, in no order. */
  linksOfSite(site: string): readonly WaitingLink[] {
    const links: WaitingLink[] = [];
    for (let host = this.#domains.get(site)?.first; host !== undefined; host = host.next) links.push(...linksOf(host));
    return links;
  }

  /** A request ended, or a limit changed. Whether the host is really willing shows when its turn comes. */
  reconsider(hostName: string, domainName: string): void {
    const domain = this.#domains.get(domainName);
    if (domain === undefined) return;
    this.#setFull(domain, false);
    const host = this.#hosts.get(hostName);
    if (host === undefined) return;
    this.#move(host, this.#placeOf(host));
  }

  /** The same for every host, or some of them. */
  reconsiderAll(isConcerned: (host: string) => boolean = () => true): void {
    for (const { name, domain } of this.#hosts.values()) if (isConcerned(name)) this.reconsider(name, domain.name);
  }

  /** The site may have room again. */
  reopened(site: string): void {
    const domain = this.#domains.get(site);
    if (domain !== undefined) this.#setFull(domain, false);
  }

  /** False: the host, or its whole domain, was put aside until it can be willing again. */
  #isWilling(host: Host, now: number): boolean {
    if (this.#ports.hasRoom?.(host.domain.name) === false) {
      this.#setFull(host.domain, true);
      return false;
    }
    const standing = this.#clocks.standing(host.name, now);
    switch (standing.kind) {
      case 'willing':
        return true;
      case 'resting':
        host.restsUntil = standing.until;
        this.#move(host, 'resting');
        return false;
      case 'host-full':
        this.#move(host, 'full');
        return false;
      case 'bad':
        this.#move(host, 'bad');
        return false;
      case 'domain-full':
        this.#setFull(host.domain, true);
        return false;
      default:
        return assertNever(standing);
    }
  }

  #addHost(link: WaitingLink): void {
    const name = this.#links.hostOf(link);
    const isNamed = this.#ports.isResolved?.(name) ?? false;
    const host: Host = {
      name,
      number: this.#nextNumber++,
      domain: this.#domain(registeredDomain(name)),
      best: link,
      links: undefined,
      place: this.#placeOf({ name, isNamed, best: link }),
      isNamed,
      restsUntil: 0,
      previous: undefined,
      next: undefined,
    };
    join(host);
    this.#hosts.set(name, host);
    this.#enter(host);
  }

  #treeOf(link: WaitingLink): RedBlackTree<WaitingLink> {
    const links = new RedBlackTree(this.#links.compare, this.#linkNodes);
    links.insert(link);
    return links;
  }

  #placeOf({ name, isNamed, best }: Pick<Host, 'name' | 'isNamed' | 'best'>): Place {
    if (this.#links.isAside(best)) return 'aside';
    if (this.#clocks.isBad(name)) return 'bad';
    if (isNamed) return 'ready';
    return this.#asked.has(name) ? 'asked' : 'unnamed';
  }

  /** A host without links. */
  #removeHost(host: Host): void {
    if (host.place !== 'bad' && host.place !== 'aside') this.#leave(host);
    this.#hosts.delete(host.name);
    part(host);
    if (host.domain.first === undefined) this.#domains.delete(host.domain.name);
  }

  #domain(name: string): Domain {
    let domain = this.#domains.get(name);
    if (domain === undefined) {
      domain = {
        name,
        first: undefined,
        last: undefined,
        ready: undefined,
        best: undefined,
        isFull: false,
      };
      this.#domains.set(name, domain);
    }
    return domain;
  }

  #rekey(host: Host, best: WaitingLink): void {
    if (best === host.best) return;
    if (isKeyed(host)) this.#leave(host);
    host.best = best;
    if (isKeyed(host)) this.#enter(host);
  }

  #move(host: Host, place: Place): void {
    if (host.place === place) return;
    this.#leave(host);
    host.place = place;
    this.#enter(host);
  }

  #leave(host: Host): void {
    if (host.place === 'unnamed') this.#unnamed.delete(host);
    else if (host.place === 'resting') this.#resting.delete(host);
    else if (host.place === 'bad' || host.place === 'aside') this.#countIdle(host, -linkCount(host));
    else if (host.place === 'ready') {
      this.#ready--;
      deleteReady(host);
      this.#rekeyDomain(host.domain);
    }
  }

  #enter(host: Host): void {
    if (host.place === 'unnamed') this.#unnamed.insert(host);
    else if (host.place === 'resting') this.#resting.insert(host);
    else if (host.place === 'bad' || host.place === 'aside') this.#countIdle(host, linkCount(host));
    else if (host.place === 'ready') {
      this.#ready++;
      addReady(host, this.#byBestLink, this.#hostNodes);
      this.#rekeyDomain(host.domain);
    }
  }

  #countIdle({ place }: Host, links: number): void {
    if (place === 'bad') this.#lost += links;
    if (place === 'aside') this.#aside += links;
  }

  #rekeyDomain(domain: Domain): void {
    const best = firstReady(domain)?.best;
    if (best === domain.best) return;
    if (domain.best !== undefined && !domain.isFull) this.#open.delete(domain);
    domain.best = best;
    if (best !== undefined && !domain.isFull) this.#open.insert(domain);
  }

  #setFull(domain: Domain, isFull: boolean): void {
    if (domain.isFull === isFull) return;
    if (isFull && domain.best !== undefined) this.#open.delete(domain);
    domain.isFull = isFull;
    if (!isFull && domain.best !== undefined) this.#open.insert(domain);
  }
}
