import type { Judgement } from '../core/index.ts';
import type { DecisionMaker, OpenWorkspace, ReviewTopic, TopicReview } from '../workbench/index.ts';

/** A review ends after this idle time, because it locks the workspace. */
const IDLE_MS = 15 * 60_000;

/** A review in progress. */
export interface ReviewState {
  /** Pages to decide on, topic by topic, then the counter-examples. */
  readonly topics: readonly ReviewTopic[];
  /** Decisions that are not applied yet. */
  readonly decisions: readonly MadeDecision[];
}

/** A decision with the name of its reviewer and its time. */
export type MadeDecision = Judgement & Partial<DecisionMaker>;

/** A review that clients share. */
export class OpenReview {
  readonly #review: TopicReview;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout;

  private constructor(review: TopicReview, onEnd: () => void) {
    this.#review = review;
    this.#onEnd = onEnd;
    this.#timer = this.#wait();
  }

  /** @param onEnd called once it has ended, on request or by itself */
  static async open(workspace: OpenWorkspace, topic: string | undefined, onEnd: () => void): Promise<OpenReview> {
    return new OpenReview(await workspace.review(topic), onEnd);
  }

  /** The review; using it keeps it open. */
  get review(): TopicReview {
    clearTimeout(this.#timer);
    this.#timer = this.#wait();
    return this.#review;
  }

  state(): ReviewState {
    const { candidates, decisions, makers } = this.review;
    return {
      topics: candidates,
      decisions: [...decisions.values()].map((one) => ({ ...one, ...makers.get(one.key) })),
    };
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#onEnd();
    await this.#review.close();
  }

  #wait(): NodeJS.Timeout {
    return setTimeout(() => void this.close().catch(() => {}), IDLE_MS).unref();
  }
}
