import { assertNever } from '../core/index.ts';
import { RedBlackTree, TreeNodes } from '../kit/index.ts';
import type { HostClocks } from './host-clocks.ts';
import type { HostNames } from './host-names.ts';
import { DomainRows, HostRows, NONE, type Place, type Row } from './host-rows.ts';
import type { LinkTable, WaitingLink } from './link-table.ts';
import { ReadyHosts } from './ready-hosts.ts';
import type { WaitingLinks } from './topic-queues.ts';

/** Callbacks the schedule uses. */
export interface SchedulePorts {
  /** Requests the address of a host ahead of time; `resolved` receives the answer. */
  readonly resolve: (host: string) => void;
  /** Returns true if the host needs no lookup. Default: always false. */
  readonly isResolved?: (host: string) => boolean;
  /**
   * Returns false if pages of the site (a registered domain) may not be fetched now; call `reopened` after a change.
   * Default: true.
   */
  readonly hasRoom?: (site: string) => boolean;
}

/** If fewer hosts are ready, names beyond the promising links are requested too. */
const ENOUGH_READY = 32;
/** Crowded hosts are rechecked in groups of this size, each later than the one before, up to a maximum delay. */
const CROWD = 64;
const BEHIND_MS = 50;
const MAX_GROUPS_BEHIND = 40;

/**
 * Finds the best waiting link of one topic whose host is willing, without visiting links of unwilling hosts. Links
 * wait in one tree per host, ready hosts in one tree per domain, and domains with room in one tree:
 *
 *     domains ──best first──▶ hosts ──best first──▶ links
 *
 * An unwilling host leaves its domain's tree with all its links. It returns at its time or when one of its requests
 * ends. So a lookup costs O(log n), however many links cannot be taken.
 */
export class HostSchedule {
  readonly #clocks: HostClocks;
  readonly #ports: SchedulePorts;
  readonly #links: LinkTable;
  readonly #names: HostNames;
  readonly #hosts = new HostRows();
  readonly #domains = new DomainRows();
  readonly #linkNodes: TreeNodes<WaitingLink>;
  readonly #hostNodes: TreeNodes<Row> = TreeNodes.ofNumbers();
  /** Links by host. Omits hosts that never had more than one link, which is most of them. */
  readonly #trees = new Map<Row, RedBlackTree<WaitingLink>>();
  readonly #ready: ReadyHosts;
  readonly #unnamed: RedBlackTree<Row>;
  readonly #resting: RedBlackTree<Row>;
  readonly #asked = new Set<string>();
  /**
   * Hosts set aside since the last link was found, because other hosts of their domain or address have active
   * requests.
   */
  #crowded = 0;
  #lost = 0;
  #aside = 0;

