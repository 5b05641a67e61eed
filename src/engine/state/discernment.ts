import type { Fields } from '../../kit/index.ts';
import { Sample } from './sample.ts';

/** Pages under one model before it is judged itself, and the most that are counted: who sees so many without help is not helped. */
const LEAST_PAGES = 10;
const MOST_PAGES = 500;
/** A model that accepts more than this share of what is fetched tells nothing apart; focused crawls accept a tenth to a half. */
const ACCEPTED_SHARE = 0.8;
/** A model that accepts less than this share of what is fetched may tell as little; our choice. */
const LEAST_SHARE = 0.05;
/** Pages at the first round that chooses stand-ins, if they are needed; the next ones come when it has doubled: what pages teach at first counts most. */
const FIRST_ROUND = 10;

/**
 * What a crawl does where people named no OTHERS of the sites that it crawls. Beside OTHERS from elsewhere, or none, every page at
 * hand may look like the examples. Once a model accepts nearly everything, pages of the crawl stand in for OTHERS, chosen anew in each round
 * out of an even sample of all that was fetched. (Measured in docs/quality.md, "Without OTHERS".)
 */
export class Discernment<T> {
  readonly #pages: Sample<T>;
  #fetched = 0;
  /** Pages when a model was found to accept nearly everything; 0 while none did. */
  #lackedAt = 0;
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
    if (this.#judged < MOST_PAGES) {
      this.#judged++;
      if (isAccepted) this.#accepted++;
    }
    if (this.#lackedAt === 0 && this.isLacking && this.#fetched % FIRST_ROUND === 0) this.#lackedAt = this.#fetched;
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

  /** True while the model accepts hardly anything. */
  get isRejecting(): boolean {
    return this.#judged >= LEAST_PAGES && this.#accepted < LEAST_SHARE * this.#judged;
  }

  /**
   * True at the pages of a round that is for stand-ins alone: as soon as they are needed, and whenever the crawl has doubled since its
   * tenth page, until other rounds come.
   */
  get isRoundDue(): boolean {
    if (this.#lackedAt === 0) return false;
    if (this.#lackedAt === this.#fetched) return true;
    return this.#fetched < this.#retrainEvery && Number.isInteger(Math.log2(this.#fetched / FIRST_ROUND));
  }

  /** Pages that stand-ins may be chosen from; none before they are needed. */
  candidates(): readonly T[] {
    return this.#lackedAt === 0 ? [] : this.#pages.values();
  }

  exchange(fields: Fields): void {
    this.#pages.exchange(fields);
    this.#fetched = fields.value(this.#fetched);
    this.#lackedAt = fields.value(this.#lackedAt);
    this.#judged = fields.value(this.#judged);
    this.#accepted = fields.value(this.#accepted);
  }
}
