import { BingoError, type CanonicalUrl, type TopicId } from '../core/index.ts';
import { type Fields, TreeNodes } from '../kit/index.ts';
import type { HostClocks } from './host-clocks.ts';
import { HostSchedule, type SchedulePorts } from './host-schedule.ts';
import { type BandCounts, type Bands, LinkTable, type WaitingLink } from './link-table.ts';
import type { FrontierEntry } from './ordering.ts';
import { type QueueLimits, TopicQueues } from './topic-queues.ts';
import { TopicShares } from './topic-shares.ts';
import type { UrlKey } from './url-key.ts';

export interface FrontierLimits extends QueueLimits {
  /** See {@link TopicShares}. In [0,1]. Default: 0, the best link goes first whatever its topic. */
  readonly fairShare?: number;
}

export interface FrontierPorts extends SchedulePorts {
  readonly hosts: HostClocks;
  /** A person's rules on the order of links. Default: none. */
  readonly bands?: Bands | undefined;
  /** False: links of the topic may not be taken now. Default: they may. */
  readonly isOpen?: (topic: TopicId) => boolean;
  /** Told of every entry that leaves without being taken, offers that find no room included. */
  readonly onGone: (url: CanonicalUrl) => void;
}

/**
 * What became of an offer: `added`; `raised`, a waiting entry got the better priority and the other fields of the offer;
 * `kept`, the waiting entry is at least as good; `dropped`, the topic's queues are full of better ones.
 */
export type OfferResult = 'added' | 'raised' | 'kept' | 'dropped';

/** Names asked for at one time at the most: a page with a thousand links must not flood the name server. */
const MAX_ASKED = 64;

/** What waits for one topic: which links, and which of them may be taken. */
interface Topic {
  readonly id: TopicId;
  readonly queues: TopicQueues;
  readonly schedule: HostSchedule;
}

/**
 * The URLs that wait to be fetched (BINGO! §4.2), each once, in the queues of one topic. Which entries wait,
 * in which queue, and which topics are due, follows from the calls alone; the clock, hosts and names only decide which
 * one `take` gives. So a journal repeats a frontier: the same offers, and `takeExact` for each `take`.
 */
export class Frontier {
  readonly #limits: FrontierLimits;
  readonly #ports: FrontierPorts;
  readonly #links: LinkTable;
  /** Of the trees that links stand in by topic, and by host. */
  readonly #nodes: TreeNodes<WaitingLink> = TreeNodes.ofNumbers();
  readonly #hostNodes: TreeNodes<WaitingLink> = TreeNodes.ofNumbers();
  readonly #topics = new Map<TopicId, Topic>();
  readonly #shares: TopicShares;
  /** Names that an answer is awaited for. */
  readonly #asked = new Set<string>();
  #isAsking = false;
  #nextOrder = 0;

  constructor(limits: FrontierLimits, ports: FrontierPorts) {
    this.#limits = limits;
    this.#ports = ports;
    this.#links = new LinkTable(ports.bands);
    this.#shares = new TopicShares(limits.fairShare ?? 0);
    this.takeOver();
  }

  /** It is the frontier in use, perhaps again: hears of hosts from now on, and looks anew at those that changed while another one did. */
  takeOver(): void {
    this.#ports.hosts.onChange((host, domain) => {
      for (const { schedule } of this.#topics.values()) schedule.reconsider(host, domain);
    });
    for (const { schedule } of this.#topics.values()) schedule.reconsiderAll();
  }

  get size(): number {
    return this.#links.size;
  }

  /**
   * Adds an entry, or raises the one that waits for the same URL.
   * @throws BingoError when the priority is not finite
   */
  offer(entry: FrontierEntry): OfferResult {
    requireFinite(entry.url, entry.priority);
    const known = this.#links.find(entry.url);
    if (known !== undefined) return this.#raise(known, entry);
    if (!this.#makeRoom(entry, this.#nextOrder)) {
      this.#ports.onGone(entry.url);
      return 'dropped';
    }
    this.#insert(this.#links.add(entry, this.#nextOrder++));
    return 'added';
  }

