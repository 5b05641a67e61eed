import { type Judgement, ROOT, siteKey, siteOfKey, UsageError } from '../../core/index.ts';
import { hostNamed } from '../../crawl/index.ts';
import { findTopic } from '../workspace/find-topic.ts';
import type { FeedbackSession } from './apply-feedback.ts';
import { asExample, asOthers, asUndecided, findPages } from './decided-pages.ts';
import { judgementOf } from './feedback.ts';
import { siteJudgement } from './marked-sites.ts';

/** The user's marks of stored pages and sites. Pages may be named by any of their URLs. */
export interface Marks {
  /** Pages that become examples of the topic. */
  readonly good?: readonly string[] | undefined;
  /** Unwanted pages: they become counter-examples. */
  readonly bad?: readonly string[] | undefined;
  /** Training pages to remove from training. */
  readonly drop?: readonly string[] | undefined;
  /** Hosts to block; their pages are removed from the topics. */
  readonly badSites?: readonly string[] | undefined;
  /** Hosts to fetch first. */
  readonly goodSites?: readonly string[] | undefined;
  /** Pages and hosts whose earlier marks are withdrawn. */
  readonly undo?: readonly string[] | undefined;
  /** The topic of good pages, and the topic that bad pages do not belong to. Default: their current topic. */
  readonly topic?: string | undefined;
}

/** Whether a text names a host or a training document rather than a web page. */
export function isNoAddress(text: string): boolean {
  return !/^https?:/.test(text);
}

/**
 * Converts marks to training decisions.
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
    throw new UsageError(`${siteOfKey(twice) ?? twice} is marked twice.`, 'Give each page or site one mark.');
  return judgements;
}
