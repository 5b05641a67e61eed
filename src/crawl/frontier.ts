import { BingoError, type CanonicalUrl, type TopicId } from '../core/index.ts';
import { type Fields, TreeNodes } from '../kit/index.ts';
import type {
  FrontierLimits,
  FrontierPorts,
  LinkPlace,
  NextEntry,
  OfferResult,
  WaitingPlace,
} from './frontier-ports.ts';
import { HostSchedule } from './host-schedule.ts';
import { type BandCounts, LinkTable, type WaitingLink } from './link-table.ts';
import { NameLookups } from './name-lookups.ts';
import type { FrontierEntry } from './ordering.ts';
import { TopicQueues } from './topic-queues.ts';
import { TopicShares } from './topic-shares.ts';
import type { UrlKey } from './url-key.ts';

/** Waiting links of one topic, and which of them may be taken. */
interface Topic {
  readonly id: TopicId;
  readonly queues: TopicQueues;
  readonly schedule: HostSchedule;
}

/**
 * URLs waiting to be fetched (BINGO! §4.2). Each URL waits once, in the queues of one topic. The calls alone decide
 * which entries wait, in which queue, and which topics are due. The clock, hosts and names only decide which entry
 * `take` returns. So a journal can replay a frontier: it repeats the offers and calls `takeExact` for each `take`.
 */
export class Frontier {
  readonly #limits: FrontierLimits;
  readonly #ports: FrontierPorts;
  readonly #links: LinkTable;
  /** Nodes of the trees that hold links by topic and by host. */
  readonly #nodes: TreeNodes<WaitingLink> = TreeNodes.ofNumbers();
  readonly #hostNodes: TreeNodes<WaitingLink> = TreeNodes.ofNumbers();
  readonly #topics = new Map<TopicId, Topic>();
  readonly #shares: TopicShares;
  readonly #lookups: NameLookups;
  #nextOrder = 0;

  constructor(limits: FrontierLimits, ports: FrontierPorts) {
    this.#limits = limits;
    this.#ports = ports;
    this.#links = new LinkTable(ports.bands);
    this.#lookups = new NameLookups(ports.resolve);
    this.#shares = new TopicShares(limits.fairShare ?? 0);
    this.takeOver();
  }

  /**
   * Makes this the frontier in use, possibly again. Subscribes to host changes and rechecks the hosts that changed
   * meanwhile.
   */
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
   * Adds an entry, or raises the waiting entry of the same URL.
   * @throws BingoError if the priority is not finite
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

