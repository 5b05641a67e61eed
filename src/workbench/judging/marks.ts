import { type Judgement, ROOT, siteKey, siteOfKey, UsageError } from '../../core/index.ts';
import { hostNamed } from '../../crawl/index.ts';
import { findTopic } from '../workspace/find-topic.ts';
import type { FeedbackSession } from './carry-out.ts';
import { asExample, asOthers, asUndecided, findPages } from './decided-pages.ts';
import { judgementOf } from './feedback.ts';
import { siteJudgement } from './marked-sites.ts';

/** What a user says of stored pages and of sites. Pages are named by any of their addresses. */
export interface Marks {
  /** Pages to learn the topic from. */
  readonly good?: readonly string[] | undefined;
  /** Pages that are not wanted: they become counter-examples. */
  readonly bad?: readonly string[] | undefined;
  /** Training pages to learn nothing from any more. */
  readonly drop?: readonly string[] | undefined;
  /** Hosts not to ask again; their pages leave the topics. */
  readonly badSites?: readonly string[] | undefined;
  /** Hosts to ask first. */
  readonly goodSites?: readonly string[] | undefined;
  /** Pages and hosts whose earlier marks no longer hold. */
  readonly undo?: readonly string[] | undefined;
  /** The topic of good pages, and the one that bad pages are not of. Default: the one they are in. */
  readonly topic?: string | undefined;
}

/** True for a text that names a host, or a training document, rather than a page of the web. */
export function isNoAddress(text: string): boolean {
  return !/^https?:/.test(text);
}

/**
 * Marks as decisions of the training desk.
 * @throws UsageError if a page is not stored, a topic is unknown, or one page is marked twice
 */
export async function readMarks(
  { store, desk }: Pick<FeedbackSession, 'store' | 'desk'>,
  marks: Marks,
): Promise<readonly Judgement[]> {
  const topic = marks.topic === undefined ? undefined : findTopic(desk.tree, marks.topic);
  const pages = (names: readonly string[] = []) => findPages(store, desk, [...new Set(names)]);
  const isMarkedSite = (text: string): boolean => isNoAddress(text) && desk.isDecided(siteKey(hostNamed(text) ?? ''));
  const undone = Object.groupBy(new Set(marks.undo), (text) => (isMarkedSite(text) ? 'sites' : 'pages'));
  const judgements = [
    ...(marks.badSites ?? []).map((host) => siteJudgement(host, 'bad-site')),
    ...(marks.goodSites ?? []).map((host) => siteJudgement(host, 'good-site')),
    ...(undone.sites ?? []).map((host) => siteJudgement(host, 'free')),
    ...(await pages(marks.good)).map((page) => asExample(page, topic, desk)),
    ...(await pages(marks.bad)).map((page) => asOthers(page, topic, desk)),
    ...(await pages(marks.drop)).map((page) => judgementOf(page, 'dropped', ROOT)),
    ...(await asUndecided(store, desk, undone.pages ?? [])),
  ];
  const keys = judgements.map(({ key }) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) < i);
  if (twice !== undefined)
    throw new UsageError(`${siteOfKey(twice) ?? twice} is marked twice.`, 'Say one thing of each page or site.');
  return judgements;
}
