import { stemHashesOf, tokenize } from '../../analyze/index.ts';
import {
  type CanonicalUrl,
  type Config,
  goodTopics,
  hostOf,
  type Lesson,
  type Phase,
  type RoundRecord,
  registeredDomain,
  type TopicId,
  type TopicTree,
  topicNode,
} from '../../core/index.ts';
import {
  acceptedTopic,
  type Band,
  type Follow,
  Frontier,
  type FrontierEntry,
  type FrontierPorts,
  focus,
  type JudgedPage,
  type LinkOffer,
  learningPriority,
  makeOrdering,
  type Ordering,
  type SectionChange,
  type TrapGuard,
} from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { decodeModels, linkWeights } from '../../meta/index.ts';
import type { Budgets } from './budgets.ts';
import type { LeftOutLinks } from './excluded-links.ts';
import { exchangeHarvest, type Harvest, newHarvest } from './harvest.ts';
import { followHubs } from './hub-links.ts';
import { seedDomains } from './jobs.ts';
import type { LinkGate } from './link-gate.ts';
import type { OtherShards } from './other-shards.ts';
import { freePages, type PackedPage, PagePacker, unpackPage } from './packed-page.ts';
import { asStart, type OfferPlace, openFollow } from './page-places.ts';
import { DOUBTFUL_PRIORITY, demote, reweigh } from './reordering.ts';
import type { SeenUrls } from './seen-urls.ts';
import { StartPages } from './start-pages.ts';

/** What following links needs from the crawl. */
export interface FollowingPorts {
  readonly config: Config['crawl'];
  readonly world: Pick<FrontierPorts, 'hosts' | 'resolve' | 'isResolved'>;
  readonly seen: SeenUrls;
  readonly gate: LinkGate;
  /** Returns the user's band for links to an address. */
  readonly bandOf: (url: CanonicalUrl) => Band;
  /** Receives links that may no longer wait. */
  readonly leftOut: LeftOutLinks;
  readonly guard: TrapGuard;
  readonly budgets: Budgets;
  readonly others: OtherShards;
  /** Returns the topic tree with the user's marks. */
  readonly tree: () => TopicTree;
  /** Number of consecutive rejected pages behind which links are followed. */
  readonly tunnelDistance: () => number;
}

/** Maximum number of new links of one page that go first; the others wait at their priority. */
const MAX_FRESH_LINKS = 50;

const NO_REDIRECTS: readonly CanonicalUrl[] = [];

/** Links offered before other work gets its turn. */
const PART = 100;

/**
 * Adds the links of judged pages to the frontier. The focus rule decides which pages' links are followed, the
 * ordering where they wait. A new phase starts with a new frontier, to which the links of earlier pages are offered
 * again. If learning starts again, the harvest's frontier is set aside until it ends.
 */
export class Following {
  readonly #ports: FollowingPorts;
  readonly #seedDomains: ReadonlySet<string>;
  readonly #isGood = (id: TopicId): boolean => topicNode(this.#ports.tree(), id).good;
  #phase: Phase = 'bootstrap';
  #round: RoundRecord | undefined;
  #frontier: Frontier;
  #ordering: Ordering;
  /** Pages whose links are offered again when the next phase starts: training pages and those of the learning phase. */
  #retained: PackedPage[] = [];
  readonly #packer = new PagePacker();
  /** `undefined` unless learning runs again. */
  #harvest: Harvest | undefined;
  /** Pages from which learning can start again: examples, and the last accepted pages. */
  readonly #starts = new StartPages(this.#packer);

  constructor(ports: FollowingPorts) {
    this.#ports = ports;
    this.#seedDomains = seedDomains(ports.tree());
    this.#ordering = this.#makeOrdering();
    this.#frontier = this.#makeFrontier();
  }

  get frontier(): Frontier {
    return this.#frontier;
  }

  /** True if learning runs again and the harvest's frontier is set aside. */
  get isHarvestAside(): boolean {
    return this.#harvest !== undefined;
  }

