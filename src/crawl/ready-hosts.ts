import { RedBlackTree, TreeNodes } from '../kit/index.ts';
import { type DomainRows, type HostRows, NONE, type Row } from './host-rows.ts';

/** Hosts that take a request as far as known, by domain; domains with room are ordered by their best link. */
export class ReadyHosts {
  readonly #hosts: HostRows;
  readonly #domains: DomainRows;
  readonly #byBestLink: (a: Row, b: Row) => number;
  readonly #hostNodes: TreeNodes<Row>;
  /** Omits domains that never had more than one. */
  readonly #trees = new Map<Row, RedBlackTree<Row>>();
  /** Domains with room and a ready host, keyed by the host's best link. */
  readonly #open: RedBlackTree<Row>;
  #size = 0;

  /**
   * @param compare - orders links, best first
   * @param hostNodes - shared with other trees of hosts
   */
  constructor(
    { hosts, domains }: { readonly hosts: HostRows; readonly domains: DomainRows },
    compare: (a: number, b: number) => number,
    hostNodes: TreeNodes<Row>,
  ) {
    this.#hosts = hosts;
    this.#domains = domains;
    this.#hostNodes = hostNodes;
    this.#byBestLink = (a, b) => compare(hosts.best[a]!, hosts.best[b]!);
    this.#open = new RedBlackTree((a, b) => compare(domains.best[a]!, domains.best[b]!), TreeNodes.ofNumbers());
  }

  /** Number of ready hosts, in full domains too. */
  get size(): number {
    return this.#size;
  }

  /** The ready host with the best link, of the domains with room. */
  get first(): Row | undefined {
    const domain = this.#open.first;
    return domain === undefined ? undefined : this.#firstOf(domain); // An open domain has a ready host.
  }

  /** Yields the ready hosts of domains with room; domains, and hosts of a domain, in order of their best link. */
  *[Symbol.iterator](): Generator<Row> {
    for (const domain of this.#open) {
      const hosts = this.#trees.get(domain);
      if (hosts === undefined) yield this.#domains.ready[domain]!;
      else yield* hosts;
    }
  }

  add(host: Row): void {
    this.#size++;
    const domain = this.#hosts.domain[host]!;
    const only = this.#domains.ready[domain]!;
    const tree = this.#trees.get(domain);
    if (tree !== undefined) tree.insert(host);
    else if (only === NONE) this.#domains.ready[domain] = host;
    else {
      const hosts = new RedBlackTree(this.#byBestLink, this.#hostNodes);
      hosts.insert(only);
      hosts.insert(host);
      this.#trees.set(domain, hosts);
    }
    this.#rekey(domain);
  }

  delete(host: Row): void {
    this.#size--;
    const domain = this.#hosts.domain[host]!;
    const tree = this.#trees.get(domain);
    if (tree === undefined) this.#domains.ready[domain] = NONE;
    else tree.delete(host);
    this.#rekey(domain);
  }

  /** Sets whether the domain has no room for another request or page. */
  setFull(domain: Row, isFull: boolean): void {
    const { best } = this.#domains;
    if ((this.#domains.isFull[domain] === 1) === isFull) return;
    if (isFull && best[domain] !== NONE) this.#open.delete(domain);
    this.#domains.isFull[domain] = isFull ? 1 : 0;
    if (!isFull && best[domain] !== NONE) this.#open.insert(domain);
  }

  /** Forgets a domain without hosts. */
  forget(domain: Row): void {
    this.#trees.delete(domain);
  }

  /** Returns the domain's ready host with the best link, or {@link NONE}. */
  #firstOf(domain: Row): Row {
    const ready = this.#trees.get(domain);
    return ready === undefined ? this.#domains.ready[domain]! : (ready.first ?? NONE);
  }

  #rekey(domain: Row): void {
    const { best, isFull } = this.#domains;
    const first = this.#firstOf(domain);
    const link = first === NONE ? NONE : this.#hosts.best[first]!;
    if (link === best[domain]) return;
    if (best[domain] !== NONE && isFull[domain] === 0) this.#open.delete(domain);
    best[domain] = link;
    if (link !== NONE && isFull[domain] === 0) this.#open.insert(domain);
  }
}
