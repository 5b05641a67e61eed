import type { Fields } from '../../kit/index.ts';
import { Sample } from './sample.ts';

/** Number of pages before a model is assessed, and the maximum counted. */
const LEAST_PAGES = 10;
const MOST_PAGES = 500;
/**
 * A model that accepts more than this share of pages does not discriminate; focused crawls accept a tenth to a half.
 */
const ACCEPTED_SHARE = 0.8;
/** A model that accepts less than this share may not discriminate either; our choice. */
const LEAST_SHARE = 0.05;
/**
 * Page count of the first round that chooses stand-ins, if needed. The next ones follow at each doubling: early pages
 * teach most.
 */
const FIRST_ROUND = 10;

/**
 * What a crawl does if the user named no counter-examples from the crawled sites. With counter-examples from
 * elsewhere, or none, every crawled page may look like the examples. Once a model accepts nearly everything, pages of
 * the crawl serve as negative examples. Each round chooses them again from an even sample of all fetched pages.
 * (Measured in docs/quality.md, "Without OTHERS".)
 */
export class Discernment<T> {
  readonly #pages: Sample<T>;
  #fetched = 0;
  /** Page count when a model was found to accept nearly everything; 0 if none did. */
  #lackedAt = 0;
  /** True while only the seeds' sites are fetched: a good model may accept all of their pages. */
  #isConfined = false;
  /** Pages judged by the current model. */
  #judged = 0;
  #accepted = 0;

  readonly #retrainEvery: number;

  /**
   * @param limit maximum number of pages to choose stand-ins from
   * @param retrainEvery page interval of the regular rounds, which choose stand-ins too
   */
  constructor(limit: number, retrainEvery: number) {
    this.#pages = new Sample(limit);
    this.#retrainEvery = retrainEvery;
  }

  /** Records whether only the seeds' sites are fetched from now on; a model is assessed on other pages then. */
  confine(isConfined: boolean): void {
    // A model that rejects nearly everything does so on other sites, too.
    if (isConfined !== this.#isConfined && !this.isRejecting) this.renew();
    this.#isConfined = isConfined;
  }

  /** Adds a page judged by the current model. */
  note(key: string, page: T, isAccepted: boolean): void {
    this.#fetched++;
    this.#pages.offer(key, page);
    if (this.#judged < MOST_PAGES) {
      this.#judged++;
      if (isAccepted) this.#accepted++;
    }
    if (this.#lackedAt === 0 && this.isLacking && this.#judged % FIRST_ROUND === 0) this.#lackedAt = this.#fetched;
  }

  /** Starts counting for another model. */
  renew(): void {
    this.#judged = 0;
    this.#accepted = 0;
  }

  /** True if the model accepts nearly everything, on other sites than the seeds' too. */
  get isLacking(): boolean {
    return !this.#isConfined && this.#judged >= LEAST_PAGES && this.#accepted > ACCEPTED_SHARE * this.#judged;
  }

  /** True if the model accepts hardly anything. */
  get isRejecting(): boolean {
    return this.#judged >= LEAST_PAGES && this.#accepted < LEAST_SHARE * this.#judged;
  }

  /**
   * True at the page counts of rounds that only choose stand-ins: as soon as they are needed, and at each doubling
   * from the tenth page on, until regular rounds start.
   */
  get isRoundDue(): boolean {
    if (this.#lackedAt === 0 || this.#isConfined) return false;
    if (this.#lackedAt === this.#fetched) return true;
    return this.#fetched < this.#retrainEvery && Number.isInteger(Math.log2(this.#fetched / FIRST_ROUND));
  }

  /** Returns the pages that stand-ins may be chosen from; empty before they are needed. */
  candidates(): readonly T[] {
    return this.#lackedAt === 0 ? [] : this.#pages.values();
  }

  exchange(fields: Fields): void {
    this.#pages.exchange(fields);
    this.#fetched = fields.value(this.#fetched);
    this.#lackedAt = fields.value(this.#lackedAt);
    this.#isConfined = fields.value(this.#isConfined);
    this.#judged = fields.value(this.#judged);
    this.#accepted = fields.value(this.#accepted);
  }
}
