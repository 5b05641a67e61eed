import { type Config, ROOT, registeredDomain, type TopicId, type TopicTree, topicNode } from '../../core/index.ts';
import type { FrontierEntry } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';

type Limits = Pick<Config['crawl'], 'maxPagesPerTopic' | 'maxPagesPerSite'>;

/** What a fetch is charged to. */
type Place = Pick<FrontierEntry, 'topic' | 'host'>;

/** Limits that are reached: their links were dropped. */
export interface SpentBudgets {
  readonly topics: readonly TopicId[];
  /** Sites that have had `crawl.maxPagesPerSite` pages. */
  readonly sites: number;
}

/** Pages counted against one limit. */
interface Account {
  readonly limit: number;
  fetched: number;
  /** Fetches under way that may still become pages. */
  started: number;
}

/**
 * Budgets of topics and sites. A page counts as it does for the budget of the crawl: duplicates do, seeds and training
 * pages do not. What is under way counts until its record is there, so that the limits hold whatever runs side by side.
 *
 * A topic's own `budget` is for it and the topics below it; `maxPagesPerTopic` is for the topic alone, where it has none.
 */
export class Budgets {
  readonly #maxPagesPerSite: number;
  readonly #topics = new Map<TopicId, readonly Account[]>();
  readonly #sites = new Map<string, Account>();

  constructor(tree: TopicTree, { maxPagesPerTopic, maxPagesPerSite }: Limits) {
    this.#maxPagesPerSite = maxPagesPerSite;
    const subtrees = new Map<TopicId, Account>();
    for (const { id, budget } of tree.nodes.values()) if (budget > 0) subtrees.set(id, account(budget));
    for (const { id, budget } of tree.nodes.values()) {
      const above = pathOf(tree, id).flatMap((ancestor) => subtrees.get(ancestor) ?? []);
      this.#topics.set(id, budget === 0 && maxPagesPerTopic > 0 ? [...above, account(maxPagesPerTopic)] : above);
    }
  }

  start(entry: Place): void {
    for (const account of this.#accounts(entry)) account.started++;
  }

  /** The fetch that `start` announced is over, with or without a page. */
  end(entry: Place): void {
    for (const account of this.#accounts(entry)) account.started--;
  }

  /** Pages were fetched. */
  spend(entry: Place, pages = 1): void {
    for (const account of this.#accounts(entry)) account.fetched += pages;
  }

  /** Any topic, or every site, has a limit. */
  get isAnyLimited(): boolean {
    return this.#maxPagesPerSite > 0 || [...this.#topics.values()].some((accounts) => accounts.length > 0);
  }

  /** True when a link of the topic may be fetched beside what is under way. */
  isOpen(topic: TopicId): boolean {
    return (this.#topics.get(topic) ?? []).every(hasRoom);
  }

  /** The same for a site, a registered domain. */
  hasRoom(site: string): boolean {
    const account = this.#sites.get(site);
    return account === undefined || hasRoom(account);
  }

  /** True when the topic has had all its pages. */
  isSpent(topic: TopicId): boolean {
    return (this.#topics.get(topic) ?? []).some(isSpent);
  }

  /** Topics that have had all their pages. */
  spentTopics(): readonly TopicId[] {
    return [...this.#topics.keys()].filter((topic) => this.isSpent(topic));
  }

  spent(): SpentBudgets {
    const topics = this.spentTopics().filter((topic) => topic !== ROOT);
    return { topics, sites: this.spentSites().length };
  }

  /** Sites that have had all their pages. */
  spentSites(): readonly string[] {
    return [...this.#sites].flatMap(([site, account]) => (isSpent(account) ? [site] : []));
  }

  isSiteSpent(site: string): boolean {
    const account = this.#sites.get(site);
    return account !== undefined && isSpent(account);
  }

  #accounts({ topic, host }: Place): readonly Account[] {
    const topics = this.#topics.get(topic) ?? [];
    return this.#maxPagesPerSite === 0 ? topics : [...topics, this.#site(registeredDomain(host))];
  }

  #site(site: string): Account {
    let known = this.#sites.get(site);
    if (known === undefined) {
      known = account(this.#maxPagesPerSite);
      this.#sites.set(site, known);
    }
    return known;
  }

  exchange(fields: Fields): void {
    const topics = [...new Set([...this.#topics.values()].flat())];
    const fetched = fields.value(topics.map((account) => account.fetched));
    topics.forEach((account, i) => {
      account.fetched = fetched[i]!;
    });
    // What is under way is not: it is taken again.
    fields.map(this.#sites, {
      pack: (site) => site.fetched,
      unpack: (pages): Account => ({ ...account(this.#maxPagesPerSite), fetched: pages }),
    });
  }
}

function account(limit: number): Account {
  return { limit, fetched: 0, started: 0 };
}

function hasRoom({ limit, fetched, started }: Account): boolean {
  return fetched + started < limit;
}

function isSpent({ limit, fetched }: Account): boolean {
  return fetched >= limit;
}

/** The topic and its ancestors, the root left out. */
function pathOf(tree: TopicTree, id: TopicId): readonly TopicId[] {
  const path: TopicId[] = [];
  for (let at: TopicId | undefined = id; at !== undefined && at !== ROOT; at = topicNode(tree, at).parent)
    path.push(at);
  return path;
}
