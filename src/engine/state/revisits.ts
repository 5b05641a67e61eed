import { endingOf, LINKS_FOLLOWED, type PageRecord, type TopicId, type VisitRecord } from '../../core/index.ts';
import type { FrontierEntry, TrapGuard } from '../../crawl/index.ts';
import type { Copies } from './copies.ts';
import type { KeptPages } from './kept-pages.ts';
import type { LinkGate } from './link-gate.ts';
import type { SeenUrls } from './seen.ts';
import type { Waiting } from './waiting.ts';

/** The parts of the crawl that a look at a stored page may change. */
export interface RevisitPorts {
  readonly seen: SeenUrls;
  readonly copies: Copies;
  readonly kept: KeptPages;
  readonly waiting: Waiting;
  readonly gate: LinkGate;
  readonly guard: TrapGuard;
}

/** Stored pages that were looked at again. */
export class Revisits {
  readonly #ports: RevisitPorts;

  constructor(ports: RevisitPorts) {
    this.#ports = ports;
  }

  /**
   * A stored page has changed. It takes the place of its old version wherever pages are chosen from. What was learned from the
   * old version stays: a person vouched for that one.
   */
  changed(record: PageRecord, topic: TopicId | undefined): void {
    this.#ports.copies.note(record.document.contentHash, record.sequence);
    this.#ports.kept.renew(record, topic);
  }

  /** What were copies of a page's older versions, known by their numbers, may be none of the new one. */
  freeCopies(older: ReadonlySet<number>, record: PageRecord): void {
    for (const page of older) this.#fetchAgain(this.#ports.copies.renewed(page, record));
  }

  /**
   * A page stays what it is, whatever became of it: the store tells.
   * @returns true when its links are to be followed as those of a page that asks not to be stored
   */
  looked(record: VisitRecord): boolean {
    const { seen, copies, kept } = this.#ports;
    // The record of a page that is the same as another one names that one.
    if (endingOf(record) !== undefined) {
      const page = record.result === 'duplicate' ? (seen.pageOf(record.url) ?? 0) : record.page;
      this.#fetchAgain(copies.left(page));
      kept.left(record.url);
    }
    if (record.result === 'unchanged') copies.isBack(record.page);
    if (record.reason !== LINKS_FOLLOWED) return false;
    // It may have moved to where it asks this.
    if (!seen.has(record.url)) seen.add(record.url, record.page);
    return true;
  }

  /** Copies of a page that is no more what it was go before the frontier, as links that a recheck found. */
  #fetchAgain(entries: readonly FrontierEntry[]): void {
    const { gate, guard, waiting } = this.#ports;
    for (const entry of entries) {
      const { url, host } = entry;
      if (!gate.isAdmissible(url, host) || waiting.isSpent(entry)) continue;
      if (guard.standing(url, host) !== 'barred') waiting.pinned.add([{ entry, role: 'crawled' }]);
    }
  }
}