  /** Adds a judged page; `page.links` are those that may be followed. In parts: other work may run between two. */
  *judged(page: JudgedPage): Generator<void> {
    if (this.#phase !== 'harvesting') this.#retained.push(this.#packer.pack(page));
    if (this.#phase === 'learning') yield* this.#followLearning(page);
    if (this.#phase !== 'harvesting') return;
    yield* this.#followHarvesting(page);
    this.#ports.others.send(page, this.#ordering);
    yield;
    if (acceptedTopic(page.assignment, this.#isGood) !== undefined) this.#starts.add(page);
  }

  /** Adds the links of a page that another shard judged. Only crawls that harvest are spread. */
  *received(page: JudgedPage): Generator<void> {
    yield* this.#followHarvesting(page);
  }

  /** Learns from a page of another shard. */
  learn(lesson: Lesson): void {
    this.#ordering.learn?.(lesson);
  }

  /**
   * Adds a page's new version. The first of its new links that pass the focus rule are taken out of the frontier
   * again, to go before it.
   * @param most - maximum number that may go before it
   */
  *renewed(page: JudgedPage, most: number): Generator<void, readonly FrontierEntry[]> {
    const { gate } = this.#ports;
    const fresh = gate
      .admitted(page.links)
      .filter(({ url, host }) => !this.#frontier.has(url) && !gate.isOnBadSite(host));
    yield* this.judged(page);
    const first = fresh.slice(0, Math.min(MAX_FRESH_LINKS, most));
    return first.flatMap(({ url }) => this.#frontier.takeExact(url) ?? []);
  }

  /** Called when the fetch of a URL is over, whatever its result. */
  fetched(url: CanonicalUrl): void {
    this.#harvest?.fetched.push(url);
  }

  /** Removes a URL that no longer waits. */
  gone(url: CanonicalUrl): void {
    this.#ordering.gone(url);
  }

  /** Called when a name was looked up for any frontier. The name may not exist. */
  resolved(host: string): void {
    this.#frontier.resolved(host);
    this.#harvest?.frontier.resolved(host);
  }

  /**
   * Starts a phase of fetching: learning or harvesting. Links found before are offered page by page; other work may
   * run between two.
   */
  *enter(phase: Phase): Generator<void> {
    const first = this.#phase === 'bootstrap';
    this.#phase = phase;
    if (phase === 'learning' && !first) {
      yield* this.#learnAgain();
      return;
    }
    if (this.#harvest === undefined) {
      this.#frontier = this.#makeFrontier();
      this.#ordering = this.#makeOrdering();
    } else this.#harvestAgain(this.#harvest);
    yield;
    const pages = this.#retained;
    this.#retained = [];
    for (const page of pages) {
      yield* this.judged(unpackPage(page));
      freePages([page]);
      yield;
    }
    // The harvest starts from the best hubs (BINGO! §2.6).
    if (phase === 'harvesting' && this.#round !== undefined) this.#hubsFound(this.#round);
  }

  /** Ends a round: the ordering receives the new model and the best hubs, whose links go first. */
  roundEnded(round: RoundRecord): void {
    const isNew = this.#round?.model !== round.model;
    this.#round = round;
    // The ordering of the learning phase gets the model when it is created.
    if (isNew && this.#phase !== 'bootstrap') this.#tellModel(this.#ordering, round);
    this.#hubsFound(round);
  }

  #hubsFound(round: RoundRecord): void {
    if (this.#ordering.hubsFound !== undefined)
      this.#ordering.hubsFound(new Set(round.boosted.map(({ from }) => from as CanonicalUrl)));
    // Learning is depth-first and confined to the seeds' sites. Other orderings claim no hubs.
    else if (this.#ordering.focused && this.#phase === 'harvesting') {
      const weigh = this.#weighed.bind(this);
      followHubs(round, { frontier: this.#frontier, weigh, ...this.#ports });
    }
  }

  /** Changes the weight of waiting links after a part of a site has reached its limit, or its limit was raised. */
  reweigh(change: SectionChange): void {
    if (this.#phase === 'harvesting') reweigh(this.#frontier, change);
    if (this.#harvest !== undefined) reweigh(this.#harvest.frontier, change);
  }

  /** Moves links to these hosts after the user changed their band. */
  reband(isConcerned: (host: string) => boolean): void {
    this.#frontier.reband(isConcerned);
    this.#harvest?.frontier.reband(isConcerned);
  }

  /** Moves waiting links that proved worthless to the end, or removes them. */
  leaveTraps(): void {
    const { hosts, domains } = this.#ports.guard.takeChanged();
    this.#leave(hosts, domains);
    for (const host of hosts) this.#harvest?.trapHosts.add(host);
    for (const domain of domains) this.#harvest?.trapDomains.add(domain);
  }

  #leave(hosts: Iterable<string>, domains: Iterable<string>): void {
    const queue = { frontier: this.#frontier, ordering: this.#ordering };
    for (const host of hosts) demote(this.#frontier.waitingOn(host), queue, this.#ports);
    for (const domain of domains) demote(this.#frontier.waitingOnSite(registeredDomain(domain)), queue, this.#ports);
  }

  /**
   * Returns the ordering's priority as it counts in the harvest's frontier. Links that it expects nothing from stay
   * below all others.
   */
  #weighed(url: CanonicalUrl, host: string, priority: number): number {
    return priority > 0 ? priority * this.#ports.guard.weight(url, host) : priority;
  }

  *#followLearning(page: JudgedPage): Generator<void> {
    const ordering = this.#ordering.ordersLearning === true ? this.#ordering : undefined;
    if (ordering !== undefined) yield* tell(ordering, page);
    const follow = this.#focusOf(page, 'learning');
    if (follow === undefined || this.#ports.budgets.isSpent(follow.topic)) return;
    const confidence = page.assignment.scores.find((s) => s.topic === follow.topic)?.calibrated ?? 0;
    const { topic, depth, tunnelDepth, allowUrl } = follow;
    const depthFirst = learningPriority(depth, confidence, this.#ports.config.tunnelDecay ** tunnelDepth);
    yield* this.#offer(
      page,
      { topic, depth, tunnelDepth, allowUrl },
      (offer) => ordering?.priorityOf(offer) ?? depthFirst,
    );
    if (ordering !== undefined) this.#changed(ordering, (_, priority) => priority);
  }

  *#followHarvesting(page: JudgedPage): Generator<void> {
    const ordering = this.#ordering;
    yield* tell(ordering, page);
    const follow = ordering.focused ? this.#focusOf(page, 'harvesting') : openFollow(page, this.#isGood);
    if (follow === undefined) yield* this.#reserve(page);
    else if (!this.#ports.budgets.isSpent(follow.topic)) {
      const { topic, depth, tunnelDepth } = follow;
      yield* this.#offer(page, { topic, depth, tunnelDepth }, (offer) =>
        this.#weighed(offer.url, offer.host, ordering.priorityOf(offer)),
      );
    }
    this.#changed(ordering, (url, priority) => this.#weighed(url, hostOf(url), priority));
  }

  /** Offers the links of a page that may wait to the frontier. */
  *#offer(page: JudgedPage, place: OfferPlace, priorityOf: (offer: LinkOffer) => number): Generator<void> {
    const { topic, depth, tunnelDepth, allowUrl } = place;
    let offered = 0;
    for (const { url, host, link, doubtful } of this.#ports.gate.admitted(page.links)) {
      if (allowUrl?.(host) === false) continue;
      if (offered++ % PART === 0) yield;
      const priority = doubtful ? DOUBTFUL_PRIORITY : priorityOf({ url, host, link, page, topic, depth, tunnelDepth });
      // One object literal: there are too many links to copy intermediate objects.
      this.#frontier.offer({
        url,
        host,
        topic,
        priority,
        depth,
        tunnelDepth,
        via: 'link',
        from: page.url,
        tries: 0,
        redirects: NO_REDIRECTS,
      });
    }
  }

  /** Moves waiting links whose priority the ordering has changed. */
  #changed(ordering: Ordering, weigh: (url: CanonicalUrl, priority: number) => number): void {
    for (const [key, priority] of ordering.changes()) {
      const url = this.#frontier.urlOf(key);
      if (url !== undefined) this.#frontier.reprioritize(url, weigh(url, priority));
    }
  }

  /**
   * Puts links that the focus rule rejects below all others, lower with distance from an accepted page. Without them
   * a crawl can end before its budget (our addition; the paper drops them). Hard focus really drops them.
   */
  *#reserve(page: JudgedPage): Generator<void> {
    if (page.entry === undefined || this.#ordering.focusMode === 'hard' || !this.#ports.config.reserve) return;
    const { topic, depth, tunnelDepth } = page.entry;
    if (this.#ports.budgets.isSpent(topic)) return;
    const place = { topic, depth: depth + 1, tunnelDepth: tunnelDepth + 1 };
    yield* this.#offer(page, place, () => -1 - tunnelDepth);
  }

  #focusOf(page: JudgedPage, phase: 'learning' | 'harvesting'): Follow | undefined {
    const { learnMaxDepth } = this.#ports.config;
    const tunnelDistance = this.#ports.tunnelDistance();
    const { assignment, entry } = page;
    const seedDomains = this.#seedDomains;
    const question = { phase, assignment, entry, tunnelDistance, learnMaxDepth, seedDomains, isGood: this.#isGood };
    return focus({ ...question, mode: this.#ordering.focusMode ?? 'soft' });
  }

  /** Starts learning again, from the examples and the best pages found; the harvest's frontier is set aside. */
  *#learnAgain(): Generator<void> {
    this.#harvest = newHarvest(this.#frontier, this.#ordering);
    this.#frontier = this.#makeFrontier();
    this.#ordering = this.#makeOrdering();
    for (const page of this.#starts) {
      yield* this.#followLearning(asStart(page));
      yield;
    }
  }

  /**
   * Restores the harvest's frontier, without links that were fetched, locked, exhausted or found worthless meanwhile.
   */
  #harvestAgain({ frontier, ordering, fetched, trapHosts, trapDomains }: Harvest): void {
    const { budgets } = this.#ports;
    this.#frontier = frontier;
    frontier.takeOver();
    this.#ordering = ordering;
    this.#harvest = undefined;
    for (const url of fetched) if (this.#ports.seen.has(url)) frontier.moved(url);
    frontier.dropLocked((host) => this.#ports.gate.isLocked(host));
    for (const site of budgets.spentSites()) frontier.dropSite(site);
    for (const topic of budgets.spentTopics()) frontier.dropTopic(topic);
    this.#leave(trapHosts, trapDomains);
    if (this.#round !== undefined) this.#tellModel(ordering, this.#round);
  }

  #makeOrdering(): Ordering {
    const { ordering, seed, tunnelDecay, rankInterval } = this.#ports.config;
    const made = makeOrdering(ordering, { seed, tunnelDecay, rankInterval, words: tokenize, hashes: stemHashesOf });
    if (this.#round !== undefined) this.#tellModel(made, this.#round);
    return made;
  }

  #tellModel(ordering: Ordering, round: RoundRecord): void {
    if (ordering.modelChanged === undefined) return;
    const topics = goodTopics(this.#ports.tree()).map(({ id }) => id);
    const isAtHand = round.words?.topics.join('\n') === topics.join('\n');
    ordering.modelChanged(isAtHand ? round.words! : linkWeights(decodeModels(round.blob), topics));
  }

  #makeFrontier(): Frontier {
    const { config, world, budgets, bandOf } = this.#ports;
    const { incomingQueue, outgoingQueue, fairShare } = config;
    return new Frontier(
      { incomingQueue, outgoingQueue, fairShare },
      {
        ...world,
        bands: { of: bandOf, floor: DOUBTFUL_PRIORITY },
        onGone: (url) => this.#ordering.gone(url),
        isOpen: (topic) => budgets.isOpen(topic),
        hasRoom: (site) => budgets.hasRoom(site),
      },
    );
  }

  /** @param round the state's last round */
  exchange(fields: Fields, round: RoundRecord | undefined): void {
    this.#round = round;
    this.#phase = fields.value(this.#phase);
    fields.list(this.#retained);
    this.#starts.exchange(fields);
    const harvest = this.#exchangeHarvest(fields);
    if (fields.isLoading) {
      this.#frontier = this.#makeFrontier(); // The last ordering created is the one that the hosts notify.
      this.#ordering = this.#makeOrdering();
    }
    this.#frontier.exchange(fields);
    this.#ordering.exchange?.(fields);
    this.#harvest = harvest;
  }

  #exchangeHarvest(fields: Fields): Harvest | undefined {
    const isAside = fields.value(this.#harvest !== undefined);
    if (!isAside) return undefined;
    const harvest = this.#harvest ?? newHarvest(this.#makeFrontier(), this.#makeOrdering());
    exchangeHarvest(harvest, fields);
    return harvest;
  }
}

/** Passes a page to the ordering. */
function* tell(ordering: Ordering, page: JudgedPage): Generator<void> {
  if (ordering.reading !== undefined) yield* ordering.reading(page);
  ordering.judged(page);
  yield;
}
