import { Sample } from './sample.ts';

/** Pages under one model before it is judged itself, and the most that are counted: who sees so many without help is not helped. */
const LEAST_PAGES = 10;
const MOST_PAGES = 500;
/** A model that accepts more than this share of what is fetched tells nothing apart; focused crawls accept a tenth to a half. */
const ACCEPTED_SHARE = 0.8;
/** Pages at the first round that chooses stand-ins, and what they are multiplied by until the next: what pages teach at first counts most. */
const FIRST_ROUND = 10;
const GROWTH = 2;

/**
 * What a crawl does where people named no OTHERS of the sites that it crawls. Beside OTHERS from elsewhere, or none, every page at
 * hand looks like the examples; so pages of the crawl stand in for OTHERS, chosen anew in each round out of an even sample of
 * all that was fetched. (Measured in docs/quality.md, "Without OTHERS".)
 */
export class Discernment<T> {
  readonly #pages: Sample<T>;
  #fetched = 0;
  /** Under the model in force. */
  #judged = 0;
  #accepted = 0;

  readonly #retrainEvery: number;

  /**
   * @param limit most pages that stand-ins are chosen from
   * @param retrainEvery pages at which the rounds of every crawl begin, which choose stand-ins too
   */
  constructor(limit: number, retrainEvery: number) {
    this.#pages = new Sample(limit);
    this.#retrainEvery = retrainEvery;
  }

  /** A page was judged by the model in force. */
  note(key: string, page: T, isAccepted: boolean): void {
    this.#fetched++;
    this.#pages.offer(key, page);
    if (this.#judged === MOST_PAGES) return;
    this.#judged++;
    if (isAccepted) this.#accepted++;
  }

  /** Another model is in force. */
  renew(): void {
    this.#judged = 0;
    this.#accepted = 0;
  }

  /** True while the model accepts nearly everything. */
  get isLacking(): boolean {
    return this.#judged >= LEAST_PAGES && this.#accepted > ACCEPTED_SHARE * this.#judged;
  }

  /** True at the pages of a round that is for stand-ins alone: the tenth, and whenever the crawl has doubled, until other rounds come. */
  get isRoundDue(): boolean {
    if (this.#fetched >= this.#retrainEvery) return false;
    const doublings = Math.log2(this.#fetched / FIRST_ROUND) / Math.log2(GROWTH);
    return doublings >= 0 && Number.isInteger(doublings);
  }

  /** Pages that stand-ins may be chosen from; none before the first of its rounds. */
  candidates(): readonly T[] {
    return this.#fetched < FIRST_ROUND ? [] : this.#pages.values();
  }
}
