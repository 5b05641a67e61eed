import { basename, resolve } from 'node:path';
import type { TopicEstimate, TopicId } from '../../core/index.ts';
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
  type RejectedGroups,
  sanitizeForTerminal,
  WORKSPACE_FILE,
} from '../../workbench/index.ts';
import { openInBrowser } from '../browser.ts';
import { terminalOf } from '../crawl/dashboard-reporter.ts';
import { describeChange } from '../judging/change-text.ts';
import { watchOn } from '../judging/judging.ts';
import type { ReviewCall } from './review-call.ts';
import { endOf, isLeftOver, type Reviewed } from './review-lines.ts';

/** How a review on the screen begins. */
export interface ReviewStart {
  /** First message. */
  readonly news?: string | undefined;
  /** The topic that the review before made of a group, which undo removes. */
  readonly madeTopic?: TopicId | undefined;
  /** Default: false. */
  readonly beginsWithGroups?: boolean;
}

/** Runs a review on a full screen; prints what was applied after the terminal is released. */
export async function reviewOnScreen(call: ReviewCall, start: ReviewStart): Promise<Reviewed> {
  const { io, dir, review } = call;
  const { session, draft } = review;
  io.err('Gathering candidates …\n');
  let material = await review.material();
  const applied: Change[] = [];
  let proposed: readonly FoundProposal[] = [];
  let accepted: FoundProposal | undefined;
  let groups: RejectedGroups | undefined;
  let madeTopic: TopicId | undefined;
  let topicNews: string | undefined;
  const judgedTo = (tell: (text: string) => void) => ({
    onJudged: (n: number): void => tell(`${counted(n, 'page')} judged again`),
  });
  const end = await openReview({
    title: sanitizeForTerminal(basename(resolve(dir))),
    ...{ topics: material.topics, places: review.places, ...start, text: (page) => material.textOf(page) },
    terminal: terminalOf(io),
    earlier: draft.load(session.desk),
    keep: (decisions) => draft.keep(decisions, session.desk),
    objection: (decisions) => review.objection(decisions),
    preview: async (decisions) => effectOf(await review.preview(decisions), io.screen().columns),
    apply: async (decisions, tell) => {
      const change = await review.apply(decisions, judgedTo(tell));
      applied.push(change);
      if (session.isCrawlRunning || isLeftOver(call, change)) return undefined;
      material = await review.material();
      return { topics: material.topics, message: appliedNews(change) };
    },
    propose: async () => {
      proposed = await review.proposals();
      return proposed;
    },
    accept: async (proposal, tell) => {
      accepted = proposed.find((one) => one === proposal);
      if (accepted === undefined) return;
      const change = await review.accept(accepted, { ...judgedTo(tell), watch: watchOn(io) });
      if (change !== undefined) applied.push(change);
    },
    groups: async (onRead) => {
      groups = await review.groups(onRead);
      return groups.groups;
    },
    decideGroup: async (group, use) => (await groups?.decisions(group, use)) ?? [],
    makeTopic: async (group, name, tell) => {
      const made = await groups?.makeTopic(group, { name, ...judgedTo(tell), watch: watchOn(io) });
      if (made === undefined) return;
      if (made.change !== undefined) applied.push(made.change);
      madeTopic = made.topic;
      topicNews = madeTopicText(made.topic, session.isCrawlRunning);
    },
    removeTopic: async (topic, tell) => {
      const change = await review.removeGroupTopic(topic, { ...judgedTo(tell), watch: watchOn(io) });
      if (change !== undefined) applied.push(change);
      topicNews = `"${sanitizeForTerminal(topic)}" was removed from ${WORKSPACE_FILE} again.`;
    },
    open: (url) => openInBrowser(url, io.env),
    editTopics: (line) => editTopicsBy(loadForReading(dir, io), line),
    interrupt: () => process.emit('SIGINT'),
  });
  for (const change of applied) await tellApplied(io, change, session.isCrawlRunning);
  const left = end === 'applied' ? 0 : draft.load(session.desk).length;
  if (left > 0) io.err(`${counted(left, 'decision')} kept, not applied. Next: bingo review ${quoted(dir)}\n`);
  if (topicNews !== undefined) io.err(`${topicNews}\n`);
  if (accepted !== undefined) io.err(acceptedText(accepted, session.isCrawlRunning));
  const last = applied.at(-1);
  if (last !== undefined && isLeftOver(call, last)) return { end: endOf(call, last), isChanged: true };
  const isChanged = last !== undefined || accepted !== undefined || topicNews !== undefined;
  const news = topicNews ?? (last === undefined ? 'The proposal was accepted.' : appliedNews(last));
  const undo = madeTopic === undefined ? '' : ' u removes it again.';
  return { end, isChanged, news: `${news}${undo}`, madeTopic };
}

/** Reports the topic that a group of rejected pages has become. */
export function madeTopicText(topic: TopicId, isCrawlRunning: boolean): string {
  const later = isCrawlRunning ? ' The next crawl learns it.' : '';
  return `"${sanitizeForTerminal(topic)}" is a topic of ${WORKSPACE_FILE} now.${later}`;
}

/** Describes what was applied in one line, for the screen on which the review continues. */
function appliedNews({ trial, effect }: Change): string {
  const { length } = trial.judgements;
  return `${counted(length, 'decision')} applied; ${counted(effect.changed, 'page')} changed topic. q leaves.`;
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
