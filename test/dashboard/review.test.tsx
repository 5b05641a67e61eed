import { renderToString } from 'ink';
import { describe, expect, test } from 'vitest';
import { parseTopicId, ROOT } from '../../src/core/index.ts';
import { Review } from '../../src/dashboard/components/Review.tsx';
import type { KeyPress } from '../../src/dashboard/key-press.ts';
import { withGroupDecided } from '../../src/dashboard/review/groups.ts';
import { reviewKey } from '../../src/dashboard/review/review-keys.ts';
import { initialReview, type ReviewState, textKey } from '../../src/dashboard/review/review-state.ts';
import { flow } from '../../src/dashboard/review/text-flow.ts';
import { COLOURLESS } from '../../src/dashboard/theme.ts';
import { displayWidth } from '../../src/kit/index.ts';
import type { RejectedGroup } from '../../src/workbench/review/rejected-groups.ts';
import type { ReviewPage, ReviewText } from '../../src/workbench/review/review-page.ts';

const RECOVERY = parseTopicId('databases/recovery');
const MINING = parseTopicId('mining');

function reviewPage(n: number, more: Partial<ReviewPage> = {}): ReviewPage {
  return {
    key: `https://host${n}.example/page`,
    sequence: n,
    title: `ARIES and logging, part ${n}`,
    topic: RECOVERY,
    origin: 'both',
    isTraining: false,
    isOthers: false,
    score: 2 - n / 10,
    authority: 0.25,
    judgement: undefined,
    ...more,
  };
}

const PAGES = [
  reviewPage(1),
  reviewPage(2, { origin: 'confidence' }),
  reviewPage(3, { origin: 'near', score: 0.4 }),
  reviewPage(4, { origin: 'user', isTraining: true, score: 1 }),
];

const TEXT: ReviewText = {
  terms: ['recoveri', 'log'],
  against: [],
  paragraphs: [
    [
      { text: 'Write-ahead ', isTerm: false },
      { text: 'logging', isTerm: true },
      { text: ` ${'and so on '.repeat(12)}`, isTerm: false },
    ],
    [{ text: 'Subscribe to our newsletter.', isTerm: false }],
  ],
};

function opened(pages: readonly ReviewPage[] = PAGES): ReviewState {
  const topics = [
    { id: RECOVERY, pages },
    { id: MINING, pages: [] },
  ];
  const state = initialReview({ title: 'papers', topics, places: [RECOVERY, MINING] });
  return { ...state, texts: new Map(PAGES.map((page) => [textKey(page), TEXT])) };
}

function press(state: ReviewState, ...keys: readonly string[]): ReviewState {
  const named = new Set(['up', 'down', 'enter', 'escape', 'tab', 'page-down', 'end', 'home']);
  return keys.reduce((now, key) => {
    const pressed = named.has(key) ? ({ name: key } as KeyPress) : ({ name: 'text', text: key } as const);
    return reviewKey(now, pressed).state;
  }, state);
}

function screen(state: ReviewState, columns: number, rows: number): string {
  return renderToString(<Review state={state} columns={columns} rows={rows} theme={COLOURLESS} />, { columns });
}

const decisions = (state: ReviewState) =>
  [...state.decided.values()].map(({ sequence, use, topic, without }) => [sequence, use, topic, without ?? []]);

