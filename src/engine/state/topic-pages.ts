import type { CanonicalUrl } from '../../core/index.ts';
import { type UrlListId, UrlLists } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';

/** A page accepted into a topic, with what link analysis and the choice of archetypes need. */
export interface TopicPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly title: string;
  readonly host: string;
  readonly relevance: number;
  /** Calibrated confidence. */
  readonly calibrated: number;
  /** Score of naive Bayes, on the calibrated scale. */
  readonly bayesCalibrated: number;
  /** URLs of its links, joined by `\n`. */
  readonly links: string;
}

/** Multiple of the limit to keep before the worst pages are dropped: each stores the URLs of all its links. */
const SLACK = 1.25;

interface PackedForm {
  readonly page: TopicPage;
  readonly links: UrlListId | undefined;
}

function kept({ links }: TopicPage, lists: UrlLists): UrlListId | undefined {
  return links === '' ? undefined : lists.keep(links);
}

/** Stores the URLs of its links packed. */
class PackedTopicPage implements TopicPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly title: string;
  readonly host: string;
  readonly relevance: number;
  readonly calibrated: number;
  readonly bayesCalibrated: number;
  readonly #lists: UrlLists;
  #links: UrlListId | undefined;

  /** @param links its links, if they are in `lists` already. Default: the page's links are added */
  constructor(page: TopicPage, lists: UrlLists, links: UrlListId | undefined = kept(page, lists)) {
    this.sequence = page.sequence;
    this.url = page.url;
    this.title = page.title;
    this.host = page.host;
    this.relevance = page.relevance;
    this.calibrated = page.calibrated;
    this.bayesCalibrated = page.bayesCalibrated;
    this.#lists = lists;
    this.#links = links;
  }

  get links(): string {
    return this.#links === undefined ? '' : this.#lists.text(this.#links);
  }

  /** Everything except its links, and their number. */
  get packed(): PackedForm {
    const { sequence, url, title, host, relevance, calibrated, bayesCalibrated } = this;
    const page = { sequence, url, title, host, relevance, calibrated, bayesCalibrated, links: '' };
    return { page, links: this.#links };
  }

  /** Frees its links: it has none from now on. */
  forget(): void {
    if (this.#links !== undefined) this.#lists.release(this.#links);
    this.#links = undefined;
  }
}

/**
 * The best pages of one topic by calibrated confidence. At most `limit`, however long the crawl runs. If confidence
 * is equal, the earlier page stays.
 */
export class TopicPages {
  readonly #limit: number;
  readonly #lists: UrlLists;
  #pages: PackedTopicPage[] = [];
  #isSorted = true;

  /** @param lists stores the URLs of links; several topics should share it. Default: its own */
  constructor(limit: number, lists: UrlLists = new UrlLists()) {
    this.#limit = limit;
    this.#lists = lists;
  }

  add(page: TopicPage): void {
    this.#push(page);
    // Sorting only occasionally keeps the average cost per page small.
    if (this.#pages.length >= SLACK * this.#limit) this.#keep(this.#sorted().slice(0, this.#limit));
  }

  /** Replaces a page that has changed; `undefined` if it no longer belongs to the topic. */
  renew(url: CanonicalUrl, page: TopicPage | undefined): void {
    this.#keep(this.#sorted().filter((known) => known.url !== url));
    if (page !== undefined) this.#push(page);
  }

  /** Removes the pages of these hosts from the topic. */
  dropHosts(isDropped: (host: string) => boolean): void {
    this.#keep(this.#sorted().filter(({ host }) => !isDropped(host)));
  }

  /**
   * Returns the best `n` pages, best first. A page held for longer than a round loses its links once it is no longer
   * among the best.
   */
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
    // Sorted by confidence, whether or not the best were asked for before.
    const pages = [...this.#sorted()];
    fields.list(pages, {
      pack: (page) => page.packed,
      unpack: ({ page, links }: PackedForm) => new PackedTopicPage(page, this.#lists, links),
    });
    this.#pages = pages;
    this.#isSorted = true;
  }
}
