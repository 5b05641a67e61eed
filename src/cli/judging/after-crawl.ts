import type { CrawlSummary, Effect } from '../../engine/index.ts';
import { count } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';
import { type JudgedAfterCrawl, judgeStored, type Workspace } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { watchOn } from './judging.ts';

const LEFT_TO_NEXT =
  '\nStored pages are yet to be judged by what was learned since they were fetched: the next run does it when it ends of itself.\n';

/** Judges stored pages again after a crawl if their model is out of date, and prints the result. */
export async function judgeAfterCrawl(
  { store, workspace, io }: { readonly store: Store; readonly workspace: Workspace; readonly io: Io },
  summary: Pick<CrawlSummary, 'isReclassificationDue' | 'isRoundLeft' | 'isResumed' | 'reason'>,
): Promise<void> {
  io.err(judgedLine(await judgeStored({ store, workspace, watch: watchOn(io) }, summary)));
}

/** Describes what came of judging stored pages again; empty if their model was in force. */
export function judgedLine(judged: JudgedAfterCrawl | undefined): string {
  if (judged === undefined) return '';
  return judged.kind === 'judged' ? judgedText(judged.effect, judged.waited) : LEFT_TO_NEXT;
}

/** Describes the result. If a process waits with decisions (`isWaited`), it judges the remaining pages. */
export function judgedText(
  { pages, of, changed }: Pick<Effect, 'pages' | 'of' | 'changed'>,
  isWaited: boolean,
): string {
  const next = isWaited ? 'the command that waits with its decisions' : 'the next run';
  const left = pages < of ? ` The other ${count(of - pages)} are left to ${next}.` : '';
  return `\nStored pages were judged again by what was learned since they were fetched: ${count(changed)} of ${count(pages)} changed topic.${left}\n`;
}
