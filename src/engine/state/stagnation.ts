import type { TopicId } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';

/** A crawl is barren if its share of relevant pages is below this. Our choice, measured in docs/quality.md. */
const LEAST_RATE = 0.01;
/** Key for the counts of all pages; no topic has this name. */
const ALL = '\0all';
/** Number of alarms before a crawl that only reports stops by itself. */
const ALARMS = 3;

/** State of a run that finds nothing any more. */
export interface BarrenStanding {
  /** Number of last pages examined, and of relevant ones among them. */
  readonly pages: number;
  readonly relevant: number;
  /** Pages until a crawl that raises alarms ends. */
  readonly endsIn: number;
}

/** The pages of a run, or of one topic in it. */
interface Row {
  pages: number;
  /** Numbers of the recent relevant pages, ascending. */
  readonly hits: number[];
}

/**
 * Detects that a run finds nothing any more: less than one in a hundred of the last pages is relevant, overall and in
 * each topic. Starts from zero with each run, so a continued crawl gets as many pages again.
 */
export class BarrenRow {
  readonly #length: number;
  readonly #rows = new Map<TopicId | typeof ALL, Row>();
  /** Page count of the run when it became barren; 0 if it is not. */
  #since = 0;

  /** @param length - number of last pages examined; 0 = never barren */
  constructor(length: number) {
    this.#length = length;
  }

  note(topic: TopicId, isRelevant: boolean): void {
    for (const id of [ALL, topic] as const) this.#noteIn(id, isRelevant);
    if (!this.#isBarren()) this.#since = 0;
    else if (this.#since === 0) this.#since = this.#pages;
  }

  /** Starts from zero: with a run, or if the user wants a barren crawl to continue. */
  beginRun(): void {
    this.#rows.clear();
    this.#since = 0;
  }

  /** `undefined` if the run still finds pages. */
  get standing(): BarrenStanding | undefined {
    if (this.#since === 0) return undefined;
    const relevant = this.#rows.get(ALL)?.hits.length ?? 0;
    const endsIn = Math.max(0, this.#since + (ALARMS - 1) * this.#length - this.#pages);
    return { pages: this.#length, relevant, endsIn };
  }

  /** True if the run should end: at once, or after enough alarms for the user to notice. */
  isOver(when: 'barren' | 'alarms'): boolean {
    return when === 'barren' ? this.#since > 0 : this.standing?.endsIn === 0;
  }

  exchange(fields: Fields): void {
    fields.map(this.#rows);
    this.#since = fields.value(this.#since);
  }

  get #pages(): number {
    return this.#rows.get(ALL)?.pages ?? 0;
  }

  #noteIn(id: TopicId | typeof ALL, isRelevant: boolean): void {
    const row = this.#rows.get(id) ?? { pages: 0, hits: [] };
    this.#rows.set(id, row);
    row.pages++;
    if (isRelevant) row.hits.push(row.pages);
    while (row.hits[0] !== undefined && row.hits[0] <= row.pages - this.#length) row.hits.shift();
  }

  #isBarren(): boolean {
    if (this.#length === 0 || this.#pages < this.#length) return false;
    return [...this.#rows.values()].every(({ hits }) => hits.length < LEAST_RATE * this.#length);
  }
}
