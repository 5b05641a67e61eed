import { type Config, ROOT, registeredDomain, type TopicId, type TopicTree, topicNode } from '../../core/index.ts';
import type { FrontierEntry } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';

type Limits = Pick<Config['crawl'], 'maxPagesPerTopic' | 'maxPagesPerSite'>;

/** The topic and host a fetch is charged to. */
type Place = Pick<FrontierEntry, 'topic' | 'host'>;

/** Exhausted limits: their links were dropped. */
export interface SpentBudgets {
  readonly topics: readonly TopicId[];
  /** Number of sites that have reached `crawl.maxPagesPerSite`. */
  readonly sites: number;
}

/** Pages counted against one limit. */
interface Account {
  readonly limit: number;
  fetched: number;
  /** Fetches under way that may become pages. */
  started: number;
}

/**
 * Budgets of topics and sites. Pages count as for the crawl's budget: duplicates count, seeds and training pages do
 * not. A fetch under way counts until it is recorded, so that parallel fetches exceed no limit.
 *
 * A topic's own `budget` covers it and its subtopics. `maxPagesPerTopic` covers only the topic itself, and applies if
 * it has no own budget.
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

  /** Ends the fetch that `start` announced, with or without a page. */
  end(entry: Place): void {
    for (const account of this.#accounts(entry)) account.started--;
  }

  /** Counts fetched pages. */
  spend(entry: Place, pages = 1): void {
    for (const account of this.#accounts(entry)) account.fetched += pages;
  }

  /** True if any topic or every site has a limit. */
  get isAnyLimited(): boolean {
    return this.#maxPagesPerSite > 0 || [...this.#topics.values()].some((accounts) => accounts.length > 0);
  }

  /** True if one more link of the topic may be fetched, counting fetches under way. */
  isOpen(topic: TopicId): boolean {
    return (this.#topics.get(topic) ?? []).every(hasRoom);
  }

  /** Like `isOpen`, for a site (registered domain). */
  hasRoom(site: string): boolean {
    const account = this.#sites.get(site);
    return account === undefined || hasRoom(account);
  }

  /** True if the topic's pages are used up. */
  isSpent(topic: TopicId): boolean {
    return (this.#topics.get(topic) ?? []).some(isSpent);
  }

  /** Returns topics whose pages are used up. */
  spentTopics(): readonly TopicId[] {
    return [...this.#topics.keys()].filter((topic) => this.isSpent(topic));
  }

  spent(): SpentBudgets {
    const topics = this.spentTopics().filter((topic) => topic !== ROOT);
    return { topics, sites: this.spentSites().length };
  }

  /** Returns sites whose pages are used up. */
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
    // Fetches under way are not stored: they are taken again.
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

/** Returns the topic and its ancestors, without the root. */
function pathOf(tree: TopicTree, id: TopicId): readonly TopicId[] {
  const path: TopicId[] = [];
  for (let at: TopicId | undefined = id; at !== undefined && at !== ROOT; at = topicNode(tree, at).parent)
    path.push(at);
  return path;
}
