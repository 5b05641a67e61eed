import { count } from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import type { Io } from '../command.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { withOpenStore } from './carry-out.ts';
import { inSight } from './judging.ts';

/** Judging so many pages takes seconds: whoever stopped a crawl can wait for it. */
const FEW_PAGES = 2_000;

const LEFT_TO_NEXT =
  '\nStored pages are yet to be judged by what was learned since they were fetched: the next run does it when it ends of itself.\n';

/** When a crawl has ended: judges stored pages again if what they were judged by is out of date, and tells what came of it. */
export async function judgeAfterCrawl(
  { store, workspace, io }: { readonly store: Store; readonly workspace: Workspace; readonly io: Io },
  summary: Pick<CrawlSummary, 'isReclassificationDue' | 'isRoundLeft' | 'isResumed' | 'reason'>,
): Promise<void> {
  const { isReclassificationDue, isRoundLeft, isResumed, reason } = summary;
  if (!isReclassificationDue || !isResumed) return;
  // By a model that is about to be replaced it would be in vain, and they would count as judged.
  if (isRoundLeft || (reason === 'stopped' && (await store.status()).pages > FEW_PAGES)) {
    io.err(LEFT_TO_NEXT);
    return;
  }
  const { pages, of, changed } = await withOpenStore({ store, workspace, io, isCrawlRunning: false }, ({ feedback }) =>
    inSight(io, (seen) => feedback.catchUp(seen)),
  );
  const left = pages < of ? ` The other ${count(of - pages)} are left to the next run.` : '';
  io.err(
    `\nStored pages were judged again by what was learned since they were fetched: ${count(changed)} of ${count(pages)} changed topic.${left}\n`,
  );
}
