import { basename, resolve } from 'node:path';
import type { TopicEstimate } from '../../core/index.ts';
import { openReview, type ReviewEffect } from '../../dashboard/index.ts';
import { count, counted } from '../../kit/index.ts';
import { topicGrade } from '../../meta/index.ts';
import {
  BACKUP_FILE,
  type Change,
  editTopicsBy,
  estimateChanges,
  type FoundProposal,
  loadForReading,
  quoted,
  sanitizeForTerminal,
  WORKSPACE_FILE,
} from '../../workbench/index.ts';
import { openInBrowser } from '../browser.ts';
import { terminalOf } from '../crawl/dashboard-reporter.ts';
import { describeChange } from '../judging/change-text.ts';
import { watchOn } from '../judging/judging.ts';
import { endOf, type ReviewCall, type ReviewEnd } from './review-lines.ts';

/** Runs a review on a full screen; prints what was applied after the terminal is released. */
export async function reviewOnScreen(call: ReviewCall): Promise<ReviewEnd> {
  const { io, dir, review } = call;
  const { session, draft } = review;
  io.err('Gathering candidates …\n');
  const { topics, textOf } = await review.material();
  let applied: Change | undefined;
  let proposed: readonly FoundProposal[] = [];
  let accepted: FoundProposal | undefined;
  const judgedTo = (tell: (text: string) => void) => ({
    onJudged: (n: number): void => tell(`${counted(n, 'page')} judged again`),
  });
  const end = await openReview({
    title: sanitizeForTerminal(basename(resolve(dir))),
    ...{ topics, places: review.places, text: textOf },
    terminal: terminalOf(io),
    earlier: draft.load(session.desk),
    keep: (decisions) => draft.keep(decisions, session.desk),
    objection: (decisions) => review.objection(decisions),
    preview: async (decisions) => effectOf(await review.preview(decisions), io.screen().columns),
    apply: async (decisions, tell) => {
      applied = await review.apply(decisions, judgedTo(tell));
    },
    propose: async () => {
      proposed = await review.proposals();
      return proposed;
    },
    accept: async (proposal, tell) => {
      accepted = proposed.find((one) => one === proposal);
      if (accepted !== undefined) applied = await review.accept(accepted, { ...judgedTo(tell), watch: watchOn(io) });
    },
    open: (url) => openInBrowser(url, io.env),
    editTopics: (line) => editTopicsBy(loadForReading(dir, io), line),
    interrupt: () => process.emit('SIGINT'),
  });
  if (applied !== undefined) await tellApplied(io, applied, session.isCrawlRunning);
  const left = end === 'applied' ? 0 : draft.load(session.desk).length;
  if (left > 0) io.err(`${counted(left, 'decision')} kept, not applied. Next: bingo review ${quoted(dir)}\n`);
  if (accepted !== undefined) io.err(acceptedText(accepted, session.isCrawlRunning));
  return applied === undefined ? end : endOf(call, applied);
}

async function tellApplied(io: ReviewCall['io'], change: Change, isCrawlRunning: boolean): Promise<void> {
  await io.out(`${describeChange(change, io.columns(), !isCrawlRunning).join('\n')}\n`);
  const { judgements } = change.trial;
  if (judgements.length === 0) return;
  io.err(
    `${counted(judgements.length, 'decision')} applied.${isCrawlRunning ? ' The running crawl learns from them.' : ''}\n`,
  );
}

/** Reports an accepted proposal, and its state. */
function acceptedText({ kind, topic, subtopics = [] }: FoundProposal, isCrawlRunning: boolean): string {
  if (kind !== 'split')
    return `"${sanitizeForTerminal(topic)}" is good now. To keep it in another workspace, write good: true into ${WORKSPACE_FILE}.\n`;
  const names = subtopics.map(({ parent, name }) => sanitizeForTerminal(`${parent}/${name}`)).join(', ');
  const later = isCrawlRunning ? ' The running crawl continues without them; the next one learns them.' : '';
  return `New in ${WORKSPACE_FILE}: ${names}. Previous file: ${BACKUP_FILE}.${later}\n`;
}

function effectOf(change: Change, columns: number): ReviewEffect {
  const { pages, of, changed } = change.effect;
  const sampled = pages < of ? ` (of ${count(of)})` : '';
  return {
    byTopic: new Map(
      estimateChanges(change).map(({ topic, before, after }) => [topic, estimateLine(before, after)] as const),
    ),
    moved: `${count(changed)} of ${counted(pages, 'page')}${sampled} would move`,
    lines: describeChange(change, columns, false),
  };
}

function estimateLine(before: TopicEstimate | undefined, after: TopicEstimate | undefined): string {
  const pair = (value: (estimate: TopicEstimate) => number): string => {
    const text = (estimate: TopicEstimate | undefined): string =>
      estimate === undefined || Number.isNaN(value(estimate)) ? '–' : value(estimate).toFixed(2);
    return text(before) === text(after) ? text(after) : `${text(before)}→${text(after)}`;
  };
  return [
    topicGrade(before) === topicGrade(after) ? topicGrade(after) : `${topicGrade(before)}→${topicGrade(after)}`,
    `held-out ${pair((e) => e.heldOutPrecision)}`,
    `recall ${pair((e) => e.heldOutRecall)}`,
  ].join(', ');
}
