import { linkOrderText } from '../core/index.ts';
import { displayWidth } from '../kit/index.ts';
import { shownLinks, shownPages } from './derive.ts';
import { type DashboardState, LISTS, type ListName } from './state.ts';

const NAMES: Readonly<Record<ListName, string>> = { last: 'last pages', next: 'next fetches', best: 'best pages' };

/** A list in the title: `2 next`, or the name of the one shown. */
export interface ListTab {
  readonly list: ListName;
  readonly text: string;
  /** Column in which it begins. */
  readonly from: number;
}

/** Columns before the first name. */
const SIGN_COLUMNS = 2;

/** The lists from left to right, and what is special about the one shown. */
export interface ListTitle {
  readonly tabs: readonly ListTab[];
  readonly facts: string;
  /** Columns of all. */
  readonly width: number;
}

/** Returns the title of the lists. The name of the one shown is short if the whole does not fit. */
export function listTitle(state: DashboardState, columns: number): ListTitle {
  const facts = listFacts(state);
  const whole = titleOf(NAMES[state.list], state.list, facts);
  return whole.width + 2 <= columns ? whole : titleOf(state.list, state.list, facts);
}

function titleOf(name: string, shown: ListName, facts: string): ListTitle {
  let from = SIGN_COLUMNS;
  const tabs = LISTS.map((list, i) => {
    const tab = { list, text: list === shown ? name : `${i + 1} ${list}`, from };
    from += displayWidth(tab.text) + 2;
    return tab;
  });
  return { tabs, facts, width: from - 2 + displayWidth(facts) };
}

/** What the title says besides: the filter, whether the selection is held, how many links wait in which order. */
function listFacts(state: DashboardState): string {
  const { list, filter, selectedPage, selectedLink, status, pages, best } = state;
  const [shown, all] =
    list === 'next'
      ? [shownLinks(state).length, status?.next?.length ?? 0]
      : [shownPages(state).length, (list === 'best' ? best : pages).length];
  const held = list === 'next' ? selectedLink : selectedPage;
  const order = status?.order;
  return [
    filter === '' ? '' : ` ─ filter "${filter}": ${shown} of ${all}`,
    order === undefined ? '' : ` ─ waiting: ${linkOrderText(order)}`,
    held === undefined ? '' : list === 'last' ? ' (held; Esc follows the newest)' : ' (held; Esc: the first)',
  ].join('');
}
