import { TrainingSet } from '../rounds/training-set.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import type { GivenPlaces } from '../training/given-places.ts';

/** All that the places follow from; values are replaced when they change, and the stored pages count their changes. */
type Source = readonly [tree: unknown, judgements: unknown, training: unknown, changes: number];

/** Where people put stored pages, made anew only when something changed: with thousands of decisions that takes its time. */
export class HeldPlaces {
  #source: Source | undefined;
  #places: GivenPlaces | undefined;

  /** The places as the state has them now. */
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
