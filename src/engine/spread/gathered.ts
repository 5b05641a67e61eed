import { originalPlace, type PageRecord, type VisitRecord } from '../../core/index.ts';
import { type OfflinePorts, offlineState } from '../offline-state.ts';
import { copyVisit } from '../records.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import { jobOf } from '../state/replay.ts';

/** Returns the record of a page of a shard in the crawl of the whole. */
export type AsOne = (page: PageRecord) => PageRecord | VisitRecord;

/** Returns the record of a fetch of a shard in the crawl of the whole, given its sequence there. */
export type PlaceFetch = (sequence: number, asOne: AsOne) => PageRecord | VisitRecord;

/**
 * Returns the function that places a fetch of a shard in the crawl of the whole.
 * @param places sequences there by sequence in the shard; it adds that of the fetch
 */
export function placing(record: PageRecord | VisitRecord, places: Map<number, number>): PlaceFetch {
  return (sequence, asOne) => {
    const placed =
      record.kind === 'page'
        ? asOne({ ...record, sequence })
        : { ...record, sequence, page: places.get(record.page) ?? record.page };
    places.set(record.sequence, originalPlace(placed));
    return placed;
  };
}

/**
 * Returns a page of a shard as one crawl would have stored it: a copy of a page of another shard is a duplicate. The
 * shard has compared the page with its own pages.
 */
export function asOne(page: PageRecord, { copies }: Pick<CrawlState, 'copies'>): PageRecord | VisitRecord {
  if (page.role !== 'crawled') return page;
  const original = copies.originalOf(page.document, page.finalUrl, page.origin.via);
  return original === undefined ? page : copyVisit(page, original);
}

/** The crawl of the whole while no process continues it. Fetches of shards can be added. */
export interface OfflineWhole {
  /** Pages that count against the budget. */
  readonly fetched: number;
  /** Folds a fetch, and returns its record. */
  add(place: PlaceFetch): PageRecord | VisitRecord;
}

/** Folds the journal of the whole; `undefined` if it was stopped. */
export async function offlineWhole(ports: OfflinePorts): Promise<OfflineWhole | undefined> {
  const folded = offlineState(ports);
  if (!(await folded.read())) return undefined;
  const { state } = folded;
  return {
    fetched: state.tally.fetched,
    add(place) {
      const record = place(state.sequence + 1, (page) => asOne(page, state));
      state.apply(record, jobOf(state, record));
      state.takeAlarms(); // They are about a crawl that runs.
      return record;
    },
  };
}
