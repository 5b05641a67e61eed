import type {
  AlarmData,
  CrawlEvent,
  CrawlStatus,
  Phase,
  SettingChange,
  SteerCommand,
  VisitRecord,
} from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import { type PageRow, rowOfRecord } from '../reading/page-row.ts';

/** A fetched page. `topic` is `null` if no topic accepted it. */
export interface PageEvent extends PageRow {
  readonly kind: 'page';
}

/** A fetch that returned no page. */
export interface VisitEvent extends Pick<VisitRecord, 'url' | 'result' | 'reason' | 'detail' | 'status' | 'target'> {
  readonly kind: 'visit';
  readonly sequence: number;
}

/** A training round. */
export interface RoundEvent {
  readonly kind: 'round';
  readonly model: number;
  readonly reason: string;
  /** The drift guard rolled back the round. */
  readonly undone: boolean;
  /** Pages that became archetypes. */
  readonly admitted: readonly string[];
  readonly dropped: readonly string[];
  /** Number of training pages. */
  readonly training: number;
}

/** The crawl's events, in order. A page is durable once a `stored` event has its `sequence` or a greater one. */
export type WorkspaceCrawlEvent =
  | PageEvent
  | VisitEvent
  | RoundEvent
  | { readonly kind: 'phase'; readonly phase: Phase; readonly reason: string }
  /** A user changed the running crawl. */
  | { readonly kind: 'steer'; readonly command: SteerCommand }
  | { readonly kind: 'stored'; readonly sequence: number }
  /** Training documents read, before the crawl begins. */
  | { readonly kind: 'documents'; readonly read: number; readonly total: number }
  /** Records of the journal read, before the crawl continues. */
  | { readonly kind: 'resuming'; readonly read: number; readonly total: number }
  /** Settings that differ from those of the last run. */
  | { readonly kind: 'settings'; readonly changes: readonly SettingChange[] }
  | {
      readonly kind: 'alarm';
      readonly code: string;
      readonly message: string;
      readonly remedy: string;
      readonly data?: AlarmData;
    }
  | { readonly kind: 'status'; readonly status: CrawlStatus }
  /** Stored pages judged again by the last model, after the crawl. */
  | { readonly kind: 'judged'; readonly pages: number; readonly of: number }
  /** The last event. */
  | ({ readonly kind: 'summary' } & WorkspaceCrawlSummary);

/** The outcome of a crawl. */
export interface WorkspaceCrawlSummary extends Pick<CrawlSummary, 'reason' | 'fetchedNow' | 'spent' | 'recheck'> {
  /** Pages that count against the budget, over all runs. */
  readonly pages: number;
  readonly budget: number;
  /** Accepted pages, over all runs. */
  readonly relevant: number;
  /** Share of relevant pages, in [0,1]. */
  readonly harvestRate: number;
  /** Waiting links. */
  readonly waiting: number;
  readonly elapsedMs: number;
}

/** Converts an event of the engine to plain data. */
export function crawlEvent(event: CrawlEvent): WorkspaceCrawlEvent {
  switch (event.kind) {
    case 'page':
      return { kind: 'page', ...rowOfRecord(event.record) };
    case 'visit': {
      const { url, result, reason, detail, status, target, sequence } = event.record;
      return { kind: 'visit', url, result, reason, detail, status, target, sequence };
    }
    case 'round': {
      const { model, reason, undone, admitted, dropped, training } = event.record;
      return {
        kind: 'round',
        model,
        reason,
        undone,
        admitted: keysOf(admitted),
        dropped: keysOf(dropped),
        training: training.length,
      };
    }
    case 'phase':
      return { kind: 'phase', phase: event.record.phase, reason: event.record.reason };
    case 'steer':
      return { kind: 'steer', command: event.record.command };
    default:
      return event;
  }
}

function keysOf(pages: readonly { readonly key: string }[]): readonly string[] {
  return pages.map(({ key }) => key);
}
