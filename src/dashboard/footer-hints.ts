import { isReadOnly, openQuestion } from './derive.ts';
import { type KeyHint, keyHints } from './key-hints.ts';
import type { DashboardState } from './state.ts';
import { TOPIC_KEYS } from './typed-text.ts';

/** Returns the keys of the current view, most important first. */
export function footerHints(state: DashboardState): readonly KeyHint[] {
  return keyHints(hintsOf(state));
}

function hintsOf(state: DashboardState): readonly string[] {
  const { view, ownsCrawl, status } = state;
  switch (view.kind) {
    case 'overview':
      if (isReadOnly(state))
        return [
          '? help',
          'q quit',
          'Enter why',
          'o open',
          '3 best pages',
          'v review',
          'h hosts',
          'Tab topics',
          '/ filter',
        ];
      return [
        '? help',
        ...(status?.barren === undefined ? [] : ['c continue']),
        ...(openQuestion(state) === undefined ? [] : ['y yes', 'n no', 'x skip', 'X no more questions']),
        'q quit',
        status?.paused === true ? 'p resume' : 'p pause',
        'Enter why',
        'o open',
        'l lock host',
        '+ budget',
        state.phase === 'harvesting' ? 'E learn again' : 'e end learning',
        's site',
        'm page',
        'v review',
        'r ordering',
        'h hosts',
        'L limits',
        'Tab topics',
        'g good',
        '/ filter',
      ];
    case 'help':
      return ['↑↓ scroll', 'any other key: back'];
    case 'why':
      return ['Esc back', '↑↓ scroll', 'o open in the browser'];
    case 'orderings':
      return ['↑↓ choose', 'Enter use it', 'Esc back'];
    case 'limits':
      return ['↑↓ choose', '+ - change', 'Esc back'];
    case 'hosts':
      return ['↑↓ choose', 'l lock', 's site good or bad', 'Esc back'];
    case 'site':
      return [
        ...(view.links === undefined ? [] : ['b bad: not fetched again', 'g good: links go first']),
        ...(view.links === undefined || !state.sites.has(view.site) ? [] : ['u undo the mark']),
        'Esc back',
      ];
    case 'page':
      return [
        view.topic === undefined ? 'v an example, in the review' : 'g an example',
        'b counter-example',
        ...((state.marked.get(view.page.url) ?? 'free') === 'free' ? [] : ['u undo the mark']),
        'Esc back',
      ];
    case 'confirm':
      return ['y yes', 'n no'];
    case 'topics':
      return TOPIC_KEYS;
    case 'filter':
      return ['Enter filter', 'Esc back', 'words of title, address, topic; accepted, rejected, training'];
    case 'quit':
      return ['s stop and save', ...(ownsCrawl ? ['d leave; the crawl continues'] : []), 'Esc back'];
  }
}
