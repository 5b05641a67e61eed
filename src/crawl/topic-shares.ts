import type { TopicId } from '../core/index.ts';
import type { Fields } from '../kit/index.ts';

/** Maximum number of takes a topic can save up, so that a topic whose hosts all rest does not accumulate a backlog. */
const MAX_CREDIT = 2;

/**
 * Fairness between topics. With every take, each of the n topics with waiting links earns `fairShare` / n of a take,
 * and the topic taken from pays one. A topic that has earned a whole take is due. So while it has available links, a
 * topic gets at least `fairShare` · W / n of any W takes, minus two. Takes that are not due go to the best link of
 * all topics.
 *
 * Depends on the calls alone, not on clocks or hosts, so that a journal can replay it.
 */
export class TopicShares {
  readonly #fairShare: number;
  readonly #credits = new Map<TopicId, number>();

  /** @param fairShare - in [0,1]; 0: no topic is ever due */
  constructor(fairShare: number) {
    this.#fairShare = fairShare;
  }

  /** Returns the due topics, most due first; among equals the oldest first. */
  due(): readonly TopicId[] {
    const due = [...this.#credits].filter(([, credit]) => credit >= 1);
    return due.sort((a, b) => b[1] - a[1]).map(([topic]) => topic);
  }

  /**
   * Records that a link of topic `taken` was taken while the topics in `waiting` had links. `taken` is in `waiting`.
   */
  took(taken: TopicId, waiting: ReadonlySet<TopicId>): void {
    if (this.#fairShare === 0) return;
    for (const topic of [...this.#credits.keys()]) if (!waiting.has(topic)) this.#credits.delete(topic);
    const earned = this.#fairShare / waiting.size;
    for (const topic of waiting)
      this.#credits.set(topic, Math.min(MAX_CREDIT, (this.#credits.get(topic) ?? 0) + earned));
    this.#credits.set(taken, Math.max(0, (this.#credits.get(taken) ?? 0) - 1));
  }

  exchange(fields: Fields): void {
    fields.map(this.#credits);
  }
}