  /** Gives a waiting entry another priority, better or worse. False when the URL does not wait. */
  reprioritize(url: CanonicalUrl, priority: number): boolean {
    requireFinite(url, priority);
    const known = this.#links.find(url);
    if (known === undefined) return false;
    if (this.#links.priorityOf(known) !== priority) this.#change(known, () => this.#links.setPriority(known, priority));
    return true;
  }

  /** The rules may say something else of links to these hosts than they did. Walks over everything that waits. */
  reband(isConcerned: (host: string) => boolean): void {
    for (const link of [...this.#links.links()])
      if (isConcerned(this.#links.hostOf(link))) this.#change(link, () => this.#links.setBand(link));
    for (const { schedule } of this.#topics.values()) schedule.reconsiderAll(isConcerned);
  }

  has(url: CanonicalUrl): boolean {
    return this.#links.find(url) !== undefined;
  }

  /** The URL that waits by this key. */
  urlOf(key: UrlKey): CanonicalUrl | undefined {
    const link = this.#links.findKey(key);
    return link === undefined ? undefined : this.#links.urlOf(link);
  }

  get(url: CanonicalUrl): FrontierEntry | undefined {
    const link = this.#links.find(url);
    return link === undefined ? undefined : this.#links.entryOf(link);
  }

  /**
   * Takes an entry whose host is willing and whose name is known, and acquires its host: the best one of the topic that is
   * most due, else the best one over all topics. So of the links of one topic nothing better could have been taken; of all
   * links, nothing better unless the topic taken from was due. What a person's rules put first is better than what they say nothing of, and
   * that better than what they put last; then priorities count. Of equal priorities the one offered first. `undefined`
   * means *not yet*; `isExhausted` is another question.
   */
  take(now: number): FrontierEntry | undefined {
    this.#askForNames();
    const link = this.#choose(now);
    if (link === undefined) return undefined;
    const entry = this.#taken(link);
    this.#ports.hosts.acquire(entry.host, now);
    return entry;
  }

  /** Takes this very entry, as `take` did when the journal was written; neither clocks nor names are asked. */
  takeExact(url: CanonicalUrl): FrontierEntry | undefined {
    const link = this.#links.find(url);
    return link === undefined ? undefined : this.#taken(link);
  }

  /** Removes an entry that is fetched in the place of another, which redirected to it. */
  moved(url: CanonicalUrl): void {
    const link = this.#links.find(url);
    if (link !== undefined) this.#drop([link]);
  }

  /**
   * The name that was asked for is known, or cannot be had now. Its entries may be taken in both cases: the fetch of a
   * nameless host fails, is recorded, and makes the host slow, then bad, as any other trouble does.
   */
  resolved(host: string): void {
    this.#asked.delete(host);
    for (const { schedule } of this.#topics.values()) schedule.resolved(host);
    this.#askForNames();
  }

  /** Removes all entries of the hosts that a person locked. Walks over everything that waits. Returns their number. */
  dropLocked(isLocked: (host: string) => boolean): number {
    const links = [...this.#links.links()].filter((link) => isLocked(this.#links.hostOf(link)));
    return this.#drop(links);
  }

  /** How many links wait for these hosts, those that are not to be taken now among them. Walks over all hosts. */
  waitingFor(isConcerned: (host: string) => boolean): number {
    let waiting = 0;
    for (const { schedule } of this.#topics.values())
      for (const { host, links } of schedule.hosts()) if (isConcerned(host)) waiting += links;
    return waiting;
  }

  /** Entries that wait for a host, in no particular order. */
  waitingOn(host: string): readonly FrontierEntry[] {
    return [...this.#topics.values()].flatMap(({ schedule }) =>
      schedule.linksOf(host).map((link) => this.#links.entryOf(link)),
    );
  }

  /** Entries that wait for a site, a registered domain, in an order that a journal repeats. */
  waitingOnSite(site: string): readonly FrontierEntry[] {
    const links = [...this.#topics.values()].flatMap(({ schedule }) => schedule.linksOfSite(site));
    return links.sort((a, b) => a - b).map((link) => this.#links.entryOf(link));
  }

  /** Removes entries whose addresses are of a kind that proved worthless. */
  dropTrapped(urls: Iterable<CanonicalUrl>): void {
    this.#drop([...urls].flatMap((url) => this.#links.find(url) ?? []));
  }

  /** Removes all entries of a site, a registered domain. Returns their number. */
  dropSite(site: string): number {
    const links = [...this.#topics.values()].flatMap(({ schedule }) => schedule.linksOfSite(site));
    return this.#drop(links);
  }

  /** Removes all entries of a topic. Returns their number. */
  dropTopic(topic: TopicId): number {
    return this.#drop([...(this.#topics.get(topic)?.queues.links() ?? [])]);
  }

  /** `hasRoom` may say something else of this site than it did. */
  reopened(site: string): void {
    for (const { schedule } of this.#topics.values()) schedule.reopened(site);
  }

  /** True when nothing waits that could ever be taken; entries of bad hosts, and what a person keeps aside, do not count. */
  isExhausted(): boolean {
    let lost = 0;
    for (const { schedule } of this.#topics.values()) lost += schedule.lost + schedule.aside;
    return this.#links.size === lost;
  }

  /**
   * Earliest time at which `take` may give something: `now` when it would; `undefined` when only the end of a request or
   * a name can help.
   */
  nextWillingAt(now: number): number | undefined {
    let earliest: number | undefined;
    for (const topic of this.#topics.values()) {
      const at = this.#isOpen(topic) ? topic.schedule.nextWillingAt(now) : undefined;
      if (at !== undefined && at < (earliest ?? Number.POSITIVE_INFINITY)) earliest = at;
    }
    return earliest;
  }

  /** Links by the place that a person's rules give them; `aside`: not to be taken. */
  places(): BandCounts & { readonly ordinary: number; readonly aside: number } {
    let aside = 0;
    for (const { schedule } of this.#topics.values()) aside += schedule.aside;
    const { first, last } = this.#links.banded;
    return { first, ordinary: this.#links.size - first - last - aside, last, aside };
  }

  /** Topics that the next take goes to, most due first; where none of them has a willing host it is free. */
  due(): readonly TopicId[] {
    return this.#shares.due();
  }

  /** Length of each topic's queues without what is kept aside, which is at their end; topics that never had an entry are absent. */
  sizes(): ReadonlyMap<TopicId, { readonly incoming: number; readonly outgoing: number }> {
    const sizes = [...this.#topics.values()].map(({ id, queues, schedule: { aside } }) => {
      const incoming = Math.max(0, queues.incoming - aside);
      return [id, { incoming, outgoing: queues.size - aside - incoming }] as const;
    });
    return new Map(sizes);
  }

  #choose(now: number): WaitingLink | undefined {
    for (const id of this.#shares.due()) {
      const topic = this.#topics.get(id)!;
      const link = this.#isOpen(topic) ? topic.schedule.best(now) : undefined;
      if (link !== undefined && this.#isPromising(link)) return link;
    }
    let best: WaitingLink | undefined;
    for (const topic of this.#topics.values()) {
      const link = this.#isOpen(topic) ? topic.schedule.best(now) : undefined;
      if (link !== undefined && (best === undefined || this.#links.compare(link, best) < 0)) best = link;
    }
    return best;
  }

  #isOpen({ id }: Topic): boolean {
    return this.#ports.isOpen?.(id) ?? true;
  }

  /** The entry of a link, which waits no more. */
  #taken(link: WaitingLink): FrontierEntry {
    this.#charge(link);
    const entry = this.#links.entryOf(link);
    this.#remove(link);
    return entry;
  }

  /** Before the link is removed: its topic waited, too. */
  #charge(link: WaitingLink): void {
    const topic = this.#links.topicOf(link);
    const waiting = new Set([topic]);
    for (const { id, queues } of this.#topics.values())
      if (queues.best !== undefined && this.#isPromising(queues.best)) waiting.add(id);
    this.#shares.took(topic, waiting);
  }

  /** Links below 0 are worse than links of off-topic pages: no topic has a right to have them followed, unless a person says so. */
  #isPromising(link: WaitingLink): boolean {
    if (this.#links.isAside(link)) return false;
    return this.#links.priorityOf(link) >= 0 || this.#links.isFirst(link);
  }

  #drop(links: readonly WaitingLink[]): number {
    for (const link of links.toSorted(this.#links.compare)) {
      const url = this.#links.urlOf(link);
      this.#remove(link);
      this.#ports.onGone(url);
    }
    return links.length;
  }

  #raise(known: WaitingLink, entry: FrontierEntry): OfferResult {
    const links = this.#links;
    if (entry.priority <= links.priorityOf(known)) return 'kept';
    const order = links.orderOf(known);
    // A link does not make the failures of the URL undone.
    const raised = { ...entry, tries: Math.max(entry.tries, links.triesOf(known)) };
    if (entry.topic === links.topicOf(known)) {
      this.#change(known, () => links.raise(known, raised));
      return 'raised';
    }
    if (!this.#makeRoom(entry, order)) return 'kept';
    this.#replace(known, links.add(raised, order));
    return 'raised';
  }

  /** Drops the worst of a full topic for a better one. False when there is none. */
  #makeRoom(entry: FrontierEntry, order: number): boolean {
    const { queues } = this.#topic(entry.topic);
    const { worst } = queues;
    if (!queues.isFull || worst === undefined) return true;
    if (this.#links.isBetter(worst, entry, order)) return false;
    this.#drop([worst]);
    return true;
  }

  #insert(link: WaitingLink): void {
    const { queues, schedule } = this.#topic(this.#links.topicOf(link));
    queues.add(link);
    schedule.add(link);
  }

  /** Changes a link in its place: it leaves the trees that it stands in by its priority, and comes back. */
  #change(link: WaitingLink, change: () => void): void {
    const { queues, schedule } = this.#topic(this.#links.topicOf(link));
    queues.remove(link);
    schedule.change(link, change);
    queues.add(link);
  }

  /** Another entry for the same URL, of another topic. It joins its host before the old one leaves, so that the host is not forgotten. */
  #replace(old: WaitingLink, link: WaitingLink): void {
    const [from, to] = [this.#topic(this.#links.topicOf(old)), this.#topic(this.#links.topicOf(link))];
    from.queues.remove(old);
    to.queues.add(link);
    to.schedule.add(link);
    from.schedule.remove(old);
    this.#links.free(old);
  }

  #remove(link: WaitingLink): void {
    const { queues, schedule } = this.#topic(this.#links.topicOf(link));
    queues.remove(link);
    schedule.remove(link);
    this.#links.free(link);
  }

  #topic(id: TopicId): Topic {
    let topic = this.#topics.get(id);
    if (topic === undefined) {
      const resolve = (host: string): void => this.#resolve(host);
      const table = this.#links;
      const byHost = { table, nodes: this.#hostNodes };
      const schedule = new HostSchedule(this.#ports.hosts, { ...this.#ports, resolve }, byHost);
      topic = { id, queues: new TopicQueues(this.#limits, { table, nodes: this.#nodes }), schedule };
      this.#topics.set(id, topic);
    }
    return topic;
  }

  /** Every topic may wait for its part of the names, so that none of them holds up the others. */
  #askForNames(): void {
    if (this.#isAsking) return; // An answer that came at once; the loop below goes on.
    this.#isAsking = true;
    const limit = Math.max(1, Math.floor(MAX_ASKED / this.#topics.size));
    for (const { queues, schedule } of this.#topics.values())
      schedule.askForNames((link) => queues.isPromising(link), limit);
    this.#isAsking = false;
  }

  /** Hosts that several topics lead to are asked for once. */
  #resolve(host: string): void {
    if (this.#asked.has(host)) return;
    this.#asked.add(host);
    this.#ports.resolve(host);
  }

  exchange(fields: Fields): void {
    this.#links.exchange(fields);
    this.#nodes.exchange(fields);
    const topics = fields.value([...this.#topics.keys()]);
    for (const id of topics) this.#topic(id).queues.exchange(fields);
    this.#shares.exchange(fields);
    this.#nextOrder = fields.value(this.#nextOrder);
    // Which links may be taken depends on the moment: it follows from those that wait.
    if (fields.isLoading)
      for (const { queues, schedule } of this.#topics.values()) for (const link of queues.links()) schedule.add(link);
  }
}

function requireFinite(url: string, priority: number): void {
  if (Number.isFinite(priority)) return;
  throw new BingoError({
    code: 'PRIORITY_INVALID',
    message: `Expected a finite priority for ${url}, got ${priority}.`,
    hint: 'Please report this with the name of the ordering: it is a mistake in the program, not in your settings.',
  });
}