  /** Changes the priority of a waiting entry, up or down. Returns false if the URL is not waiting. */
  reprioritize(url: CanonicalUrl, priority: number): boolean {
    requireFinite(url, priority);
    const known = this.#links.find(url);
    if (known === undefined) return false;
    if (this.#links.priorityOf(known) !== priority) this.#change(known, () => this.#links.setPriority(known, priority));
    return true;
  }

  /** Reapplies the user's rules to links of these hosts. Walks over all waiting links. */
  reband(isConcerned: (host: string) => boolean): void {
    for (const link of [...this.#links.links()])
      if (isConcerned(this.#links.hostOf(link))) this.#change(link, () => this.#links.setBand(link));
    for (const { schedule } of this.#topics.values()) schedule.reconsiderAll(isConcerned);
  }

  has(url: CanonicalUrl): boolean {
    return this.#links.find(url) !== undefined;
  }

  /** Returns the waiting URL with this key. */
  urlOf(key: UrlKey): CanonicalUrl | undefined {
    const link = this.#links.findKey(key);
    return link === undefined ? undefined : this.#links.urlOf(link);
  }

  get(url: CanonicalUrl): FrontierEntry | undefined {
    const link = this.#links.find(url);
    return link === undefined ? undefined : this.#links.entryOf(link);
  }

  /** Returns the highest priority of all waiting links; −∞ if none waits. Walks over all links. */
  get highestPriority(): number {
    let highest = Number.NEGATIVE_INFINITY;
    for (const link of this.#links.links()) highest = Math.max(highest, this.#links.priorityOf(link));
    return highest;
  }

  /**
   * Returns the priorities of the best links that may be taken until a time, best first. The user's rules count before
   * priorities.
   */
  soon(now: number, until: number, limit: number): readonly number[] {
    const open = [...this.#topics.values()].filter((topic) => this.#isOpen(topic));
    const links = open.flatMap(({ schedule }) => [...schedule.soon(now, until, limit)]);
    return links
      .sort(this.#links.compare)
      .slice(0, limit)
      .map((link) => this.#links.rankOf(link));
  }

  /** Returns the place of a waiting URL in the queues of its topic. Walks over the links before it. */
  placeOf(url: CanonicalUrl): LinkPlace | undefined {
    const link = this.#links.find(url);
    if (link === undefined) return undefined;
    const { topic, priority, tries } = this.#links.entryOf(link);
    const queues = this.#topic(topic).queues;
    const before = queues.links().indexOf(link);
    const queue = before < queues.outgoing ? 'outgoing' : 'incoming';
    return { topic, queue, priority, tries, before, waiting: queues.size };
  }

  /** Yields all waiting entries with their places, topic by topic, best first. */
  *waiting(): Generator<WaitingPlace> {
    for (const { queues } of this.#topics.values())
      for (const [before, link] of queues.links().entries()) {
        const queue = before < queues.outgoing ? 'outgoing' : 'incoming';
        yield { entry: this.#links.entryOf(link), queue, before };
      }
  }

  /**
   * Returns the next entries in the order in which {@link take} returns them if all hosts are willing: one of each due topic, then
   * the best of all. Omits links set aside and topics that are not open.
   */
  next(count: number, now: number): readonly NextEntry[] {
    const open = [...this.#topics.values()].filter((topic) => this.#isOpen(topic));
    const isTaken = (link: WaitingLink): boolean => !this.#links.isAside(link);
    const waiting = open.map(({ id, queues }) => [id, queues.first(count, isTaken)] as const);
    const best = new Map(waiting.map(([id, [first]]) => [id, first]));
    const due = this.#shares
      .due()
      .flatMap((id) => best.get(id) ?? [])
      .filter((link) => this.#isPromising(link));
    const rest = waiting.flatMap(([, links]) => links).sort(this.#links.compare);
    return [...new Set([...due, ...rest])].slice(0, count).map((link) => {
      const entry = this.#links.entryOf(link);
      return { entry, isPreferred: this.#links.isFirst(link), standing: this.#ports.hosts.standing(entry.host, now) };
    });
  }

  /**
   * Takes the best available entry and acquires its host. An entry is available if its host is willing and its name
   * is known. The most due topic goes first; if no topic is due, the best link of all topics is taken. The user's
   * rules count before priorities: preferred links first, deferred links last. Among equal priorities the first offer
   * wins. Returns `undefined` if nothing is available *yet*; see `isExhausted` for the end of the crawl.
   */
  take(now: number): FrontierEntry | undefined {
    this.#lookups.ask(this.#topics);
    const link = this.#choose(now);
    if (link === undefined) return undefined;
    const entry = this.#taken(link);
    this.#ports.hosts.acquire(entry.host, now);
    return entry;
  }

  /** Takes this entry, as `take` did when the journal was written. Ignores clocks and names. */
  takeExact(url: CanonicalUrl): FrontierEntry | undefined {
    const link = this.#links.find(url);
    return link === undefined ? undefined : this.#taken(link);
  }

  /** Removes an entry that redirected to another one, which is fetched instead. */
  moved(url: CanonicalUrl): void {
    const link = this.#links.find(url);
    if (link !== undefined) this.#drop([link]);
  }

  /**
   * Handles a finished name lookup, successful or not. Its entries may be taken in both cases. The fetch of a host
   * without an address fails, is recorded, and makes the host slow, then bad, like any other trouble.
   */
  resolved(host: string): void {
    this.#lookups.ended(host);
    for (const { schedule } of this.#topics.values()) schedule.resolved(host);
    this.#lookups.ask(this.#topics);
  }

  /** Removes all entries of hosts that the user locked. Walks over all waiting links. Returns the number removed. */
  dropLocked(isLocked: (host: string) => boolean): number {
    const links = [...this.#links.links()].filter((link) => isLocked(this.#links.hostOf(link)));
    return this.#drop(links);
  }

  /** Returns the number of links waiting for these hosts, including links set aside. Walks over all hosts. */
  waitingFor(isConcerned: (host: string) => boolean): number {
    let waiting = 0;
    for (const { schedule } of this.#topics.values())
      for (const { host, links } of schedule.hosts()) if (isConcerned(host)) waiting += links;
    return waiting;
  }

  /** Returns the entries waiting for a host, in no particular order. */
  waitingOn(host: string): readonly FrontierEntry[] {
    return [...this.#topics.values()].flatMap(({ schedule }) =>
      schedule.linksOf(host).map((link) => this.#links.entryOf(link)),
    );
  }

  /** Returns the entries waiting for a site (a registered domain), in an order that a journal repeats. */
  waitingOnSite(site: string): readonly FrontierEntry[] {
    const links = [...this.#topics.values()].flatMap(({ schedule }) => schedule.linksOfSite(site));
    return links.sort((a, b) => a - b).map((link) => this.#links.entryOf(link));
  }

  /** Removes entries whose URLs match a pattern that proved worthless. */
  dropTrapped(urls: Iterable<CanonicalUrl>): void {
    this.#drop([...urls].flatMap((url) => this.#links.find(url) ?? []));
  }

  /** Removes all entries of a site (a registered domain). Returns the number removed. */
  dropSite(site: string): number {
    const links = [...this.#topics.values()].flatMap(({ schedule }) => schedule.linksOfSite(site));
    return this.#drop(links);
  }

  /** Removes all entries of a topic. Returns the number removed. */
  dropTopic(topic: TopicId): number {
    return this.#drop([...(this.#topics.get(topic)?.queues.links() ?? [])]);
  }

  /** Rechecks a site for which `hasRoom` may have changed. */
  reopened(site: string): void {
    for (const { schedule } of this.#topics.values()) schedule.reopened(site);
  }

  /** Returns true if no waiting link can ever be taken. Ignores entries of bad hosts and links the user set aside. */
  isExhausted(): boolean {
    let lost = 0;
    for (const { schedule } of this.#topics.values()) lost += schedule.lost + schedule.aside;
    return this.#links.size === lost;
  }

  /**
   * Returns the earliest time at which `take` may return an entry: `now` if it would return one now, `undefined` if
   * only the end of a request or a name lookup can help.
   */
  nextWillingAt(now: number): number | undefined {
    let earliest: number | undefined;
    for (const topic of this.#topics.values()) {
      const at = this.#isOpen(topic) ? topic.schedule.nextWillingAt(now) : undefined;
      if (at !== undefined && at < (earliest ?? Number.POSITIVE_INFINITY)) earliest = at;
    }
    return earliest;
  }

  /** Counts links by the place the user's rules give them; `aside` links are not taken. */
  places(): BandCounts & { readonly ordinary: number; readonly aside: number } {
    let aside = 0;
    for (const { schedule } of this.#topics.values()) aside += schedule.aside;
    const { first, last } = this.#links.banded;
    return { first, ordinary: this.#links.size - first - last - aside, last, aside };
  }

  /**
   * Returns the topics that the next take serves first, most due first. If none of them has a willing host, any topic
   * may be taken.
   */
  due(): readonly TopicId[] {
    return this.#shares.due();
  }

  /**
   * Returns the length of each topic's queues, without links set aside (at the end of the queues). Omits topics that
   * never had an entry.
   */
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

  /** Returns the entry of a link and removes the link. */
  #taken(link: WaitingLink): FrontierEntry {
    this.#charge(link);
    const entry = this.#links.entryOf(link);
    this.#remove(link);
    return entry;
  }

  /** Charges a take to the link's topic. Must run before the link is removed, since its topic counts as waiting. */
  #charge(link: WaitingLink): void {
    const topic = this.#links.topicOf(link);
    const waiting = new Set([topic]);
    for (const { id, queues } of this.#topics.values())
      if (queues.best !== undefined && this.#isPromising(queues.best)) waiting.add(id);
    this.#shares.took(topic, waiting);
  }

  /**
   * Returns false for priorities below 0: they are worse than links of off-topic pages. No topic gets a share for
   * them unless the user asks.
   */
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
    // A new link does not reset the URL's failures.
    const raised = { ...entry, tries: Math.max(entry.tries, links.triesOf(known)) };
    if (entry.topic === links.topicOf(known)) {
      this.#change(known, () => links.raise(known, raised));
      return 'raised';
    }
    if (!this.#makeRoom(entry, order)) return 'kept';
    this.#replace(known, links.add(raised, order));
    return 'raised';
  }

  /** Drops the worst link of a full topic to make room for a better one. Returns false if no link is worse. */
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

  /** Changes a link in place: removes it from the trees keyed by its priority, then reinserts it. */
  #change(link: WaitingLink, change: () => void): void {
    const { queues, schedule } = this.#topic(this.#links.topicOf(link));
    queues.remove(link);
    schedule.change(link, change);
    queues.add(link);
  }

  /**
   * Replaces the entry of the same URL from another topic. The new entry joins its host before the old one leaves, so
   * that the host is kept.
   */
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
      const resolve = (host: string): void => this.#lookups.resolve(host);
      const table = this.#links;
      const byHost = { table, nodes: this.#hostNodes };
      const schedule = new HostSchedule(this.#ports.hosts, { ...this.#ports, resolve }, byHost);
      topic = { id, queues: new TopicQueues(this.#limits, { table, nodes: this.#nodes }), schedule };
      this.#topics.set(id, topic);
    }
    return topic;
  }

  exchange(fields: Fields): void {
    this.#links.exchange(fields);
    this.#nodes.exchange(fields);
    const topics = fields.value([...this.#topics.keys()]);
    for (const id of topics) this.#topic(id).queues.exchange(fields);
    this.#shares.exchange(fields);
    this.#nextOrder = fields.value(this.#nextOrder);
    // Which links may be taken depends on the moment, so it is derived from the waiting links.
    if (fields.isLoading)
      for (const { queues, schedule } of this.#topics.values()) for (const link of queues.links()) schedule.add(link);
  }
}

function requireFinite(url: string, priority: number): void {
  if (Number.isFinite(priority)) return;
  throw new BingoError({
    code: 'PRIORITY_INVALID',
    message: `Expected a finite priority for ${url}, got ${priority}.`,
    hint: 'Please report this with the name of the ordering: this is a bug in the program, not in your settings.',
  });
}
