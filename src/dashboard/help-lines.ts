import { folded } from './format.ts';
import type { Alarm } from './state.ts';

/** A line of help: a key with its action, or text. */
export interface HelpLine {
  readonly key: string;
  readonly text: string;
}

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['p, space', 'pause, resume'],
  ['c', 'continue a crawl that finds nothing new'],
  ['y, n, x, X', 'answer a question: yes, no, skip; ask no more'],
  ['+ -', 'budget 10 % up, down'],
  ['e, E', 'end learning now, harvest; go back to learning'],
  ['r', 'choose another ordering of the waiting links'],
  ['l', 'lock the host of the selected page'],
  ['s', 'mark the site of the selected page bad or good; undo'],
  ['m', 'mark the selected page: an example or a counter-example; undo'],
  ['L', 'limits: learning, time, tunnelling, fetches at a time'],
  ['h', 'hosts: slow, bad, busy; l locks the selected one, s marks it'],
  ['Tab, g', 'go to the topics; mark the selected one good, or undo'],
  ['↑ ↓ PgUp PgDn', 'select; at the top the list follows the newest page again'],
  ['Enter, w', 'why the selected page was found and judged as it was'],
  ['o', 'open the selected page in the browser'],
  ['v, G', 'review what is learned from and proposed; groups of rejected pages'],
  ['T', 'change topics in bingo.yaml, or add an example'],
  ['/', 'filter the pages; Esc clears the filter'],
  ['q', 'quit; Ctrl-C stops and saves'],
];
const SIGNS = [
  '✓ accepted, or a good topic  · rejected, or not good  § training page  ! alarm',
  'grade: how well held-out pages are recognised  yours, +auth, +conf: your examples, archetypes by origin',
];
const REVIEW_KEYS: readonly (readonly [key: string, what: string])[] = [
  ['a, Enter', 'accept: it becomes an example, and stays one'],
  ['r', 'reject: do not learn from it'],
  ['x', 'a counter-example: what the crawl should not return'],
  ['m', 'move: an example of another topic'],
  ['t', 'trim: leave paragraphs out'],
  ['A', 'accept all candidates above, except unsure ones'],
  ['u', 'undo, step by step'],
  ['s', 'show all changes, and apply them'],
  ['↑ ↓ PgUp PgDn', 'choose a page; scroll its text'],
  ['Tab, o, q', 'next topic, counter-examples last; open in the browser; quit'],
  ['p', 'what the crawl proposes; Enter accepts'],
  ['g', 'groups of rejected pages: topic, counter-examples, locked sites'],
  ['T', 'change topics in bingo.yaml, or add an example'],
];

/** Width of the key column. */
export const KEY_COLUMNS = 15;

/** Keys and symbols, and every alarm in full with its remedy. */
export function helpLines(alarms: readonly Alarm[], columns: number): readonly HelpLine[] {
  const told = alarms.flatMap(({ message, remedy }) => [`! ${message}`, `  ${remedy}`]);
  return [...keyLines(KEYS, columns), ...[...SIGNS, ...told].flatMap((line) => folded(line, columns, '  ').map(plain))];
}

/** Keys of a review. */
export function reviewHelpLines(columns: number): readonly HelpLine[] {
  return keyLines(REVIEW_KEYS, columns);
}

function keyLines(keys: readonly (readonly [key: string, what: string])[], columns: number): readonly HelpLine[] {
  return keys.flatMap(([key, what]) => {
    const [first = '', ...more] = folded(key.padEnd(KEY_COLUMNS) + what, columns, ' '.repeat(KEY_COLUMNS));
    return [{ key, text: first.slice(KEY_COLUMNS) }, ...more.map(plain)];
  });
}

function plain(text: string): HelpLine {
  return { key: '', text };
}
