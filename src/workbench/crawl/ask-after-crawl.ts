import type { Store } from '../../store/index.ts';
import { namedStore, tableNames } from '../reading/named-store.ts';
import { askStanding, type StandingAnswer, standingQueries } from '../standing/standing-queries.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Asks the standing queries of a workspace whose pages have changed. */
export async function askAfterCrawl(store: Store, workspace: Workspace): Promise<readonly StandingAnswer[]> {
  if (standingQueries(workspace.dir).length === 0) return [];
  return await askStanding(workspace, namedStore(store, await tableNames(store, workspace)));
}
