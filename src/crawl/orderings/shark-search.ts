import type { CanonicalUrl, TopicId } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { JudgedPage, LinkOffer, Ordering } from '../ordering.ts';
import { LiveEntries } from './live-entries.ts';
import { scoresFor } from './topic-scores.ts';
import { TopicTitles, type Words } from './topic-titles.ts';

/** Share of a page's own or inherited similarity that its links inherit (Hersovici 1998, δ). */
const DELTA = 0.5;
/** Weight of the anchor relative to its context (β). */
const BETA = 0.8;
/** Weight of the inherited score relative to the text around the link (γ). */
const GAMMA = 0.5;

interface Waiting {
  readonly potential: number;
  readonly inherited: number;
}

/**
 * Shark-search (Hersovici et al. 1998). A link's score is half inherited from its page and half computed from its
 * anchor and the words around it. The published rule "context counts 1 when the anchor matches" is omitted, because
 * it hides how well the context matches. The similarity of a page is its cosine to the topic's examples. For the few
 * words of a link, the topic's titles replace the query.
 *
 * As published, a page passes on its own similarity; it passes on its inherited score only if it does not match at
 * all. A cosine is hardly ever 0, but passing on the larger of the two costs .08 nAUC on our tasks: it follows good
 * pages too deep.
 */
export class SharkSearchOrdering implements Ordering {
  readonly name = 'shark-search';
  readonly focused = false;
  readonly #titles: TopicTitles;
  readonly #waiting = new LiveEntries<Waiting>();

  constructor(words?: Words) {
    this.#titles = new TopicTitles(words);
  }

  judged(page: JudgedPage): void {
    this.#titles.learn(page);
  }

  priorityOf({ url, topic, page, link }: LinkOffer): number {
    const inherited = this.#inherited(page, topic);
    const text = BETA * this.#titles.similarity(topic, link.anchor, page.language);
    const context = (1 - BETA) * this.#titles.similarity(topic, link.context, page.language);
    const potential = GAMMA * inherited + (1 - GAMMA) * (text + context);
    const known = this.#waiting.get(url);
    if (known !== undefined && known.potential >= potential) {
      this.#waiting.set(url, known);
      return known.potential;
    }
    this.#waiting.set(url, { potential, inherited });
    return potential;
  }

  changes(): [] {
    return [];
  }

  gone(url: CanonicalUrl): void {
    this.#waiting.gone(url);
  }

  #inherited(page: JudgedPage, topic: TopicId): number {
    const own = scoresFor(page, topic)?.cosine ?? 0;
    const promised = (page.entry && this.#waiting.get(page.entry.url)?.inherited) ?? 0;
    return DELTA * (own > 0 ? own : promised);
  }

  exchange(fields: Fields): void {
    this.#titles.exchange(fields);
    this.#waiting.exchange(fields);
  }
}
