/** A page as the model in force ranked it. */
interface Ranked {
  readonly relevance: number;
}

/** Pages under one model before it is judged itself, and the most that are kept: who sees so many without help is not helped. */
const LEAST_PAGES = 10;
const MOST_PAGES = 500;
/** A model that accepts more than this share of what is fetched tells nothing apart; focused crawls accept a tenth to a half. */
const ACCEPTED_SHARE = 0.8;
/** Share of its pages, those ranked lowest, that are taken for OTHERS. */
const LOW_SHARE = 1 / 3;
/** Pages between two rounds while a model tells nothing apart. */
const ROUND_EVERY = 20;

/**
 * Whether the model in force tells pages apart at all. Where OTHERS are few, or come from elsewhere, every page of the web at
 * hand looks like the examples. The order of such a model's scores is worth more than its yes and no: the pages that it ranks lowest are
 * taken for OTHERS, and the next model has something to set the topic against. (Reliable negatives, in learning from positive and
 * unlabelled pages; measured in docs/quality.md, "Without OTHERS".)
 */
export class Discernment<T extends Ranked> {
  #pages: T[] = [];
  #accepted = 0;

  /** A page was judged by the model in force. */
  note(page: T, isAccepted: boolean): void {
    if (this.#pages.length === MOST_PAGES) return;
    this.#pages.push(page);
    if (isAccepted) this.#accepted++;
  }

  /** Another model is in force. */
  renew(): void {
    this.#pages = [];
    this.#accepted = 0;
  }

  /** True while the model accepts nearly everything. */
  get isLacking(): boolean {
    return this.#pages.length >= LEAST_PAGES && this.#accepted > ACCEPTED_SHARE * this.#pages.length;
  }

  /** True at the pages where a model that tells nothing apart should be trained anew. */
  get isRoundDue(): boolean {
    const count = this.#pages.length;
    return this.isLacking && count < MOST_PAGES && count % ROUND_EVERY === 0;
  }

  /** Pages that the model ranked lowest, lowest first. */
  lowest(): readonly T[] {
    const count = Math.floor(LOW_SHARE * this.#pages.length);
    return this.#pages.toSorted((a, b) => a.relevance - b.relevance).slice(0, count);
  }
}
