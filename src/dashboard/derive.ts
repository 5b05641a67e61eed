import {
  type CrawlStatus,
  hostOf,
  type NextLink,
  type OfKind,
  PHASE_NAMES,
  type Question,
  readableUrl,
  type StopReason,
  type TopicNode,
} from '../core/index.ts';
import { count, sanitizeForTerminal } from '../kit/index.ts';
import { duration, folded } from './format.ts';
import type { Layout } from './layout.ts';
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
  if (isReadOnly(state)) return readOnlyActivity(status);
  if (!ownsCrawl && isRunning !== true) return 'looking for the crawl';
  if (status?.phase === 'done') return 'finishing and saving';
  return status?.paused === true ? `${PHASE_NAMES[phase]}, paused` : PHASE_NAMES[phase];
}

const END_WORDS: Readonly<Record<StopReason, string>> = {
  budget: 'budget reached',
  time: 'time is up',
  'frontier-dry': 'no link left',
  learned: 'learning done',
  rechecked: 'recheck done',
  stagnation: 'found nothing new',
  recall: 'found enough',
  stopped: 'stopped',
};

function readOnlyActivity(status: CrawlStatus | undefined): string {
  const reason = status?.endReason;
  return reason === undefined ? 'no crawl is running (read-only)' : `ended: ${END_WORDS[reason]} (read-only)`;
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

/** Pages of the list that match every word of the filter; `accepted`, `rejected`, hosts and topics match too. */
export function shownPages({ list, pages, best, filter }: DashboardState): readonly PageLine[] {
  const listed = list === 'best' ? best : pages;
  const matches = filterOf(filter);
  return filter === ''
    ? listed
    : listed.filter((page) => {
        const verdict = page.role === 'crawled' ? (page.isRelevant ? 'accepted' : 'rejected') : 'training';
        return matches(`${verdict} ${page.topic} ${page.url} ${page.title}`);
      });
}

/** Waiting links that match every word of the filter, next first. */
export function shownLinks({ status, filter }: DashboardState): readonly NextLink[] {
  const matches = filterOf(filter);
  return (status?.next ?? []).filter(({ url, topic, from }) => matches(`${topic} ${url} ${from}`));
}

function filterOf(filter: string): (text: string) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.toLowerCase().includes(word));
}

/** The page that marks apply to; `undefined` while waiting links are listed. */
export function selectedPage(state: DashboardState): PageLine | undefined {
  if (state.list === 'next') return undefined;
  const shown = shownPages(state);
  return shown.find((page) => page.sequence === state.selectedPage) ?? shown[0];
}

export function selectedLink(state: DashboardState): NextLink | undefined {
  const shown = shownLinks(state);
  return shown.find(({ url }) => url === state.selectedLink) ?? shown[0];
}

/** The selected page or waiting link, for keys that apply to both. */
export function selectedAddress(state: DashboardState): { readonly url: string; readonly host: string } | undefined {
  if (state.list !== 'next') return selectedPage(state);
  const link = selectedLink(state);
  return link === undefined ? undefined : { url: link.url, host: sanitizeForTerminal(hostOf(link.url)) };
}

/** Index of the selected line of the list, and the number of lines. */
export function listPosition(state: DashboardState): { readonly at: number; readonly length: number } {
  if (state.list === 'next') {
    const links = shownLinks(state);
    return {
      at: Math.max(
        0,
        links.findIndex(({ url }) => url === state.selectedLink),
      ),
      length: links.length,
    };
  }
  const pages = shownPages(state);
  return {
    at: Math.max(
      0,
      pages.findIndex(({ sequence }) => sequence === state.selectedPage),
    ),
    length: pages.length,
  };
}

/** Describes in a few words why a link waits where it does. */
export function nextReason({ via, from, tunnelDepth, tries, isPreferred }: NextLink, state: DashboardState): string {
  const page = [...state.pages, ...state.best].find(({ url }) => url === from);
  const source = page === undefined ? shortAddress(from) : `${page.relevance.toFixed(2)} ${page.title}`;
  const way =
    via === 'seed' || from === ''
      ? 'a seed'
      : via === 'hub'
        ? `of the best hub ${source}`
        : via === 'sitemap'
          ? `in the sitemap ${source}`
          : tunnelDepth > 0
            ? `${count(tunnelDepth)} behind rejected: ${source}`
            : `from ${source}`;
  return [isPreferred ? 'goes first' : '', tries > 0 ? `try ${count(tries + 1)}` : '', way].filter(Boolean).join(', ');
}

/** Returns an address for a list: readable, without its scheme, safe to print. */
export function shortAddress(url: string): string {
  return sanitizeForTerminal(readableUrl(url).replace(/^https?:\/\//, ''));
}

/** Rows of the next links beside the list; 0 while the list shows them, or if there is no room. */
export function sideNextRows({ list }: DashboardState, { sideNextRows: rows }: Pick<Layout, 'sideNextRows'>): number {
  return list === 'next' ? 0 : rows;
}

/** The last name of a topic's path. */
export function lastName(topic: string): string {
  return topic.slice(topic.lastIndexOf('/') + 1);
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
