import { type Judgement, UsageError } from '../../core/index.ts';
import type { FeedbackSession } from './apply-feedback.ts';
import { type ChangeRow, changeRow } from './change-row.ts';
import type { Change } from './feedback.ts';

/** Decisions that can be applied. */
export interface DecisionPlan {
  /** Decisions that did not apply before. */
  readonly news: readonly Judgement[];
  /** Number of decisions that already apply. */
  readonly known: number;
  /** Nothing is left to do: every decision already applies, and no page waits to be judged by an earlier one. */
  readonly isNothingNew: boolean;
  /** Only the effect is computed. */
  readonly isPreview: boolean;
}

/**
 * Checks decisions before they are applied.
 * @throws UsageError if they cannot be applied, for example because a topic would lose its last example
 */
export function planDecisions(
  { desk, isCrawlRunning }: Pick<FeedbackSession, 'desk' | 'isCrawlRunning'>,
  decisions: readonly Judgement[],
  isPreview: boolean,
): DecisionPlan {
  const news = decisions.filter((judgement) => !desk.isInForce(judgement));
  const objection = desk.objection(news);
  if (objection !== undefined) throw new UsageError(objection, 'Nothing was changed.');
  // Judging stored pages by earlier decisions may have been interrupted.
  const isLeftOver = !isPreview && !isCrawlRunning && desk.isReclassificationDue;
  const isNothingNew = news.length === 0 && !isLeftOver;
  return { news, known: decisions.length - news.length, isNothingNew, isPreview: isPreview || isNothingNew };
}

/** Carries out a plan: previews it, or trains and judges every stored page again. */
export async function carryOutPlan(session: FeedbackSession, { news, isPreview }: DecisionPlan): Promise<Change> {
  return await (isPreview ? session.preview(news) : session.take(news));
}

/** Outcome of applying decisions. */
export interface MarkResult {
  /** The changes they make, or would make. */
  readonly change: ChangeRow;
  /** Decisions that already applied. */
  readonly known: number;
  /** Nothing was written: this is a preview, or every decision already applied. */
  readonly isPreview: boolean;
  /** A running crawl received the decisions; it judges stored pages again at its end. */
  readonly isCrawlRunning: boolean;
}

/** Applies or previews decisions, and returns the outcome as plain data. */
export async function applyDecisions(
  session: FeedbackSession,
  decisions: readonly Judgement[],
  isPreview: boolean,
): Promise<MarkResult> {
  const plan = planDecisions(session, decisions, isPreview);
  const change = changeRow(await carryOutPlan(session, plan));
  return { change, known: plan.known, isPreview: plan.isPreview, isCrawlRunning: session.isCrawlRunning };
}
