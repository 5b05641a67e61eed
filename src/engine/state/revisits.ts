import { endingOf, LINKS_FOLLOWED, type PageRecord, type TopicId, type VisitRecord } from '../../core/index.ts';
import type { FrontierEntry, TrapGuard } from '../../crawl/index.ts';
import type { Copies } from './copies.ts';
import type { KeptPages } from './kept-pages.ts';
import type { LinkGate } from './link-gate.ts';
import type { Waiting } from './retry-queue.ts';
import type { SeenUrls } from './seen-urls.ts';

/** The parts of the crawl that a recheck may change. */
export interface RevisitPorts {
  readonly seen: SeenUrls;
  readonly copies: Copies;
  readonly kept: KeptPages;
  readonly waiting: Waiting;
  readonly gate: LinkGate;
  readonly guard: TrapGuard;
}

/** Effects of rechecked pages. */
export class Revisits {
  readonly #ports: RevisitPorts;

  constructor(ports: RevisitPorts) {
    this.#ports = ports;
  }

  /**
   * Replaces a changed page's old version wherever pages are chosen from. What was learned from the old version
   * stays: the user chose that one.
   */
  changed(record: PageRecord, topic: TopicId | undefined): void {
    this.#ports.copies.note(record.document.contentHash, record.sequence);
    this.#ports.kept.renew(record, topic);
  }

  /** Copies of a page's older versions, given by sequence, may differ from the new version. */
  freeCopies(older: ReadonlySet<number>, record: PageRecord): void {
    for (const page of older) this.#fetchAgain(this.#ports.copies.renewed(page, record));
  }

  /**
   * Handles a recheck without a new version. The page keeps its role; the store has the result.
   * @returns true if its links are to be followed like those of a page that asks not to be stored
   */
  looked(record: VisitRecord): boolean {
    const { seen, copies, kept } = this.#ports;
    // The record of a page that became equal to another one names that other page.
    if (endingOf(record) !== undefined) {
      const page = record.result === 'duplicate' ? (seen.pageOf(record.url) ?? 0) : record.page;
      this.#fetchAgain(copies.left(page));
      kept.left(record.url);
    }
    if (record.result === 'unchanged') copies.isBack(record.page);
    if (record.reason !== LINKS_FOLLOWED) return false;
    // The page may have moved to the address that asks not to be stored.
    if (!seen.has(record.url)) seen.add(record.url, record.page);
    return true;
  }

  /** Puts copies of a changed page before the frontier, like links that a recheck found. */
  #fetchAgain(entries: readonly FrontierEntry[]): void {
    const { gate, guard, waiting } = this.#ports;
    for (const entry of entries) {
      const { url, host } = entry;
      if (!gate.isAdmissible(url, host) || waiting.isSpent(entry)) continue;
      if (guard.standing(url, host) !== 'barred') waiting.pinned.add([{ entry, role: 'crawled' }]);
    }
  }
}
