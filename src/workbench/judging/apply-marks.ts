import { UsageError } from '../../core/index.ts';
import { type FeedbackSession, requireModel } from './carry-out.ts';
import { type ChangeRow, changeRow } from './change-row.ts';
import { type Marks, readMarks } from './marks.ts';

/** What marks came to. */
export interface MarkResult {
  /** What they change, or would change. */
  readonly change: ChangeRow;
  /** Marks that were in force before. */
  readonly known: number;
  /** Nothing was written: a preview, or every mark was in force before. */
  readonly isPreview: boolean;
  /** A running crawl took the marks; it judges stored pages again when it ends. */
  readonly isCrawlRunning: boolean;
}

/**
 * Applies marks: learns from them, then judges every stored page again. A running crawl does so in place of this process.
 * @throws UsageError if a page is not stored, or the marks cannot be applied together
 */
export async function applyMarks(session: FeedbackSession, marks: Marks, isPreview: boolean): Promise<MarkResult> {
  const { desk, workspace } = session;
  requireModel(desk, workspace.dir);
  const marked = await readMarks(session, marks);
  const judgements = marked.filter((judgement) => !desk.isInForce(judgement));
  const isLeftOver = !session.isCrawlRunning && desk.isReclassificationDue;
  const isTrial = isPreview || (judgements.length === 0 && !isLeftOver);
  const objection = desk.objection(judgements);
  if (objection !== undefined) throw new UsageError(objection, 'Nothing was changed.');
  const change = await (isTrial ? session.preview(judgements) : session.take(judgements));
  return {
    change: changeRow(change),
    known: marked.length - judgements.length,
    isPreview: isTrial,
    isCrawlRunning: session.isCrawlRunning,
  };
}
