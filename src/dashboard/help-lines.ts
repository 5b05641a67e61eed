import { folded } from './format.ts';
import type { Alarm } from './state.ts';

/** A line of help: a key with its action, or text. */
export interface HelpLine {
  readonly key: string;
  readonly text: string;
  /** The title of a part. */
  readonly isTitle?: boolean;
}

type Row = readonly [key: string, what: string];

/** What the help of the dashboard explains, part by part. */
const PARTS: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  [
    'the crawl',
    [
      ['p, space', 'pause, resume'],
      ['q', 'quit; Ctrl-C stops and saves'],
      ['+ -', 'budget 10 % up, down'],
      ['e, E', 'end learning now, harvest; go back to learning'],
      ['r', 'choose another ordering of the waiting links'],
      ['L', 'limits: learning, time, tunnelling, fetches at a time'],
      ['y, n, x, X', 'answer a question: yes, no, skip; ask no more'],
      ['c', 'continue a crawl that finds nothing new'],
    ],
  ],
  [
    'pages, links and hosts',
    [
      ['1, 2, 3', 'list the last pages, the next fetches, the best pages'],
      ['↑ ↓ PgUp PgDn', 'select; at the top the list follows its first line again'],
      ['Enter, w', 'why the selected page was found and judged as it was'],
      ['o', 'open the selected page in the browser'],
      ['m', 'mark the selected page: an example or a counter-example; undo'],
      ['s', 'mark the site of the selected page bad or good; undo'],
      ['l', 'lock the host of the selected page'],
      ['h', 'hosts: slow, bad, busy; l locks the selected one, s marks it'],
      ['/', 'filter the list; Esc clears the filter'],
      ['mouse', 'click a key or a line; a second click explains; the wheel scrolls. Shift selects text'],
    ],
  ],
  [
    'topics',
    [
      ['Tab, g', 'go to the topics; mark the selected one good, or undo'],
      ['v', 'review what is learned from, and what the crawl proposes'],
      ['G', 'groups of rejected pages'],
      ['T', 'change topics in bingo.yaml, or add an example'],
    ],
  ],
  [
    'columns of the topics',
    [
      ['accepted', 'pages that the crawl accepted into the topic'],
      ['grade', 'how well held-out pages are recognised: good, fair, weak, too few examples'],
      ['in, out', 'waiting links: the large queue, and the small one of the best'],
      ['conf.', 'mean confidence of the accepted pages; 0 is like OTHERS, 1 like the examples'],
      ['yours', 'training pages from you'],
      ['+auth, +conf', 'training pages that the crawl chose: by authority, by confidence'],
    ],
  ],
  [
    'columns of the lists',
    [
      ['last, best', 'sign, relevance from 0 to 1, topic, title, host'],
      ['next', 'priority, state of the host, topic, address, why it waits there'],
      ['', 'ready: fetched at once; rests: after a pause; busy: after another request; bad: not fetched'],
      ['', 'from 0.93 Title: the page with the link and its relevance; behind rejected: tunnelling'],
      ['hosts', 'state, and relevant pages / pages among the last 500'],
    ],
  ],
  [
    'graphs',
    [
      ['relevance', 'a dot per page; the line is the share of relevant ones among the last 100'],
      ['pages per second', 'fetched pages over time, without pauses'],
      ['pages by relevance', 'how all pages spread from 0 to 1'],
    ],
  ],
  [
    'signs',
    [
      ['✓ ·', 'accepted, or a good topic; rejected, or not good'],
      ['§ !', 'training page; alarm'],
    ],
  ],
];
const REVIEW_KEYS: readonly Row[] = [
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

/** Keys, columns, graphs and signs, and every alarm in full with its remedy. Alarms come first. */
export function helpLines(alarms: readonly Alarm[], columns: number): readonly HelpLine[] {
  const raised = alarms.flatMap(({ message, remedy }) => [`! ${message}`, `  ${remedy}`]);
  return [
    ...raised.flatMap((line) => folded(line, columns, '  ').map(plain)),
    ...PARTS.flatMap(([title, rows]) => [{ key: '', text: title, isTitle: true }, ...keyLines(rows, columns)]),
  ];
}

/** Keys of a review. */
export function reviewHelpLines(columns: number): readonly HelpLine[] {
  return keyLines(REVIEW_KEYS, columns);
}

/** A name longer than its column has a line of its own. */
function keyLines(rows: readonly Row[], columns: number): readonly HelpLine[] {
  return rows.flatMap(([key, what]) => {
    if (key.length >= KEY_COLUMNS) return [{ key, text: '' }, ...keyLines([['', what]], columns)];
    const [first = '', ...more] = folded(' '.repeat(KEY_COLUMNS) + what, columns, ' '.repeat(KEY_COLUMNS));
    return key === '' ? [first, ...more].map(plain) : [{ key, text: first.slice(KEY_COLUMNS) }, ...more.map(plain)];
  });
}

function plain(text: string): HelpLine {
  return { key: '', text };
}
