import {
  type AlarmData,
  type ClassifierExtension,
  type CrawlEvent,
  type CrawlStatus,
  type ExtractorExtension,
  type OrderingExtension,
  type Phase,
  type Question,
  type SettingChange,
  type SinkExtension,
  type SteerCommand,
  type VisitRecord,
  waitingLinks,
} from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import type { StoreStatus } from '../../store/index.ts';
import { type PageRow, rowOfRecord } from '../reading/page-row.ts';
import type { StandingAnswer } from '../standing/standing-queries.ts';

/** The outcome of a crawl, and the totals of the store. */
export interface CrawlOutcome {
  readonly summary: CrawlSummary;
  readonly found: StoreStatus;
  /** Answers of the standing queries after the crawl. */
  readonly standing?: readonly StandingAnswer[];
}

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
  /** The user is asked about a page; answer by {@link CrawlRun.answer}. The crawl continues meanwhile. */
  | { readonly kind: 'question'; readonly question: Question }
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
  /** What standing queries found for the first time; missing without standing queries. */
  readonly standing?: readonly StandingAnswer[];
}

/** An event sink: receives what {@link OpenWorkspace.crawl} yields. */
export type EventSink = SinkExtension<WorkspaceCrawlEvent>;

/** Code of the user that takes part in a crawl: the default export of a module, or an object. */
export type Extension = EventSink | ExtractorExtension | ClassifierExtension | OrderingExtension;

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

/** Returns the outcome of a crawl as plain data. */
export function summaryOf({ summary, found, standing = [] }: CrawlOutcome): WorkspaceCrawlSummary {
  const { reason, fetchedNow, spent, recheck, status } = summary;
  return {
    ...{ reason, fetchedNow, spent },
    ...(recheck === undefined ? {} : { recheck }),
    pages: status.fetched,
    budget: summary.budget,
    relevant: found.relevant,
    harvestRate: found.harvestRate,
    waiting: waitingLinks(status),
    elapsedMs: Math.round(status.elapsedMs),
    ...(standing.length > 0 && { standing }),
  };
}

function keysOf(pages: readonly { readonly key: string }[]): readonly string[] {
  return pages.map(({ key }) => key);
}
