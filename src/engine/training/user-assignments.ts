import { type Assignment, type PageRole, ROOT, type TopicId, type TopicTree } from '../../core/index.ts';
import { givenAssignment, type Place } from '../records.ts';
import type { SiteMarks } from './site-marks.ts';
import { type Item, isOriginal } from './training-items.ts';

/** A stored page, with the fields that show whether the user placed it. */
export interface GivenPage {
  readonly sequence: number;
  readonly role: PageRole;
  /** Newest first. */
  readonly urls: readonly string[];
}

/** Where the user put stored pages: training pages in bingo.yaml, and decisions on single pages. */
export class GivenPlaces {
  readonly #tree: TopicTree;
  readonly #byUrl = new Map<string, Place>();
  readonly #bySequence = new Map<number, Place>();
  readonly #sites: Pick<SiteMarks, 'isBad'>;

  /**
   * @param items the user's training pages
   * @param sites pages of bad sites that the user did not name belong to OTHERS
   */
  constructor(tree: TopicTree, items: readonly Item[], sites: Pick<SiteMarks, 'isBad'> = { isBad: () => false }) {
    this.#tree = tree;
    this.#sites = sites;
    // A decision of the user on a page overrides another address of it in bingo.yaml, a reader's does not.
    for (const item of items.toSorted((a, b) => rankOf(a) - rankOf(b))) this.#add(item);
  }

  /** Sequences of stored pages that the user put somewhere; pages known by address alone are missing. */
  get sequences(): readonly number[] {
    return [...this.#bySequence.keys()];
  }

  /**
   * Returns the verdict on a stored page: the user's decision overrides the model.
   * @param judge returns the model's verdict
   */
  assignmentOf(page: GivenPage, judge: () => Assignment): Assignment {
    return this.fixed(page) ?? { ...judge(), ...(this.#of(page) ?? this.#ofSite(page)) };
  }

  /**
   * Returns the verdict on a page fetched for training, whatever the model says. `undefined` for pages found by the
   * crawl and for a former example, which is judged like any page. Pages of OTHERS stay there.
   */
  fixed(page: GivenPage): Assignment | undefined {
    if (page.role === 'crawled') return undefined;
    const place = this.#of(page) ?? (page.role === 'others' ? { topic: ROOT, others: true } : undefined);
    return place && givenAssignment(place, this.#tree);
  }

  /** Returns the topic that the user made the page an example of, if any. */
  exampleOf(page: GivenPage): TopicId | undefined {
    const place = this.#of(page);
    return place === undefined || place.others ? undefined : place.topic;
  }

  /** Returns where the user put the page; `undefined` if nowhere. */
  #of({ sequence, urls }: GivenPage): Place | undefined {
    const byUrl = urls.map((url) => this.#byUrl.get(url)).find((found) => found !== undefined);
    return byUrl ?? this.#bySequence.get(sequence);
  }

  /** Returns where the page's site was put. */
  #ofSite({ urls: [newest = ''] }: GivenPage): Place | undefined {
    return this.#sites.isBad(newest) ? { topic: ROOT, others: true } : undefined;
  }

  #add({ key, urls = [], sequence, topic, others }: Item): void {
    const place = { topic, others };
    for (const url of [key, ...urls]) if (!this.#byUrl.has(url)) this.#byUrl.set(url, place);
    if (sequence > 0 && !this.#bySequence.has(sequence)) this.#bySequence.set(sequence, place);
  }
}

function rankOf({ origin }: Item): number {
  if (origin === 'reader' || origin === 'reader-others') return 2;
  return isOriginal(origin) ? 1 : 0;
}