describe('the keys of a review', () => {
  test('accept, reject and counter-example decide on the selected page and select the next', () => {
    expect(decisions(press(opened(), 'a', 'r', 'x'))).toEqual([
      [1, 'example', RECOVERY, []],
      [2, 'dropped', '', []],
      [3, 'others', '', []],
    ]);
  });

  test('move makes it an example of the topic that is chosen', () => {
    expect(decisions(press(opened(), 'm', 'down', 'enter'))).toEqual([[1, 'example', MINING, []]]);
    expect(decisions(press(opened(), 'm', 'escape'))).toEqual([]);
  });

  test('T takes a line that changes topics; Esc changes nothing', () => {
    const typed = press(opened(), 'T', 'q', 'x');
    expect(typed.view).toEqual({ kind: 'topics', text: 'qx' });
    expect(reviewKey(typed, { name: 'enter' })).toMatchObject({
      action: { kind: 'edit-topics', line: 'qx' },
      state: { view: { kind: 'pages' } },
    });
    expect(reviewKey(typed, { name: 'escape' })).not.toHaveProperty('action');
  });

  test('trim leaves paragraphs out, and never all of them', () => {
    expect(decisions(press(opened(), 't', 'down', ' ', 'enter'))).toEqual([[1, 'example', RECOVERY, [1]]]);
    expect(decisions(press(opened(), 't', ' ', ' ', 'enter'))).toEqual([]);
    expect(decisions(press(opened(), 'x', 'up', 't', ' ', 'enter'))).toEqual([[1, 'others', '', [0]]]);
  });

  test('undo goes back step by step, over everything that was accepted at once too', () => {
    const all = press(opened(), 'r', 'down', 'A');
    expect(decisions(all).map(([sequence]) => sequence)).toEqual([1, 2, 3]);
    expect(decisions(press(all, 'u'))).toEqual([[1, 'dropped', '', []]]);
    expect(decisions(press(all, 'u', 'u', 'u'))).toEqual([]);
  });

  test('accepting all above leaves training pages and what was decided alone', () => {
    expect(decisions(press(opened(), 'x', 'end', 'A'))).toEqual([
      [1, 'others', '', []],
      [2, 'example', RECOVERY, []],
      [3, 'example', RECOVERY, []],
    ]);
  });

  test('accepting all above leaves pages that the classifier is not sure of: each wants a look', () => {
    const unsure = [reviewPage(8, { origin: 'unsure', score: 0.95 }), reviewPage(9, { origin: 'unsure', score: 1.1 })];
    const state = opened([...unsure, ...PAGES]);
    expect(screen(state, 80, 24)).toContain('5 candidates (2 unsure: these teach most), 1 training page');
    expect(press(state, 'down', 'A').message).toContain('Decide on unsure ones one by one');
    expect(decisions(press(state, 'a', 'end', 'A')).map(([sequence]) => sequence)).toEqual([8, 1, 2, 3]);
  });

  test('nothing is applied before its effect is known and confirmed', () => {
    const asked = press(opened(), 'a', 's');
    expect(reviewKey(asked, { name: 'text', text: 'y' }).action).toBeUndefined();
    const effect = { byTopic: new Map(), moved: '3 of 9 pages would move', lines: ['3 of 9'] };
    const known: ReviewState = { ...asked, effect: { kind: 'known', effect } };
    expect(reviewKey(known, { name: 'text', text: 'n' }).action).toBeUndefined();
    expect(reviewKey(known, { name: 'text', text: 'y' }).action).toEqual({ kind: 'apply' });
    expect(press(opened(), 's').message).toBe('Nothing is decided yet.');
  });

  test('Ctrl-C leaves the review; while decisions are applied, it stops that first', () => {
    const interrupt: KeyPress = { name: 'interrupt' };
    expect(reviewKey(press(opened(), 'a'), interrupt).action).toEqual({ kind: 'break-off' });
    const applying: ReviewState = { ...opened(), view: { kind: 'applying' } };
    expect(reviewKey(applying, interrupt).action).toEqual({ kind: 'interrupt' });
  });

  test('nothing happens where there is no topic to look over, or no page of it', () => {
    const keys = ['down', 'end', 'page-down', 'a', 'r', 'A', 't', 'm', 'tab', 'u', 'o'];
    const none = initialReview({ title: 'papers', topics: [], places: [] });
    for (const state of [none, opened([])])
      for (const key of keys) expect(decisions(press(state, key, 'up'))).toEqual([]);
  });

  test('leaving asks while something is decided', () => {
    expect(reviewKey(opened(), { name: 'text', text: 'q' }).action).toEqual({ kind: 'leave' });
    const asked = press(opened(), 'a', 'q');
    expect(asked.view.kind).toBe('quit');
    expect(reviewKey(asked, { name: 'text', text: 'y' }).action).toEqual({ kind: 'leave' });
    expect(press(asked, 'escape').view.kind).toBe('pages');
  });

  test('pages of OTHERS stay there when they are kept or trimmed, and can be dropped or moved', () => {
    const others = PAGES.map((page) => ({ ...page, topic: ROOT, isOthers: true, origin: 'shipped' as const }));
    const state = { ...opened(), topics: [{ id: parseTopicId('OTHERS'), pages: others }], selected: [0] };
    const texts = new Map(others.map((page) => [textKey(page), TEXT]));
    const decided = press({ ...state, texts }, 'a', 'r', 't', ' ', 'enter', 'm', 'enter');
    expect(decisions(decided)).toEqual([
      [1, 'others', '', []],
      [2, 'dropped', '', []],
      [3, 'others', '', [0]],
      [4, 'example', RECOVERY, []],
    ]);
    expect(screen(state, 80, 24)).toContain('4 pages that you do not want');
    expect(screen(state, 80, 24)).toContain('1.90 shipped');
  });

  test('Enter on a proposal shows the page that it is about', () => {
    const act = { kind: 'look', key: PAGES[2]!.key } as const;
    const proposals = [{ topic: RECOVERY, what: 'One rejected page looks like them.', how: 'bingo review', act }];
    const listed = press({ ...press(opened(), 'tab'), proposals }, 'p');
    expect(screen(listed, 80, 24)).toMatch(/› One rejected page looks like them\.\n +Enter: show them/);
    const shown = press(listed, 'enter');
    expect([shown.topicAt, shown.selected[0], shown.view.kind]).toEqual([0, 2, 'pages']);
  });

  test('Enter on a proposal that changes the tree says what it does and asks first', () => {
    const act = {
      kind: 'change',
      label: 'make them topics below it',
      lines: ['recovery/undo', 'recovery/redo'],
    } as const;
    const split = { topic: RECOVERY, what: 'It is two things.', how: 'bingo cluster', act };
    const asked = press({ ...opened(), proposals: [split] }, 'p', 'enter');
    expect(screen(asked, 80, 24)).toMatch(/recovery\/undo\nrecovery\/redo[\s\S]*Do it\?\n.*y yes/);
    expect(reviewKey(asked, { name: 'text', text: 'y' }).action).toEqual({ kind: 'accept', proposal: split });
    expect(press(asked, 'n').view.kind).toBe('proposals');
    const pending = press({ ...opened(), proposals: [split] }, 'a', 'p', 'enter');
    expect([pending.view.kind, pending.message]).toEqual([
      'proposals',
      'First apply your decisions (s), or undo them (u).',
    ]);
  });

  test('a topic without pages takes every key', () => {
    const empty = press(opened(), 'tab');
    for (const key of ['a', 'r', 'x', 'm', 't', 'A', 'o', 'u', 'down', 'enter'])
      expect(decisions(press(empty, key, 'escape'))).toEqual([]);
  });
});

