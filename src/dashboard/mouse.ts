import { LIMIT_NAMES, ORDERINGS } from '../core/index.ts';
import { displayWidth } from '../kit/index.ts';
import { hostLines, listPosition, shownTopics, sideNextRows, topicsToWatch, windowAround } from './derive.ts';
import { footerHints } from './footer-hints.ts';
import { hintAt } from './key-hints.ts';
import type { Click, KeyPress } from './key-press.ts';
import { HEADER_ROWS, type Layout, layoutOf, type Size } from './layout.ts';
import { listTitle } from './list-title.ts';
import type { DashboardState, ListName, View } from './state.ts';

/** What is drawn at a place of the screen. */
export type Target =
  | { readonly kind: 'key'; readonly key: KeyPress }
  | { readonly kind: 'list'; readonly list: ListName }
  /** A line of the list, from its first entry. */
  | { readonly kind: 'line'; readonly at: number }
  /** A topic, in the order of the tree. */
  | { readonly kind: 'topic'; readonly at: number }
  /** A line of another view, as that view with this line selected. */
  | { readonly kind: 'row'; readonly view: View };

/** Returns what a click means; `undefined` for places without an action. */
export function targetAt(state: DashboardState, { column, row }: Click, size: Size): Target | undefined {
  const layout = layoutOf(size.columns, size.rows, shownTopics(state).length);
  if (layout === undefined) return undefined;
  // The last row of the terminal stays free.
  if (row === size.rows - 2) {
    const key = hintAt(footerHints(state), size.columns, column);
    return key === undefined ? undefined : { kind: 'key', key };
  }
  const bodyRow = row - HEADER_ROWS;
  if (bodyRow < 0 || bodyRow >= layout.bodyRows) return undefined;
  return state.view.kind === 'overview'
    ? onOverview(state, layout, { column, row: bodyRow })
    : onList(state, layout, bodyRow);
}

/** Titles take a row each, the graphs two with their axis. */
function onOverview(state: DashboardState, layout: Layout, at: Omit<Click, 'name'>): Target | undefined {
  const topics = at.row - (layout.plotRows > 0 ? layout.plotRows + 2 : 0);
  if (topics < 0) return undefined;
  if (topics <= layout.topicRows) return topics === 0 ? undefined : topicAt(state, layout, topics - 1);
  const list = topics - layout.topicRows - 1;
  const listColumns = layout.columns - (layout.sideColumns > 0 ? layout.sideColumns + 1 : 0);
  if (at.column >= listColumns) return besideAt(state, layout, list);
  if (list === 0) return tabAt(state, at.column, listColumns);
  const { at: selected, length } = listPosition(state);
  const { from, to } = windowAround(length, selected, layout.pageRows);
  return from + list - 1 < to ? { kind: 'line', at: from + list - 1 } : undefined;
}

function tabAt(state: DashboardState, column: number, columns: number): Target | undefined {
  const tab = listTitle(state, columns).tabs.find(
    ({ from, text }) => column >= from && column < from + displayWidth(text),
  );
  return tab === undefined ? undefined : { kind: 'list', list: tab.list };
}

function topicAt(state: DashboardState, { topicRows }: Layout, row: number): Target | undefined {
  const all = shownTopics(state);
  const isActive = state.pane === 'topics';
  const { from } = windowAround(all.length, isActive ? Math.min(state.selectedTopic, all.length - 1) : 0, topicRows);
  const topic = (isActive ? all : topicsToWatch(state, topicRows))[from + row];
  return topic === undefined ? undefined : { kind: 'topic', at: all.indexOf(topic) };
}

/** The next links lead to their list, the hosts to their view. */
function besideAt(state: DashboardState, layout: Layout, row: number): Target | undefined {
  const nextRows = sideNextRows(state, layout);
  if (nextRows > 0 && row <= nextRows) return { kind: 'list', list: 'next' };
  const at = row - (nextRows > 0 ? nextRows + 2 : 1);
  const isHost = at >= 0 && at < hostLines(state).length;
  return isHost || at === -1 ? { kind: 'row', view: { kind: 'hosts', at: Math.max(0, at) } } : undefined;
}

/** Lines of a list that fills the screen below its title. */
function onList(state: DashboardState, { bodyRows }: Layout, row: number): Target | undefined {
  const { view } = state;
  if (row === 0 || (view.kind !== 'hosts' && view.kind !== 'orderings' && view.kind !== 'limits')) return undefined;
  const length = { hosts: hostLines(state).length, orderings: ORDERINGS.length, limits: LIMIT_NAMES.length }[view.kind];
  const { from, to } = windowAround(length, view.at, bodyRows - 1);
  const at = from + row - 1;
  return at < to ? { kind: 'row', view: { ...view, at } } : undefined;
}
