import type { RecallEstimate } from '../core/index.ts';
import { recallEstimate } from '../learn/index.ts';
import type { CrawlState } from './state/crawl-state.ts';

/** Pages between two estimates: each walks over a sample of addresses. */
const EVERY = 10;

/** Estimates how much of what is relevant the crawl has found. */
export class RecallWatch {
  readonly #state: () => CrawlState;
  readonly #target: number;
  #step = -1;
  #estimate: RecallEstimate | undefined;

  /** @param target - estimated share at which a run ends, in [0,1); 0 = never */
  constructor(state: () => CrawlState, target: number) {
    this.#state = state;
    this.#target = target;
  }

  /** Returns the estimate, at most some pages old; `undefined` unless a harvest has shown enough. */
  now(): RecallEstimate | undefined {
    const state = this.#state();
    if (state.phase !== 'harvesting') return undefined;
    const step = Math.floor(state.tally.fetched / EVERY);
    if (step !== this.#step) this.#estimate = recallEstimate(state.findFigures());
    this.#step = step;
    return this.#estimate;
  }

  /** True if enough was found for the run to end. */
  get isReached(): boolean {
    return this.#target > 0 && (this.now()?.share ?? 0) >= this.#target;
  }
}