describe('the screen of a review', () => {
  test('at 80 × 24 shows candidates, their decisions, and the text with its terms', () => {
    expect(screen(press(opened(), 'a', 'x'), 80, 24)).toMatchInlineSnapshot(`
      "papers · review · databases/recovery (1 of 2) · 2 decided
      Effect: decide on pages to see what would change.
      ▸ 3 candidates, 1 training page ────────────────────────────────────────────────
        ✓  1.90 both         ARIES and logging, part 1            example of database…
        ×  1.80 confidence   ARIES and logging, part 2            OTHERS
      ›    0.40 near         ARIES and logging, part 3
           1.00 yours        ARIES and logging, part 4


      ─ page ─────────────────────────────────────────────────────────────────────────
      https://host3.example/page  authority 0.25
      strongest terms: recoveri log
        1  Write-ahead logging and so on and so on and so on and so on and so on and
           so on and so on and so on and so on and so on and so on and so on
        2  Subscribe to our newsletter.






      ARIES and logging, part 2: OTHERS
      ? help  q quit  a accept  r reject  x counter-example  m move  t trim  u undo"
    `);
  });

  test('shows what is left out while a page is trimmed', () => {
    const lines = screen(press(opened(), 't', 'down', ' '), 80, 24).split('\n');
    expect(lines.some((line) => /^› 2✂ ·+$/.test(line))).toBe(true);
  });

  test('a text and help are scrolled no further than their ends: the first key back shows', () => {
    const size = { columns: 80, rows: 24 };
    const times = (state: ReviewState, name: 'page-down' | 'page-up', n = 1): ReviewState =>
      Array.from({ length: n }).reduce<ReviewState>((now) => reviewKey(now, { name }, size).state, state);
    const paragraphs = Array.from({ length: 40 }, (_, i) => [{ text: `Paragraph ${i}`, isTerm: false }]);
    const state = { ...opened(), texts: new Map([[textKey(PAGES[0]!), { ...TEXT, paragraphs }]]) };
    const end = times(state, 'page-down', 30);
    expect(screen(end, 80, 24)).toContain('Paragraph 39');
    expect(screen(times(end, 'page-up'), 80, 24)).not.toContain('Paragraph 39');
    const small = { columns: 80, rows: 14 };
    const help = reviewKey(press(opened(), '?'), { name: 'end' }, small).state;
    expect(screen(reviewKey(help, { name: 'up' }, small).state, 80, 14)).not.toBe(screen(help, 80, 14));
  });

  test('help that does not fit is scrolled, line by line', () => {
    const helped = press(opened(), '?');
    expect(screen(helped, 80, 14)).toContain('▸ help · 8 more lines');
    expect(screen(helped, 80, 14)).toContain('\na, Enter       accept: it becomes an example, and stays one\n');
    expect(screen(press(helped, 'end'), 80, 14)).toContain(
      '\ng              groups of rejected pages: topic, counter-examples, locked sites\n',
    );
    expect(press(helped, 'escape').view.kind).toBe('pages');
  });

  test.each(['m', 's', 'p', 'g', '?', 'q', 't'])('fits terminals of any size after %s', (key) => {
    const state = press(opened(), 'a', key);
    for (const [columns, rows] of [
      [40, 14],
      [80, 24],
      [120, 40],
      [39, 10],
    ] as const) {
      const lines = screen(state, columns, rows).split('\n');
      expect(lines.length, `${columns}×${rows}`).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }
  });
});

