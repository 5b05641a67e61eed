import type { CrawlStatus, LinkOrder, SiteUse } from '../../core/index.ts';
import type { Store, StoreStatus } from '../../store/index.ts';
import { markedSites } from '../judging/marked-sites.ts';

/** How far a workspace is: what is stored, what the crawl reported last, and marked sites. */
export interface WorkspaceStatus extends StoreStatus {
  /** Parts of sites that have reached their limit, as the crawl reported last. */
  readonly held: NonNullable<CrawlStatus['held']>;
  /** Links that rules kept out, as the crawl reported last. */
  readonly leftOut: NonNullable<CrawlStatus['leftOut']>;
  /** Waiting links by the order that rules and marks give them. */
  readonly order?: LinkOrder;
  readonly markedSites: readonly { readonly host: string; readonly use: SiteUse }[];
}

/** Reads how far a workspace is. Works while a crawl runs. */
export async function workspaceStatus(store: Pick<Store, 'status' | 'published' | 'sql'>): Promise<WorkspaceStatus> {
  const found = await store.status();
  const { held = [], leftOut = [], order } = (await store.published())?.status ?? {};
  const { sites } = await markedSites(store);
  const marked = [...sites].map(([host, use]) => ({ host, use }));
  return { ...found, held, leftOut, ...(order && { order }), markedSites: marked };
}
