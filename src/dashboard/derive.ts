import { type CrawlStatus, type OfKind, PHASE_NAMES, type Question, type TopicNode } from '../core/index.ts';
import { count } from '../kit/index.ts';
import { duration, folded } from './format.ts';
import type { DashboardState, PageLine, View } from './state.ts';

/** Pages per second in the last half minute, or in the whole run if it is shorter. */
export function pagesPerSecond({ progress, status }: DashboardState): number {
  const [first, last] = [progress[0], progress.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < 2000) return status?.pagesPerSecond ?? 0;
  return Math.max(0, ((last.fetched - first.fetched) * 1000) / (last.at - first.at));
}

/**
 * Time until the budget or the time limit ends the crawl, whichever comes first; Infinity if neither can be
 * estimated.
 */
export function timeLeftMs(state: DashboardState): number {
  const { status } = state;
  const timeMs = status?.limits?.time ?? state.timeMs;
  if (status === undefined) return Number.POSITIVE_INFINITY;
  const speed = pagesPerSecond(state);
  const left = Math.max(0, status.budget - status.fetched);
  const byBudget = left === 0 ? 0 : speed > 0 ? (left / speed) * 1000 : Number.POSITIVE_INFINITY;
  const byTime = timeMs > 0 ? Math.max(0, timeMs - status.elapsedMs) : Number.POSITIVE_INFINITY;
  return Math.min(byBudget, byTime);
}

/** Whether no crawl runs that could be controlled: the screen shows what is stored. */
export function isReadOnly({ ownsCrawl, isRunning }: DashboardState): boolean {
  return !ownsCrawl && isRunning === false;
}

/** Returns the page that the running crawl asks about. */
export function openQuestion(state: DashboardState): Question | undefined {
  return isReadOnly(state) ? undefined : state.status?.question;
}

/** Describes in a few words what the crawl is doing. */
export function activity(state: DashboardState): string {
  const { status, reading, isRunning, ownsCrawl, phase } = state;
  if (reading !== undefined) return `reading ${reading.what}, ${count(reading.read)} of ${count(reading.total)}`;
  if (isReadOnly(state)) return 'no crawl is running (read-only)';
  if (!ownsCrawl && isRunning !== true) return 'looking for the crawl';
  if (status?.phase === 'done') return 'finishing and saving';
  return status?.paused === true ? `${PHASE_NAMES[phase]}, paused` : PHASE_NAMES[phase];
}

/** Elapsed time of the run, and its estimated remaining time. */
export function timing(state: DashboardState): string {
  const so = duration(state.status?.elapsedMs ?? 0);
  const left = timeLeftMs(state);
  const isGoing = state.status?.paused !== true && (state.ownsCrawl || state.isRunning === true);
  return Number.isFinite(left) && isGoing ? `${so}, ${duration(left)} left` : so;
}

/** Topics with a row: all but the root. */
export function shownTopics({ tree }: DashboardState): readonly TopicNode[] {
  return [...tree.nodes.values()].filter((node) => node.parent !== undefined);
}

/** Topics shown while none is selected: if there is no room for all, good ones first, then those with most pages. */
export function topicsToWatch(state: DashboardState, room: number): readonly TopicNode[] {
  const topics = shownTopics(state);
  if (topics.length <= room) return topics;
  const accepted = new Map(state.status?.queues.map((queue) => [queue.topic, queue.accepted]));
  const pagesOf = ({ id }: TopicNode): number => accepted.get(id) ?? 0;
  return topics.toSorted((a, b) => Number(b.good) - Number(a.good) || pagesOf(b) - pagesOf(a));
}

export function queueOf(status: CrawlStatus | undefined, topic: string): CrawlStatus['queues'][number] | undefined {
  return status?.queues.find((queue) => queue.topic === topic);
}

/** Pages that match every word of the filter, newest first; `accepted`, `rejected`, hosts and topics match too. */
export function shownPages({ pages, filter }: DashboardState): readonly PageLine[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return pages;
  return pages.filter((page) => {
    const verdict = page.role === 'crawled' ? (page.isRelevant ? 'accepted' : 'rejected') : 'training';
    const text = `${verdict} ${page.topic} ${page.url} ${page.title}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The page that commands apply to. */
export function selectedPage(state: DashboardState): PageLine | undefined {
  const shown = shownPages(state);
  return shown.find((page) => page.sequence === state.selectedPage) ?? shown[0];
}

/** Lines of the screen that explains a page. */
export function explanationLines({ lines }: OfKind<View, 'why'>, columns: number): readonly string[] {
  return (lines ?? ['Looking it up …']).flatMap((line) => folded(line, columns, '    '));
}

/** A host with figures from the last pages. */
export interface HostLine {
  readonly host: string;
  readonly standing: 'active' | 'slow' | 'bad' | 'nameless' | '';
  readonly pages: number;
  readonly relevant: number;
}

/**
 * Hosts with pages come first. In both groups, hosts with trouble come first, then those with most of the last pages.
 */
export function hostLines({ status, pages }: DashboardState): readonly HostLine[] {
  const hosts = new Map<string, HostLine>();
  const line = (host: string): HostLine => hosts.get(host) ?? { host, standing: '', pages: 0, relevant: 0 };
  for (const page of pages) {
    const known = line(page.host);
    const relevant = known.relevant + (page.isRelevant ? 1 : 0);
    hosts.set(page.host, { ...known, pages: known.pages + 1, relevant });
  }
  for (const { host, standing } of status?.hosts.named ?? []) hosts.set(host, { ...line(host), standing });
  const rank = { bad: 0, slow: 1, active: 2, '': 2, nameless: 3 } as const;
  const isEmpty = ({ pages: had }: HostLine): number => (had === 0 ? 1 : 0);
  return [...hosts.values()].sort(
    (a, b) =>
      isEmpty(a) - isEmpty(b) || rank[a.standing] - rank[b.standing] || b.pages - a.pages || (a.host < b.host ? -1 : 1),
  );
}

/** The part of a list that fits `height` rows and contains `at`. */
export function windowAround(
  length: number,
  at: number,
  height: number,
): { readonly from: number; readonly to: number } {
  const from = Math.max(0, Math.min(at - Math.floor(height / 2), length - height));
  return { from, to: Math.min(length, from + height) };
}