const GROUPS: readonly RejectedGroup[] = [
  {
    ...{ number: 1, pages: 120, words: ['spokes', 'wrench'], hosts: [{ host: 'shop.example', pages: 40 }] },
    examples: [{ url: 'https://shop.example/1', title: 'Truing a wheel' }],
  },
  {
    ...{ number: 2, pages: 30, words: ['recipes', 'flour'], hosts: [] },
    examples: [{ url: 'https://cakes.example/', title: '\u001b[2JCakes' }],
  },
];

describe('groups of rejected pages', () => {
  const grouped = (): ReviewState => ({
    ...press(opened(), 'g'),
    groups: { kind: 'known', groups: GROUPS, decided: new Map() },
  });
  const other = { key: 'https://shop.example/1', sequence: 9, title: '', use: 'others', topic: ROOT } as const;

  test('are listed with words, size, example titles and sites', () => {
    expect(reviewKey(opened(), { name: 'text', text: 'g' }).action).toEqual({ kind: 'group' });
    expect(screen({ ...press(opened(), 'g'), groups: { kind: 'reading', read: 40, of: 150 } }, 80, 24)).toContain(
      'Grouping rejected pages: 40 of 150 pages read …',
    );
    const shown = screen(grouped(), 80, 24);
    expect(shown).toMatch(/^› {2}1 {4}120 {2}spokes, wrench/m);
    expect(shown).toMatch(/^ {7}Truing a wheel/m);
    expect(shown).toContain('only rejected: shop.example (40)');
    expect(shown).toContain('t topic  x counter-examples  l lock the sites  u undo');
    const second = screen(press(grouped(), 'down'), 80, 24);
    expect(second).toMatch(/^› {2}2 {5}30 {2}recipes, flour/m);
    expect(second).toContain('every site also has accepted pages');
    expect(second).not.toContain('\u001b[2J');
  });

  test('become counter-examples or locked sites by one key, and undo takes that back', () => {
    expect(reviewKey(grouped(), { name: 'text', text: 'x' }).action).toEqual({
      ...{ kind: 'decide-group', group: 1, use: 'others' },
    });
    expect(reviewKey(press(grouped(), 'down'), { name: 'text', text: 'l' }).action).toEqual({
      ...{ kind: 'decide-group', group: 2, use: 'lock' },
    });
    const decided = withGroupDecided(grouped(), 1, [other]);
    expect(decisions(decided)).toEqual([[9, 'others', '', []]]);
    expect(screen(decided, 80, 24)).toContain('× counter-examples');
    expect(screen(press(decided, 'u'), 80, 24)).not.toContain('× counter-examples');
    expect(decisions(press(decided, 'u'))).toEqual([]);
    expect(press(decided, 's').view).toEqual({ kind: 'apply', top: 0 });
  });

  test('become a topic under a typed name, once no other decision waits', () => {
    const named = press(grouped(), 't');
    expect(named.view).toEqual({ kind: 'group-name', at: 0, text: 'spokes wrench' });
    expect(press(named, 'escape').view).toEqual({ kind: 'groups', at: 0 });
    expect(reviewKey(press(named, '2'), { name: 'enter' })).toMatchObject({
      action: { kind: 'make-topic', group: 1, name: 'spokes wrench2' },
    });
    expect(press(withGroupDecided(grouped(), 1, [other]), 't')).toMatchObject({
      ...{ view: { kind: 'groups' }, message: 'First apply your decisions (s), or undo them (u).' },
    });
  });

  test('undo removes the topic that the last change made of a group', () => {
    const undo = { name: 'text', text: 'u' } as const;
    expect(reviewKey({ ...opened(), madeTopic: MINING }, undo)).toMatchObject({
      ...{ state: { view: { kind: 'applying' } }, action: { kind: 'remove-topic', topic: MINING } },
    });
    expect(reviewKey(opened(), undo).state.message).toBe('Nothing to undo.');
  });
});

test('text is broken at spaces, and words that are wider than the screen anywhere', () => {
  const rows = flow([[{ text: `one two three ${'x'.repeat(25)} four`, isTerm: false }]], 10);
  for (const { segments } of rows)
    expect(
      segments
        .map(({ text }) => text)
        .join('')
        .trimEnd().length,
    ).toBeLessThanOrEqual(10);
  expect(
    rows
      .map(({ segments }) => segments.map(({ text }) => text).join(''))
      .join('')
      .replaceAll(' ', ''),
  ).toBe(`onetwothree${'x'.repeat(25)}four`);
});

test('a marked term and the comma behind it stay on one row', () => {
  const marked = (text: string) => ({ text, isTerm: true });
  const plain = (text: string) => ({ text, isTerm: false });
  const rows = flow([[plain('one '), marked('term'), plain(', '), marked('word'), plain(', end')]], 13);
  expect(
    rows.map(({ segments }) =>
      segments
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    ),
  ).toEqual(['one term,', 'word, end']);
});
