import type { CanonicalUrl } from '../../core/index.ts';
import { type UrlListId, UrlLists } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';

/** A page accepted into a topic, as link analysis and the choice of archetypes need it. */
export interface TopicPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly title: string;
  readonly host: string;
  readonly relevance: number;
  /** Calibrated confidence. */
  readonly calibrated: number;
  /** Addresses of its links, joined by `\n`. */
  readonly links: string;
}

/** So many times the limit are kept before the worst are forgotten: each holds the addresses of all its links. */
const SLACK = 1.25;

interface PackedForm {
  readonly page: TopicPage;
  readonly links: UrlListId | undefined;
}

function kept({ links }: TopicPage, lists: UrlLists): UrlListId | undefined {
  return links === '' ? undefined : lists.keep(links);
}

/** Keeps the addresses of its links packed. */
class PackedTopicPage implements TopicPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly title: string;
  readonly host: string;
  readonly relevance: number;
  readonly calibrated: number;
  readonly #lists: UrlLists;
  #links: UrlListId | undefined;

  /** @param links its links, where `lists` has them already. Default: those of the page are added */
  constructor(page: TopicPage, lists: UrlLists, links: UrlListId | undefined = kept(page, lists)) {
    this.sequence = page.sequence;
    this.url = page.url;
    this.title = page.title;
    this.host = page.host;
    this.relevance = page.relevance;
    this.calibrated = page.calibrated;
    this.#lists = lists;
    this.#links = links;
  }

  get links(): string {
    return this.#links === undefined ? '' : this.#lists.text(this.#links);
  }

  /** All of it but its links, and their number. */
  get packed(): PackedForm {
    const { sequence, url, title, host, relevance, calibrated } = this;
    return { page: { sequence, url, title, host, relevance, calibrated, links: '' }, links: this.#links };
  }

  /** It has no links from now on. */
  forget(): void {
    if (this.#links !== undefined) this.#lists.release(this.#links);
    this.#links = undefined;
  }
}

/**
 * The best pages of one topic by calibrated confidence, at most `limit`: bounded however long the crawl runs.
 * Equal confidence: the earlier page stays.
 */
export class TopicPages {
  readonly #limit: number;
  readonly #lists: UrlLists;
  #pages: PackedTopicPage[] = [];
  #isSorted = true;

  /** @param lists where the addresses of links lie; those of several topics had better share them. Default: its own */
  constructor(limit: number, lists: UrlLists = new UrlLists()) {
    this.#limit = limit;
    this.#lists = lists;
  }

  add(page: TopicPage): void {
    this.#push(page);
    // Sorting once in a while keeps the cost of a page small on average.
    if (this.#pages.length >= SLACK * this.#limit) this.#keep(this.#sorted().slice(0, this.#limit));
  }

  /** A page that was accepted before has changed; `undefined`: it is none of the topic any more. */
  renew(url: CanonicalUrl, page: TopicPage | undefined): void {
    this.#keep(this.#sorted().filter((known) => known.url !== url));
    if (page !== undefined) this.#push(page);
  }

  /** Pages of these hosts are none of the topic any more. */
  dropHosts(isDropped: (host: string) => boolean): void {
    this.#keep(this.#sorted().filter(({ host }) => !isDropped(host)));
  }

  /** The best `n` pages, best first. Whoever holds one longer than a round sees its links go when it is not among the best any more. */
  best(n: number = this.#limit): readonly TopicPage[] {
    return this.#sorted().slice(0, Math.min(n, this.#limit));
  }

  #push(page: TopicPage): void {
    this.#pages.push(new PackedTopicPage(page, this.#lists));
    this.#isSorted = false;
  }

  #sorted(): readonly PackedTopicPage[] {
    if (!this.#isSorted) this.#pages.sort((a, b) => b.calibrated - a.calibrated || a.sequence - b.sequence);
    this.#isSorted = true;
    return this.#pages;
  }

  #keep(pages: PackedTopicPage[]): void {
    const kept = new Set(pages);
    for (const page of this.#pages) if (!kept.has(page)) page.forget();
    this.#pages = pages;
  }

  exchange(fields: Fields): void {
    // In the order of their worth, whoever asked for the best before.
    const pages = [...this.#sorted()];
    fields.list(pages, {
      pack: (page) => page.packed,
      unpack: ({ page, links }: PackedForm) => new PackedTopicPage(page, this.#lists, links),
    });
    this.#pages = pages;
    this.#isSorted = true;
  }
}
