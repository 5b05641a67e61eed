import type {
  CrawlStatus,
  LinkOrder,
  RecallEstimate,
  RenderCounts,
  SiteUse,
  StopReason,
  TopicGrade,
} from '../../core/index.ts';
import { topicGrade } from '../../meta/index.ts';
import type { Store, StoreStatus } from '../../store/index.ts';
import { markedSites } from '../judging/marked-sites.ts';

/** Progress of a workspace: what is stored, the crawl's last report, and marked sites. */
export interface WorkspaceStatus extends StoreStatus {
  /** Why the last crawl ended, as it reported; `null` while a crawl runs, or if it was killed. */
  readonly endReason: StopReason | null;
  /** Waiting links of each topic, as last reported by the crawl. */
  readonly waiting: readonly { readonly topic: string; readonly links: number }[];
  /** URLs that were refused because they are too long, as last reported by the crawl. */
  readonly overlongUrls: number;
  /** Estimates per topic by the last training round, with their grade. */
  readonly estimates: readonly (StoreStatus['estimates'][number] & { readonly grade: TopicGrade })[];
  /** Parts of sites that have reached their limit, as last reported by the crawl. */
  readonly held: NonNullable<CrawlStatus['held']>;
  /** Links that rules blocked, as last reported by the crawl. */
  readonly leftOut: NonNullable<CrawlStatus['leftOut']>;
  /** Waiting links grouped by the priority that rules and marks give them. */
  readonly order?: LinkOrder;
  /** How much of what is relevant was found, as last estimated by the crawl; `null` if it has not shown enough. */
  readonly recall: RecallEstimate | null;
  /** Pages that a browser showed in the last run, as last reported by the crawl; missing if none needed it. */
  readonly rendered?: RenderCounts;
  readonly markedSites: readonly { readonly host: string; readonly use: SiteUse }[];
}

/** Reads the progress of a workspace. Works while a crawl runs. */
export async function workspaceStatus(store: Pick<Store, 'status' | 'published' | 'steers'>): Promise<WorkspaceStatus> {
  const found = await store.status();
  const {
    queues = [],
    endReason = null,
    held = [],
    leftOut = [],
    order,
    recall = null,
    rendered,
  } = (await store.published())?.status ?? {};
  const { sites } = await markedSites(store);
  return {
    ...found,
    endReason,
    waiting: queues.map(({ topic, incoming, outgoing }) => ({ topic, links: incoming + outgoing })),
    overlongUrls: leftOut.find(({ rule }) => rule === 'crawl.maxUrlChars')?.addresses ?? 0,
    estimates: found.estimates.map((estimate) => ({ ...estimate, grade: topicGrade(estimate) })),
    ...{ held, leftOut, recall, ...(order && { order }), ...(rendered && { rendered }) },
    markedSites: [...sites].map(([host, use]) => ({ host, use })),
  };
}
