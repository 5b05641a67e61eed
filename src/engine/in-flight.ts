import { isBudgeted, isTraining, type Pinned } from './state/jobs.ts';

/** Counts running fetches until they are recorded. */
export class UnderWay {
  readonly #jobs = new Set<Pinned>();
  #budgeted = 0;
  #training = 0;

  get all(): number {
    return this.#jobs.size;
  }

  /** Number of fetches that may become pages of the budget. */
  get budgeted(): number {
    return this.#budgeted;
  }

  /** Number of fetches of training pages. */
  get training(): number {
    return this.#training;
  }

  start(job: Pinned): void {
    this.#jobs.add(job);
    this.#count(job, 1);
  }

  /** Ends a fetch; does nothing if it has ended before. */
  end(job: Pinned): void {
    if (this.#jobs.delete(job)) this.#count(job, -1);
  }

  #count(job: Pinned, by: 1 | -1): void {
    if (isBudgeted(job)) this.#budgeted += by;
    if (isTraining(job)) this.#training += by;
  }
}
