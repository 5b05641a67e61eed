import { type Assignment, type PageRole, ROOT, type TopicId, type TopicTree } from '../../core/index.ts';
import { givenAssignment, type Place } from '../records.ts';
import type { SiteMarks } from './site-marks.ts';
import { type Item, isOriginal } from './training-items.ts';

/** A stored page, by whatever tells whether a person gave it. */
export interface GivenPage {
  readonly sequence: number;
  readonly role: PageRole;
  /** The newest first. */
  readonly urls: readonly string[];
}

/** Where people put stored pages: the training pages that bingo.yaml names, and what was decided on single pages. */
export class GivenPlaces {
  readonly #tree: TopicTree;
  readonly #byUrl = new Map<string, Place>();
  readonly #bySequence = new Map<number, Place>();
  readonly #sites: Pick<SiteMarks, 'isBad'>;

  /**
   * @param items training pages that people gave
   * @param sites pages of bad sites that nobody gave are of OTHERS
   */
  constructor(tree: TopicTree, items: readonly Item[], sites: Pick<SiteMarks, 'isBad'> = { isBad: () => false }) {
    this.#tree = tree;
    this.#sites = sites;
    // A decision on a page counts more than another address of it in bingo.yaml.
    const decided = items.filter(({ origin }) => !isOriginal(origin));
    for (const item of [...decided, ...items.filter(({ origin }) => isOriginal(origin))]) this.#add(item);
  }

  /**
   * What is to be said of a stored page: a person's word counts more than a model's.
   * @param judge what the model says
   */
  assignmentOf(page: GivenPage, judge: () => Assignment): Assignment {
    return this.fixed(page) ?? { ...judge(), ...(this.#of(page) ?? this.#ofSite(page)) };
  }

  /**
   * What is said of a page that was fetched to train on, whatever a model thinks. `undefined` for those that the crawl found, and for an
   * example that is none any more: it is judged like any page, while pages of OTHERS stay what they are.
   */
  fixed(page: GivenPage): Assignment | undefined {
    if (page.role === 'crawled') return undefined;
    const place = this.#of(page) ?? (page.role === 'others' ? { topic: ROOT, others: true } : undefined);
    return place && givenAssignment(place, this.#tree);
  }

  /** The topic of which a person made the page an example, if anybody did. */
  exampleOf(page: GivenPage): TopicId | undefined {
    const place = this.#of(page);
    return place === undefined || place.others ? undefined : place.topic;
  }

  /** Where a person put the page; `undefined`: nobody did. */
  #of({ sequence, urls }: GivenPage): Place | undefined {
    const byUrl = urls.map((url) => this.#byUrl.get(url)).find((found) => found !== undefined);
    return byUrl ?? this.#bySequence.get(sequence);
  }

  /** Where the page's site was put. */
  #ofSite({ urls: [newest = ''] }: GivenPage): Place | undefined {
    return this.#sites.isBad(newest) ? { topic: ROOT, others: true } : undefined;
  }

  #add({ key, urls = [], sequence, topic, others }: Item): void {
    const place = { topic, others };
    for (const url of [key, ...urls]) if (!this.#byUrl.has(url)) this.#byUrl.set(url, place);
    if (sequence > 0 && !this.#bySequence.has(sequence)) this.#bySequence.set(sequence, place);
  }
}
