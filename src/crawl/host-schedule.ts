import { assertNever } from '../core/index.ts';
import { RedBlackTree, TreeNodes } from '../kit/index.ts';
import type { HostClocks } from './host-clocks.ts';
import type { HostNames } from './host-names.ts';
import { DomainRows, HostRows, NONE, type Place, type Row } from './host-rows.ts';
import type { LinkTable, WaitingLink } from './link-table.ts';
import type { WaitingLinks } from './topic-queues.ts';

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
/** Crowded hosts that are looked at again together, how long later the next ones are, and how many times later at the most. */
const CROWD = 64;
const BEHIND_MS = 50;
const MAX_GROUPS_BEHIND = 40;

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
  readonly #links: LinkTable;
  readonly #names: HostNames;
  readonly #hosts = new HostRows();
  readonly #domains = new DomainRows();
  readonly #linkNodes: TreeNodes<WaitingLink>;
  readonly #hostNodes: TreeNodes<Row> = TreeNodes.ofNumbers();
  /** Links by host, but where there never was more than the best one: where there are many hosts, most have one. */
  readonly #trees = new Map<Row, RedBlackTree<WaitingLink>>();
  /** Ready hosts by domain, where there ever was more than one. */
  readonly #readyTrees = new Map<Row, RedBlackTree<Row>>();
  readonly #byBestLink = (a: Row, b: Row): number => {
    const { best } = this.#hosts;
    return this.#links.compare(best[a]!, best[b]!);
  };
  readonly #open: RedBlackTree<Row>;
  readonly #unnamed = new RedBlackTree(this.#byBestLink, this.#hostNodes);
  readonly #resting: RedBlackTree<Row>;
  readonly #asked = new Set<string>();
  #ready = 0;
  /** Hosts put aside since the last link was found because others of their domain or address were asked. */
  #crowded = 0;
  #lost = 0;
  #aside = 0;

  constructor(clocks: HostClocks, ports: SchedulePorts, { table, nodes }: WaitingLinks) {
    this.#clocks = clocks;
    this.#ports = ports;
    this.#links = table;
    this.#names = table.names;
    this.#linkNodes = nodes;
    const byBest = (a: Row, b: Row): number => table.compare(this.#domains.best[a]!, this.#domains.best[b]!);
    this.#open = new RedBlackTree(byBest, TreeNodes.ofNumbers());
    const byTime = (a: Row, b: Row): number => this.#hosts.restsUntil[a]! - this.#hosts.restsUntil[b]! || a - b;
    this.#resting = new RedBlackTree(byTime, this.#hostNodes);
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

  /** Lets `change` give a waiting link another priority. */
  change(link: WaitingLink, change: () => void): void {
    const host = this.#hosts.find(this.#links.hostNumberOf(link))!;
    const links = this.#trees.get(host);
    // Where the host stands in other trees by this link, it must not change under them.
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

  /** The best link that may be taken now. */
  best(now: number): WaitingLink | undefined {
    const { best, restsUntil } = this.#hosts;
    for (let host = this.#resting.first; host !== undefined && restsUntil[host]! <= now; host = this.#resting.first)
      this.#move(host, 'ready');
    for (let domain = this.#open.first; domain !== undefined; domain = this.#open.first) {
      const host = this.#firstReady(domain); // Domains without ready hosts are not among the open ones.
      if (!this.#isWilling(host, now)) continue;
      this.#crowded = 0;
      return best[host]!;
    }
    return undefined;
  }

  /** Earliest time at which `best` may find something when no request begins or ends and no name comes in. */
  nextWillingAt(now: number): number | undefined {
    if (this.best(now) !== undefined) return now;
    const first = this.#resting.first;
    return first === undefined ? undefined : this.#hosts.restsUntil[first]!;
  }

  /**
   * Asks for the names of the best links' hosts, while `isPromising` says so or few hosts are ready, and never for more
   * than `limit` at one time. An answer may come at once.
   */
  askForNames(isPromising: (link: WaitingLink) => boolean, limit: number): void {
    for (let host = this.#unnamed.first; host !== undefined; host = this.#unnamed.first) {
      if (this.#asked.size >= limit) break;
      if (this.#ready >= ENOUGH_READY && !isPromising(this.#hosts.best[host]!)) break;
      const name = this.#nameOf(host);
      this.#move(host, 'asked');
      this.#asked.add(name);
      this.#ports.resolve(name);
    }
  }

  /** The answer for a name that was asked for, here or elsewhere. */
  resolved(name: string): void {
    this.#asked.delete(name);
    const host = this.#find(name);
    if (host === undefined) return;
    this.#hosts.isNamed[host] = 1;
    const place = this.#hosts.placeOf(host);
    if (place === 'asked' || place === 'unnamed') this.#move(host, 'ready');
  }

  /** Links of a host, best first. */
  linksOf(name: string): readonly WaitingLink[] {
    const host = this.#find(name);
    return host === undefined ? [] : [...this.#linksOf(host)];
  }

  /** Links of a site's hosts, in no order. */
  linksOfSite(site: string): readonly WaitingLink[] {
    const domain = this.#findDomain(site);
    const links: WaitingLink[] = [];
    let host = domain === undefined ? NONE : this.#domains.first[domain]!;
    for (; host !== NONE; host = this.#hosts.next[host]!) links.push(...this.#linksOf(host));
    return links;
  }

  /** A request ended, or a limit changed. Whether the host is really willing shows when its turn comes. */
  reconsider(hostName: string, domainName: string): void {
    const domain = this.#findDomain(domainName);
    if (domain === undefined) return;
    this.#setFull(domain, false);
    const host = this.#find(hostName);
    if (host !== undefined) this.#move(host, this.#placeOf(host, hostName));
  }

  /** The same for every host, or some of them. */
  reconsiderAll(isConcerned: (host: string) => boolean = () => true): void {
    for (const host of this.#hosts.rows()) {
      const name = this.#nameOf(host);
      if (!isConcerned(name)) continue;
      this.#setFull(this.#hosts.domain[host]!, false);
      this.#move(host, this.#placeOf(host, name));
    }
  }

  /** The site may have room again. */
  reopened(site: string): void {
    const domain = this.#findDomain(site);
    if (domain !== undefined) this.#setFull(domain, false);
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

  /** Links that wait for a host, best first. */
  #linksOf(host: Row): Iterable<WaitingLink> {
    return this.#trees.get(host) ?? [this.#hosts.best[host]!];
  }

  #linkCount(host: Row): number {
    return this.#trees.get(host)?.size ?? 1;
  }

  /** False: the host, or its whole domain, was put aside until it can be willing again. */
  #isWilling(host: Row, now: number): boolean {
    const domain = this.#hosts.domain[host]!;
    if (this.#ports.hasRoom?.(this.#names.domains.name(this.#domains.numberOf(domain))) === false) {
      this.#setFull(domain, true);
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
        this.#setFull(domain, true);
        return false;
      default:
        return assertNever(standing);
    }
  }

  /** Of very many hosts that share an address only the best ones are looked at again as soon as one of them may be asked. */
  #behindOthersMs(): number {
    return Math.min(MAX_GROUPS_BEHIND, Math.floor(this.#crowded++ / CROWD)) * BEHIND_MS;
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

  /** For a host with a second link. */
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

  /** A host without links. */
  #removeHost(host: Row): void {
    const place = this.#hosts.placeOf(host);
    if (place !== 'bad' && place !== 'aside') this.#leave(host);
    const domain = this.#hosts.domain[host]!;
    this.#domains.part(host, this.#hosts);
    this.#hosts.remove(host);
    this.#trees.delete(host);
    if (this.#domains.first[domain] !== NONE) return;
    this.#domains.remove(domain);
    this.#readyTrees.delete(domain);
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

  /** True where the host stands in a tree by its best link. */
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
    else if (place === 'ready') {
      this.#ready--;
      this.#deleteReady(host);
      this.#rekeyDomain(this.#hosts.domain[host]!);
    }
  }

  #enter(host: Row): void {
    const place = this.#hosts.placeOf(host);
    if (place === 'unnamed') this.#unnamed.insert(host);
    else if (place === 'resting') this.#resting.insert(host);
    else if (place === 'bad' || place === 'aside') this.#countIdle(host, this.#linkCount(host));
    else if (place === 'ready') {
      this.#ready++;
      this.#addReady(host);
      this.#rekeyDomain(this.#hosts.domain[host]!);
    }
  }

  #countIdle(host: Row, links: number): void {
    const place = this.#hosts.placeOf(host);
    if (place === 'bad') this.#lost += links;
    if (place === 'aside') this.#aside += links;
  }

  /** Its ready host with the best link, or {@link NONE}. */
  #firstReady(domain: Row): Row {
    const ready = this.#readyTrees.get(domain);
    return ready === undefined ? this.#domains.ready[domain]! : (ready.first ?? NONE);
  }

  #addReady(host: Row): void {
    const domain = this.#hosts.domain[host]!;
    const only = this.#domains.ready[domain]!;
    const tree = this.#readyTrees.get(domain);
    if (tree !== undefined) tree.insert(host);
    else if (only === NONE) this.#domains.ready[domain] = host;
    else {
      const hosts = new RedBlackTree(this.#byBestLink, this.#hostNodes);
      hosts.insert(only);
      hosts.insert(host);
      this.#readyTrees.set(domain, hosts);
    }
  }

  #deleteReady(host: Row): void {
    const domain = this.#hosts.domain[host]!;
    const tree = this.#readyTrees.get(domain);
    if (tree === undefined) this.#domains.ready[domain] = NONE;
    else tree.delete(host);
  }

  #rekeyDomain(domain: Row): void {
    const { best, isFull } = this.#domains;
    const first = this.#firstReady(domain);
    const link = first === NONE ? NONE : this.#hosts.best[first]!;
    if (link === best[domain]) return;
    if (best[domain] !== NONE && isFull[domain] === 0) this.#open.delete(domain);
    best[domain] = link;
    if (link !== NONE && isFull[domain] === 0) this.#open.insert(domain);
  }

  #setFull(domain: Row, isFull: boolean): void {
    const { best } = this.#domains;
    if ((this.#domains.isFull[domain] === 1) === isFull) return;
    if (isFull && best[domain] !== NONE) this.#open.delete(domain);
    this.#domains.isFull[domain] = isFull ? 1 : 0;
    if (!isFull && best[domain] !== NONE) this.#open.insert(domain);
  }
}
