import { isBudgeted, isTraining, type Pinned } from './state/jobs.ts';

/** Counts the fetches that go on, until their records are there. */
export class UnderWay {
  #all = 0;
  #budgeted = 0;
  #training = 0;

  get all(): number {
    return this.#all;
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
    this.#count(job, 1);
  }

  end(job: Pinned): void {
    this.#count(job, -1);
  }

  #count(job: Pinned, by: 1 | -1): void {
    this.#all += by;
    if (isBudgeted(job)) this.#budgeted += by;
    if (isTraining(job)) this.#training += by;
  }
}
