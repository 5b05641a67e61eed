import type { CrawlStatus, LinkOrder, SiteUse } from '../../core/index.ts';
import type { Store, StoreStatus } from '../../store/index.ts';
import { markedSites } from '../judging/marked-sites.ts';

/** Progress of a workspace: what is stored, the crawl's last report, and marked sites. */
export interface WorkspaceStatus extends StoreStatus {
  /** Parts of sites that have reached their limit, as last reported by the crawl. */
  readonly held: NonNullable<CrawlStatus['held']>;
  /** Links that rules blocked, as last reported by the crawl. */
  readonly leftOut: NonNullable<CrawlStatus['leftOut']>;
  /** Waiting links grouped by the priority that rules and marks give them. */
  readonly order?: LinkOrder;
  readonly markedSites: readonly { readonly host: string; readonly use: SiteUse }[];
}

/** Reads the progress of a workspace. Works while a crawl runs. */
export async function workspaceStatus(store: Pick<Store, 'status' | 'published' | 'steers'>): Promise<WorkspaceStatus> {
  const found = await store.status();
  const { held = [], leftOut = [], order } = (await store.published())?.status ?? {};
  const { sites } = await markedSites(store);
  const marked = [...sites].map(([host, use]) => ({ host, use }));
  return { ...found, held, leftOut, ...(order && { order }), markedSites: marked };
}
