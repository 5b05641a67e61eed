import type { CanonicalUrl, LinkTable } from '../../core/index.ts';

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

/**
 * The best pages of one topic by calibrated confidence, at most `limit`: bounded however long the crawl runs.
 * Equal confidence: the earlier page stays.
 */
export class TopicPages {
  readonly #limit: number;
  #pages: TopicPage[] = [];
  #accepted = 0;
  #sum = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of pages ever accepted. */
  get accepted(): number {
    return this.#accepted;
  }

  get meanConfidence(): number {
    return this.#accepted === 0 ? 0 : this.#sum / this.#accepted;
  }

  add(page: TopicPage): void {
    this.#accepted++;
    this.#sum += page.calibrated;
    this.#pages.push(page);
    // Sorting once in a while keeps the cost of a page small on average.
    if (this.#pages.length >= SLACK * this.#limit) this.#pages = this.best(this.#limit) as TopicPage[];
  }

  /** A page that was accepted before has changed; `undefined`: it is none of the topic any more. Not counted again. */
  renew(url: CanonicalUrl, page: TopicPage | undefined): void {
    const others = this.#pages.filter((known) => known.url !== url);
    this.#pages = page === undefined ? others : [...others, page];
  }

  /** The best `n` pages, best first. */
  best(n: number = this.#limit): readonly TopicPage[] {
    return [...this.#pages]
      .sort((a, b) => b.calibrated - a.calibrated || a.sequence - b.sequence)
      .slice(0, Math.min(n, this.#limit));
  }
}

/** Keeps what link analysis needs of a link table: http(s) addresses of links that may be followed. */
export function followedUrls(links: LinkTable, nofollow: number): string {
  if (links.size === 0) return '';
  const urls = links.urls.split('\n');
  return urls.filter((_, i) => ((links.flags[i] ?? 0) & nofollow) === 0).join('\n');
}
