import { UsageError } from '../../core/index.ts';
import { type FeedbackSession, requireModel } from './carry-out.ts';
import { type ChangeRow, changeRow } from './change-row.ts';
import { type Marks, readMarks } from './marks.ts';

/** Outcome of applying marks. */
export interface MarkResult {
  /** The changes they make, or would make. */
  readonly change: ChangeRow;
  /** Marks that already applied. */
  readonly known: number;
  /** Nothing was written: this is a preview, or every mark already applied. */
  readonly isPreview: boolean;
  /** A running crawl received the marks; it judges stored pages again at its end. */
  readonly isCrawlRunning: boolean;
}

/**
 * Applies marks: trains on them, then judges every stored page again. A running crawl does this instead of this
 * process.
 * @throws UsageError if a page is not stored, or the marks contradict each other
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