  constructor(clocks: HostClocks, ports: SchedulePorts, { table, nodes }: WaitingLinks) {
    this.#clocks = clocks;
    this.#ports = ports;
    this.#links = table;
    this.#names = table.names;
    this.#linkNodes = nodes;
    const byBestLink = (a: Row, b: Row): number => table.compare(this.#hosts.best[a]!, this.#hosts.best[b]!);
    this.#ready = new ReadyHosts({ hosts: this.#hosts, domains: this.#domains }, table.compare, this.#hostNodes);
    this.#unnamed = new RedBlackTree(byBestLink, this.#hostNodes);
    const byTime = (a: Row, b: Row): number => this.#hosts.restsUntil[a]! - this.#hosts.restsUntil[b]! || a - b;
    this.#resting = new RedBlackTree(byTime, this.#hostNodes);
  }

  /** Number of links of bad hosts, which will not be taken. */
  get lost(): number {
    return this.#lost;
  }

  /** Number of links the user's rules set aside. */
  get aside(): number {
    return this.#aside;
  }

  /** Returns hosts with waiting links and the number of links of each. */
  *hosts(): Generator<{ readonly host: string; readonly links: number }> {
    for (const host of this.#hosts.rows()) yield { host: this.#nameOf(host), links: this.#linkCount(host) };
  }

  add(link: WaitingLink): void {
    const host = this.#hosts.find(this.#links.hostNumberOf(link));
    if (host === undefined) {
      this.#addHost(link);
      return;
    }
    const links = this.#trees.get(host) ?? this.#newTree(host);
    links.insert(link);
    this.#countIdle(host, 1);
    this.#rekey(host, links.first!);
  }

  remove(link: WaitingLink): void {
    const host = this.#hosts.find(this.#links.hostNumberOf(link))!;
    const links = this.#trees.get(host);
    links?.delete(link);
    this.#countIdle(host, -1);
    const best = links?.first;
    if (best === undefined) this.#removeHost(host);
    else this.#rekey(host, best);
  }

  /** Runs `change`, which changes the priority of a waiting link. */
  change(link: WaitingLink, change: () => void): void {
    const host = this.#hosts.find(this.#links.hostNumberOf(link))!;
    const links = this.#trees.get(host);
    // If this link is the host's key in other trees, it must not change while the host is in them.
    const isKey = this.#hosts.best[host] === link && this.#isKeyed(host);
    if (isKey) this.#leave(host);
    links?.delete(link);
    change();
    links?.insert(link);
    const best = links?.first ?? link;
    if (!isKey) {
      this.#rekey(host, best);
      return;
    }
    this.#hosts.best[host] = best;
    this.#enter(host);
  }

  /** Returns the best link that may be taken now. */
  best(now: number): WaitingLink | undefined {
    const { best, restsUntil } = this.#hosts;
    for (let host = this.#resting.first; host !== undefined && restsUntil[host]! <= now; host = this.#resting.first)
      this.#move(host, 'ready');
    for (let host = this.#ready.first; host !== undefined; host = this.#ready.first) {
      if (!this.#isWilling(host, now)) continue;
      this.#crowded = 0;
      return best[host]!;
    }
    return undefined;
  }

  /** Returns the earliest time at which `best` may find a link if no request begins or ends and no name lookup ends. */
  nextWillingAt(now: number): number | undefined {
    if (this.best(now) !== undefined) return now;
    const first = this.#resting.first;
    return first === undefined ? undefined : this.#hosts.restsUntil[first]!;
  }

  /**
   * Yields links that the pauses between requests permit to be taken until a time, if other limits do, too. Looks at a
   * limited number of hosts.
   */
  *soon(now: number, until: number, limit: number): Generator<WaitingLink> {
    let hosts = 0;
    for (const host of this.#ready) {
      if (hosts++ === limit) break;
      let links = Math.min(limit, this.#clocks.mostWithin(this.#nameOf(host), until - now));
      for (const link of this.#linksOf(host)) {
        if (links-- === 0) break;
        yield link;
      }
    }
    // Names are looked up only when links are taken.
    for (const host of this.#unnamed) {
      if (hosts++ >= limit) break;
      yield this.#hosts.best[host]!;
    }
    for (const host of this.#resting) {
      if (hosts++ >= limit || this.#hosts.restsUntil[host]! > until) break;
      yield this.#hosts.best[host]!;
    }
  }

  /**
   * Requests the names of the best links' hosts while `isPromising` returns true or few hosts are ready. At most
   * `limit` lookups are pending at a time. An answer may arrive synchronously.
   */
  askForNames(isPromising: (link: WaitingLink) => boolean, limit: number): void {
    for (let host = this.#unnamed.first; host !== undefined; host = this.#unnamed.first) {
      if (this.#asked.size >= limit) break;
      if (this.#ready.size >= ENOUGH_READY && !isPromising(this.#hosts.best[host]!)) break;
      const name = this.#nameOf(host);
      this.#move(host, 'asked');
      this.#asked.add(name);
      this.#ports.resolve(name);
    }
  }

  /** Handles the answer to a name lookup, also one requested elsewhere. */
  resolved(name: string): void {
    this.#asked.delete(name);
    const host = this.#find(name);
    if (host === undefined) return;
    this.#hosts.isNamed[host] = 1;
    const place = this.#hosts.placeOf(host);
    if (place === 'asked' || place === 'unnamed') this.#move(host, 'ready');
  }

  /** Returns the links of a host, best first. */
  linksOf(name: string): readonly WaitingLink[] {
    const host = this.#find(name);
    return host === undefined ? [] : [...this.#linksOf(host)];
  }

  /** Returns the links of a site's hosts, in no particular order. */
  linksOfSite(site: string): readonly WaitingLink[] {
    const domain = this.#findDomain(site);
    const links: WaitingLink[] = [];
    let host = domain === undefined ? NONE : this.#domains.first[domain]!;
    for (; host !== NONE; host = this.#hosts.next[host]!) links.push(...this.#linksOf(host));
    return links;
  }

  /** Rechecks a host after a request ended or a limit changed. Whether it is really willing is decided at its turn. */
  reconsider(hostName: string, domainName: string): void {
    const domain = this.#findDomain(domainName);
    if (domain === undefined) return;
    this.#ready.setFull(domain, false);
    const host = this.#find(hostName);
    if (host !== undefined) this.#move(host, this.#placeOf(host, hostName));
  }

  /** Rechecks every host, or the selected ones. */
  reconsiderAll(isConcerned: (host: string) => boolean = () => true): void {
    for (const host of this.#hosts.rows()) {
      const name = this.#nameOf(host);
      if (!isConcerned(name)) continue;
      this.#ready.setFull(this.#hosts.domain[host]!, false);
      this.#move(host, this.#placeOf(host, name));
    }
  }

  /** Rechecks a site that may have room again. */
  reopened(site: string): void {
    const domain = this.#findDomain(site);
    if (domain !== undefined) this.#ready.setFull(domain, false);
  }

  #find(name: string): Row | undefined {
    const number = this.#names.hosts.find(name);
    return number === undefined ? undefined : this.#hosts.find(number);
  }

  #findDomain(name: string): Row | undefined {
    const number = this.#names.domains.find(name);
    return number === undefined ? undefined : this.#domains.find(number);
  }

  #nameOf(host: Row): string {
    return this.#names.hosts.name(this.#hosts.numberOf(host));
  }

  /** Returns the links waiting for a host, best first. */
  #linksOf(host: Row): Iterable<WaitingLink> {
    return this.#trees.get(host) ?? [this.#hosts.best[host]!];
  }

  #linkCount(host: Row): number {
    return this.#trees.get(host)?.size ?? 1;
  }

  /** Returns false if the host, or its whole domain, was set aside until it can be willing again. */
  #isWilling(host: Row, now: number): boolean {
    const domain = this.#hosts.domain[host]!;
    if (this.#ports.hasRoom?.(this.#names.domains.name(this.#domains.numberOf(domain))) === false) {
      this.#ready.setFull(domain, true);
      return false;
    }
    const standing = this.#clocks.standing(this.#nameOf(host), now);
    switch (standing.kind) {
      case 'willing':
        return true;
      case 'resting':
        this.#hosts.restsUntil[host] = standing.until + (standing.isCrowded === true ? this.#behindOthersMs() : 0);
        this.#move(host, 'resting');
        return false;
      case 'host-full':
        this.#move(host, 'full');
        return false;
      case 'bad':
        this.#move(host, 'bad');
        return false;
      case 'domain-full':
        this.#ready.setFull(domain, true);
        return false;
      default:
        return assertNever(standing);
    }
  }

  /**
   * Returns the recheck delay of a crowded host. If many hosts share an address, only the best ones are rechecked as
   * soon as one may be requested.
   */
  #behindOthersMs(): number {
    const group = Math.floor(this.#crowded / CROWD);
    this.#crowded += 1;
    return Math.min(MAX_GROUPS_BEHIND, group) * BEHIND_MS;
  }

  #addHost(link: WaitingLink): void {
    const number = this.#links.hostNumberOf(link);
    const name = this.#names.hosts.name(number);
    const host = this.#hosts.add(number, link, this.#domain(this.#names.domainOf(number)));
    this.#hosts.isNamed[host] = this.#ports.isResolved?.(name) === true ? 1 : 0;
    this.#hosts.setPlace(host, this.#placeOf(host, name));
    this.#domains.join(host, this.#hosts);
    this.#enter(host);
  }

  /** Creates the tree for a host that gets its second link. */
  #newTree(host: Row): RedBlackTree<WaitingLink> {
    const links = new RedBlackTree(this.#links.compare, this.#linkNodes);
    links.insert(this.#hosts.best[host]!);
    this.#trees.set(host, links);
    return links;
  }

  #placeOf(host: Row, name: string): Place {
    if (this.#links.isAside(this.#hosts.best[host]!)) return 'aside';
    if (this.#clocks.isBad(name)) return 'bad';
    if (this.#hosts.isNamed[host] === 1) return 'ready';
    return this.#asked.has(name) ? 'asked' : 'unnamed';
  }

  /** Removes a host without links. */
  #removeHost(host: Row): void {
    const place = this.#hosts.placeOf(host);
    if (place !== 'bad' && place !== 'aside') this.#leave(host);
    const domain = this.#hosts.domain[host]!;
    this.#domains.part(host, this.#hosts);
    this.#hosts.remove(host);
    this.#trees.delete(host);
    if (this.#domains.first[domain] !== NONE) return;
    this.#domains.remove(domain);
    this.#ready.forget(domain);
  }

  #domain(number: number): Row {
    return this.#domains.find(number) ?? this.#domains.add(number);
  }

  #rekey(host: Row, best: WaitingLink): void {
    if (best === this.#hosts.best[host]) return;
    const isKeyed = this.#isKeyed(host);
    if (isKeyed) this.#leave(host);
    this.#hosts.best[host] = best;
    if (isKeyed) this.#enter(host);
  }

  /** Returns true if the host is in a tree keyed by its best link. */
  #isKeyed(host: Row): boolean {
    const place = this.#hosts.placeOf(host);
    return place === 'unnamed' || place === 'ready';
  }

  #move(host: Row, place: Place): void {
    if (this.#hosts.placeOf(host) === place) return;
    this.#leave(host);
    this.#hosts.setPlace(host, place);
    this.#enter(host);
  }

  #leave(host: Row): void {
    const place = this.#hosts.placeOf(host);
    if (place === 'unnamed') this.#unnamed.delete(host);
    else if (place === 'resting') this.#resting.delete(host);
    else if (place === 'bad' || place === 'aside') this.#countIdle(host, -this.#linkCount(host));
    else if (place === 'ready') this.#ready.delete(host);
  }

  #enter(host: Row): void {
    const place = this.#hosts.placeOf(host);
    if (place === 'unnamed') this.#unnamed.insert(host);
    else if (place === 'resting') this.#resting.insert(host);
    else if (place === 'bad' || place === 'aside') this.#countIdle(host, this.#linkCount(host));
    else if (place === 'ready') this.#ready.add(host);
  }

  #countIdle(host: Row, links: number): void {
    const place = this.#hosts.placeOf(host);
    if (place === 'bad') this.#lost += links;
    if (place === 'aside') this.#aside += links;
  }
}
