import type { Ending, PageNews, TopicId } from '../../core/index.ts';
import { webAddress } from '../markup.ts';
import type { PortalRow } from './ports.ts';

const CHANGES = ['new', 'changed', 'moved', 'back', 'left'] as const;
export type ChangeKind = (typeof CHANGES)[number];

/** A change of a page that is or was in the portal. */
export interface Change {
  readonly kind: ChangeKind;
  readonly at: number;
  readonly title: string;
  readonly address: string;
  /** True if the page is still in the portal. */
  readonly isListed: boolean;
  readonly topic: TopicId;
  readonly relevance: number;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  /** Name of the explanation among the portal's words; `''` if the kind is sufficient. */
  readonly why: string;
  /** New address. */
  readonly target?: string;
}

/** Changes of one day, UTC. */
export interface Day {
  /** `2026-11-21` */
  readonly name: string;
  readonly counts: Readonly<Record<ChangeKind, number>>;
  /** Changes shown: changed pages before new ones, at most {@link SHOWN} of each kind. */
  readonly changes: readonly Change[];
}

/** Number of days shown, and of changes of one kind per day. */
const DAYS = 60;
const SHOWN = 50;

/** History of a page without rechecks. */
export function noNews({ fetchedAt }: PortalRow): PageNews {
  return {
    firstAt: fetchedAt,
    changedAt: fetchedAt,
    checkedAt: fetchedAt,
    triedAt: fetchedAt,
    checks: 0,
    changes: 0,
    missing: 0,
    movedAt: 0,
    movedFrom: '',
    backAt: 0,
    ending: undefined,
    endedAt: 0,
    target: '',
  };
}

/** Returns true if a page was removed from the portal: it no longer exists, or its newer version is in no topic. */
export function hasLeft({ others }: PortalRow, { ending }: PageNews): boolean {
  return ending !== undefined || others;
}

/** Returns changes of one page, unordered. Only for pages that are or were in the portal. */
export function changesOf(row: Omit<PortalRow, 'fields'>, news: PageNews): readonly Change[] {
  const address = webAddress(row.finalUrl);
  if (address === undefined) return [];
  const { title, topic, relevance, language } = row;
  const left = leaving(row, news);
  const isListed = left === undefined;
  const change = (kind: ChangeKind, at: number, why = '', target?: string): Change => {
    const shown = { title, address, isListed, topic, relevance, language };
    return { kind, at, ...shown, why, ...(target === undefined ? {} : { target }) };
  };
  return [
    change('new', news.firstAt),
    ...(news.changes > 0 && !isMoveAlone(news) && !isBackAlone(news) && left === undefined
      ? [change('changed', news.changedAt)]
      : []),
    ...(news.backAt > 0 && left === undefined ? [change('back', news.backAt)] : []),
    ...(news.movedAt > 0 && left === undefined
      ? [change('moved', news.movedAt, 'from', webAddress(news.movedFrom))]
      : []),
    ...(left === undefined ? [] : [change('left', left.at, left.why, webAddress(news.target))]),
  ];
}

const ENDS: Readonly<Record<Ending, string>> = {
  gone: 'leftGone',
  moved: 'leftMoved',
  same: 'leftSame',
  noindex: 'leftNoindex',
};

/** Reason for removing a page that moved to an unlisted one. */
export const MOVED_AWAY = 'leftMovedAway';

function leaving(row: PortalRow, { ending, endedAt, changedAt }: PageNews): { at: number; why: string } | undefined {
  if (ending !== undefined) return { at: endedAt, why: ENDS[ending] };
  return row.others ? { at: changedAt, why: 'leftTopic' } : undefined;
}

/** True if the only new version was fetched from the new address. */
export function isMoveAlone({ movedAt, changedAt, changes }: PageNews): boolean {
  return changes === 1 && movedAt > 0 && changedAt >= movedAt;
}

/** True if the newest version is the one with which the page returned. */
function isBackAlone({ backAt, changedAt }: PageNews): boolean {
  return backAt === changedAt;
}

/** Returns the last days with changes, newest first. */
export function daysOf(changes: readonly Change[]): readonly Day[] {
  const byDay = Map.groupBy(changes, ({ at }) => new Date(at).toISOString().slice(0, 10));
  const names = [...byDay.keys()].sort().reverse().slice(0, DAYS);
  return names.map((name) => dayOf(name, byDay.get(name)!));
}

function dayOf(name: string, changes: readonly Change[]): Day {
  const ofKind = new Map(CHANGES.map((kind) => [kind, changes.filter((change) => change.kind === kind)]));
  const counts = Object.fromEntries(CHANGES.map((kind) => [kind, ofKind.get(kind)!.length]));
  const order: readonly ChangeKind[] = ['left', 'back', 'moved', 'changed', 'new'];
  const shown = order.flatMap((kind) => ofKind.get(kind)!.toSorted(byRelevance).slice(0, SHOWN));
  return { name, counts: counts as Day['counts'], changes: shown };
}

function byRelevance(a: Change, b: Change): number {
  const value = ({ relevance }: Change): number => (Number.isFinite(relevance) ? relevance : 1);
  return value(b) - value(a) || b.at - a.at || (a.address < b.address ? -1 : 1);
}
