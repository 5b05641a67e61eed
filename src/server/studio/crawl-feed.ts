import { useEffect, useReducer } from 'react';
import type { CrawlStatus, Question } from '../../core/index.ts';
import type { WorkspaceCrawlEvent, WorkspaceCrawlSummary } from '../../workbench/index.ts';
import type { JobState } from '../crawl-job.ts';
import { api } from './api.ts';
import type { HarvestPoint, Moment } from './chart.tsx';

type PageEvent = Extract<WorkspaceCrawlEvent, { kind: 'page' }>;
type Alarm = Extract<WorkspaceCrawlEvent, { kind: 'alarm' }>;

/** Pages and points kept for the screen. */
const KEPT_PAGES = 50;
const KEPT_POINTS = 2_000;
const KEPT_ALARMS = 5;
const LOOK_MS = 3_000;

/** The events of a crawl as a screen needs them. */
export interface Feed {
  readonly state: JobState['state'] | 'none';
  readonly status: CrawlStatus | undefined;
  readonly summary: WorkspaceCrawlSummary | undefined;
  readonly problem: string | undefined;
  /** Latest first. */
  readonly pages: readonly PageEvent[];
  readonly points: readonly HarvestPoint[];
  readonly moments: readonly Moment[];
  readonly alarms: readonly Alarm[];
  readonly question: Question | undefined;
}

const EMPTY: Feed = {
  ...{ state: 'none', status: undefined, summary: undefined, problem: undefined },
  ...{ pages: [], points: [], moments: [], alarms: [], question: undefined },
};

type Action =
  | WorkspaceCrawlEvent
  | { readonly kind: 'job'; readonly job: JobState | undefined }
  | { readonly kind: 'answered' };

/** Adds an event to a feed. */
export function nextFeed(feed: Feed, action: Action): Feed {
  const pages = feed.status?.fetched ?? feed.points.at(-1)?.pages ?? 0;
  switch (action.kind) {
    case 'job': {
      if (action.job === undefined) return { ...feed, state: 'none' };
      const { state, status, summary, error } = action.job;
      return { ...feed, state, status: status ?? feed.status, summary, problem: error?.message };
    }
    case 'answered':
      return { ...feed, question: undefined };
    case 'page':
      return { ...feed, pages: [action, ...feed.pages].slice(0, KEPT_PAGES) };
    case 'status': {
      const { fetched, relevant } = action.status;
      const points = [...feed.points, { pages: fetched, relevant }].slice(-KEPT_POINTS);
      return { ...feed, state: 'running', status: action.status, points };
    }
    case 'round':
      return { ...feed, moments: [...feed.moments, { pages, label: `Training round ${action.model}` }] };
    case 'phase':
      return { ...feed, moments: [...feed.moments, { pages, label: `Phase: ${action.phase}` }] };
    case 'alarm':
      return { ...feed, alarms: [action, ...feed.alarms].slice(0, KEPT_ALARMS) };
    case 'question':
      return { ...feed, question: action.question };
    case 'summary':
      return { ...feed, state: 'ended', summary: action, question: undefined };
    default:
      return feed;
  }
}

const KINDS = ['page', 'status', 'round', 'phase', 'alarm', 'question', 'summary'] as const;

/** Follows the crawl that the server runs in a workspace, whichever client started it. */
export function useCrawlFeed(workspace: string): readonly [Feed, (action: Action) => void] {
  const [feed, take] = useReducer(nextFeed, EMPTY);
  useEffect(() => {
    let source: EventSource | undefined;
    const close = (): void => {
      source?.close();
      source = undefined;
    };
    const follow = (): void => {
      source = new EventSource(`/api/v1/workspaces/${encodeURIComponent(workspace)}/crawl/events`);
      for (const kind of KINDS)
        source.addEventListener(kind, (event) => {
          take(JSON.parse((event as MessageEvent<string>).data) as WorkspaceCrawlEvent);
          if (kind === 'summary') close();
        });
    };
    const look = async (): Promise<void> => {
      const job = await api(workspace)
        .get<JobState>('/crawl')
        .catch(() => undefined);
      take({ kind: 'job', job });
      if (job?.state === 'running' && source === undefined) follow();
      if (job?.state !== 'running') close();
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      clearInterval(timer);
      close();
    };
  }, [workspace]);
  return [feed, take];
}
