import type { TopicId } from '../core/index.ts';
import type { Fields } from '../kit/index.ts';

/** Takes that a topic can have coming at the most: one whose hosts all rest does not save up for later. */
const MAX_CREDIT = 2;

/**
 * Fairness between topics: with every take each topic that has waiting links earns
 * `fairShare` / n of a take, n being the number of such topics, and the topic that is taken from pays one. A topic that
 * has earned a whole take is due. So while it has links that may be taken, a topic gets at least `fairShare` · W / n of
 * any W takes, less two; what nobody is due goes to the best link of all.
 *
 * A function of the calls alone: it knows neither clocks nor hosts, so a journal repeats it.
 */
export class TopicShares {
  readonly #fairShare: number;
  readonly #credits = new Map<TopicId, number>();

  /** @param fairShare - in [0,1]; 0: nobody is ever due */
  constructor(fairShare: number) {
    this.#fairShare = fairShare;
  }

  /** Topics that are due, most first; of equals the one that came first. */
  due(): readonly TopicId[] {
    const due = [...this.#credits].filter(([, credit]) => credit >= 1);
    return due.sort((a, b) => b[1] - a[1]).map(([topic]) => topic);
  }

  /** A link of `taken` was taken while the topics `waiting` had links, `taken` among them. */
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
