import type { Phase, VisitRecord } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';

/** Number of pages for the recent harvest rate. */
const RECENT = 100;

/** Running totals of a crawl. */
export class Tally {
  /** Pages that count towards the budget, including copies and pages that ask not to be stored. */
  fetched = 0;
  /** Pages of this learning phase. */
  learned = 0;
  relevant = 0;
  failed = 0;
  refused = 0;
  duplicates = 0;
  /** Pages since the last relevant one. */
  sinceRelevant = 0;
  /** Pages fetched when the last round was written; -1 before the first one. */
  fetchedAtRound = -1;
  readonly #recent: boolean[] = [];

  /** Share of relevant pages among the last ones; 0 before the first page. */
  get recentHarvestRate(): number {
    return this.#recent.length === 0 ? 0 : this.#recent.filter(Boolean).length / this.#recent.length;
  }

  page(phase: Phase, isRelevant: boolean): void {
    this.fetched++;
    if (phase === 'learning') this.learned++;
    if (isRelevant) this.relevant++;
    this.sinceRelevant = isRelevant ? 0 : this.sinceRelevant + 1;
    this.#recent.push(isRelevant);
    if (this.#recent.length > RECENT) this.#recent.shift();
  }

  /** Counts a fetch that used a page's budget without storing a page. */
  unstored(phase: Phase): void {
    this.fetched++;
    if (phase === 'learning') this.learned++;
  }

  visit(result: VisitRecord['result']): void {
    if (result === 'failed') this.failed++;
    else if (result === 'refused' || result === 'noindex') this.refused++;
    else if (result === 'duplicate') this.duplicates++;
  }

  round(): void {
    this.fetchedAtRound = this.fetched;
  }

  /** Starts counting another learning phase. */
  learnsAnew(): void {
    this.learned = 0;
  }

  exchange(fields: Fields): void {
    this.fetched = fields.value(this.fetched);
    this.learned = fields.value(this.learned);
    this.relevant = fields.value(this.relevant);
    this.failed = fields.value(this.failed);
    this.refused = fields.value(this.refused);
    this.duplicates = fields.value(this.duplicates);
    this.sinceRelevant = fields.value(this.sinceRelevant);
    this.fetchedAtRound = fields.value(this.fetchedAtRound);
    fields.list(this.#recent);
  }
}
