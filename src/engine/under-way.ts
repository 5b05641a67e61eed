import { isBudgeted, isTraining, type Pinned } from './state/jobs.ts';

/** Counts the fetches that go on, until their records are there. */
export class UnderWay {
  readonly #jobs = new Set<Pinned>();
  #budgeted = 0;
  #training = 0;

  get all(): number {
    return this.#jobs.size;
  }

  /** Those that may become pages of the budget. */
  get budgeted(): number {
    return this.#budgeted;
  }

  /** Those of training pages. */
  get training(): number {
    return this.#training;
  }

  start(job: Pinned): void {
    this.#jobs.add(job);
    this.#count(job, 1);
  }

  /** Does nothing when it has ended before. */
  end(job: Pinned): void {
    if (this.#jobs.delete(job)) this.#count(job, -1);
  }

  #count(job: Pinned, by: 1 | -1): void {
    if (isBudgeted(job)) this.#budgeted += by;
    if (isTraining(job)) this.#training += by;
  }
}
