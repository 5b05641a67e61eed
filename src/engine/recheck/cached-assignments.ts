import { TrainingSet } from '../rounds/training-set.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import type { GivenPlaces } from '../training/user-assignments.ts';

/** Everything the places depend on. Values are replaced when they change; stored pages count their changes. */
type Source = readonly [tree: unknown, judgements: unknown, training: unknown, changes: number];

/** Where the user put stored pages. Rebuilt only after changes: with thousands of decisions this takes time. */
export class HeldPlaces {
  #source: Source | undefined;
  #places: GivenPlaces | undefined;

  /** Returns the current places. */
  of(state: CrawlState): GivenPlaces {
    const { tree, steering, training } = state;
    const source: Source = [tree, steering.judgements, training, training.changes];
    if (this.#places === undefined || !source.every((value, i) => value === this.#source?.[i])) {
      this.#source = source;
      this.#places = new TrainingSet(state).places();
    }
    return this.#places;
  }
}
