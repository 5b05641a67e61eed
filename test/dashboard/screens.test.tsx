import { renderToString } from 'ink';
import { describe, expect, test } from 'vitest';
import { siteMark, type TopicId, topicTree } from '../../src/core/index.ts';
import { Dashboard } from '../../src/dashboard/components/Dashboard.tsx';
import type { DashboardState } from '../../src/dashboard/index.ts';
import { LISTS } from '../../src/dashboard/state.ts';
import { COLOURFUL, COLOURLESS, type Theme } from '../../src/dashboard/theme.ts';
import { displayWidth } from '../../src/kit/index.ts';
import {
  busyState,
  emptyState,
  fold,
  NEXT_LINKS,
  pageEvent,
  pageEvents,
  rejected,
  statusOf,
} from './support/events.ts';

function screen(state: DashboardState, columns: number, rows: number, theme: Theme = COLOURLESS): string {
  return renderToString(<Dashboard state={state} columns={columns} rows={rows} theme={theme} />, { columns });
}

describe('the overview', () => {
  test('of hundreds of topics shows those with most pages, and all in the order of the tree for who chooses among them', () => {
    const names = Array.from({ length: 400 }, (_, i) => `topic ${i + 1}`);
    const queues = names.map((topic, i) => {
      const accepted = i === 299 ? 70 : i === 99 ? 50 : 0;
      return { topic, accepted, incoming: 0, outgoing: 0, archetypes: 0, meanConfidence: 1, xiAlphaPrecision: 1 };
    });
    const tree = topicTree(
      names.map((name) => ({ name, examples: [{ kind: 'text', name: 'query', text: name }] })),
      [],
    );
    const state = fold(busyState({ tree }), { kind: 'status', status: statusOf({ queues }) });
    expect(screen(state, 80, 24)).toMatch(
      /topics \(top 3 of 400\).*\n {2}✓ topic 300 .*\n {2}✓ topic 100 .*\n {2}✓ topic 1 /,
    );
    const choosing = fold(state, { kind: 'pane', pane: 'topics' });
    expect(screen(choosing, 80, 24)).toMatch(/topics \(1 to 3 of 400\).*\n› ✓ topic 1 .*\n {2}✓ topic 2 /);
  });

  test('at 80 × 24 shows progress, harvest, topics and the last pages', () => {
    expect(screen(busyState(), 80, 24)).toMatchInlineSnapshot(`
      "papers · harvesting phase  ████░░░░░░░░░░░  250 of 1,000 pages, 25 %
      5.0 pages/s  50s, 2m 30s left  harvest rate 40 %  last 100: 40 %  relevant 100
      hosts: 4 active, 1 slow, 1 bad  in flight 7  failed 3  refused 2  duplicates 1
      ─ ⠂ relevance  ━ harvest rate ──── ─ pages per second ─── ─ pages by relevance ─
      1.0 │                               10 │███████████         ██
          │⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒     │███████████         ██        ▅▅
          │▔━━━━━━━━━━━━━━━━━━━━━━━━━━━━     │███████████         ██        ██
      0.0 │⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉   0 │███████████         ██        ██
          └──────────────────── page 240     └───────────── 24s 0        0.5       1
      ─ topics (top 3 of 4)      accepted   grade     in   out conf. yours +auth +conf
        ✓ databases/recovery           78       –  1,234    56  0.42     1     1     2
        ✓ mining                        –       –      –     –     –     –     –     –
        · databases                     –       –      –     –     –     –     –     –
      ▸ last pages  2 next  3 best ───────────────────────────────────────────────────
      › ✓ 0.66 recovery       ARIES and logging, part 239         host0.example
        · 0.17 rejected       Page 239                            host2.example
        · 0.17 rejected       Page 238                            host1.example
        ✓ 0.66 recovery       ARIES and logging, part 236         host0.example
        · 0.17 rejected       Page 236                            host2.example
        · 0.17 rejected       Page 235                            host1.example
      200 pages fetched; model 2: 3 archetypes admitted

      ? help  q quit  p pause  Enter why  o open  l lock host  + budget  E learn again"
    `);
  });

  test('lists the links fetched next: priority, host, topic, address, reason', () => {
    const state = fold(
      busyState(),
      { kind: 'status', status: statusOf({ next: NEXT_LINKS }) },
      { kind: 'list', list: 'next' },
    );
    expect(screen(state, 80, 24).split('\n').slice(13, 17).join('\n')).toMatchInlineSnapshot(`
      "▸ 1 last  next fetches  3 best ─────────────────────────────────────────────────
      ›   0.91 ready recovery   host0.example/next         from 0.17 Page 239
          0.50 rests mining     host1.example/a?b=         goes first, 1 behind rejec…
          0.25 bad   mining     down.example/              try 2, 2 behind rejected: …"
    `);
    expect(screen(fold(state, { kind: 'status', status: statusOf() }), 80, 24)).toContain('No link waits.');
    expect(screen(fold(emptyState(), { kind: 'list', list: 'next' }), 80, 24)).toContain('has not reported its queue');
  });

  test('lists the best pages, most relevant first', () => {
    const state = fold(busyState(), { kind: 'list', list: 'best' });
    expect(screen(state, 80, 24)).toMatch(/1 last {2}2 next {2}best pages ─.*\n› ✓ 0\.66 .*\n {2}✓ 0\.66 /);
    expect(screen(fold(emptyState(), { kind: 'list', list: 'best' }), 80, 24)).toContain('No page was accepted yet.');
  });

  test('shows the next links and the hosts beside the pages from 110 columns', () => {
    const state = fold(busyState(), { kind: 'status', status: statusOf({ next: NEXT_LINKS }) });
    expect(screen(state, 120, 40)).toMatch(/last pages {2}2 next.* ─ next fetches ─/);
    expect(screen(state, 120, 40)).toMatch(/ ─ hosts: relevant\/pages ─/);
    expect(screen(fold(state, { kind: 'list', list: 'next' }), 120, 40)).not.toContain('─ next fetches ─');
  });

  test.each([
    [80, 24],
    [120, 40],
    [200, 50],
    [40, 12],
  ] as const)('fits %i × %i, with every list', (columns, rows) => {
    for (const list of LISTS) {
      const lines = screen(
        fold(busyState(), { kind: 'status', status: statusOf({ next: NEXT_LINKS }) }, { kind: 'list', list }),
        columns,
        rows,
      ).split('\n');
      expect(lines.length).toBeLessThan(rows);
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
    }
  });

  test('says how far a recheck has come', () => {
    const recheck = { total: 73, unchanged: 10, changed: 3, moved: 1, gone: 2, back: 0, away: 0, failed: 0 };
    const state = fold(emptyState(), { kind: 'status', status: statusOf({ recheck }) });
    expect(screen(state, 80, 24)).toContain('rechecked 16 of 73: 3 changed, 1 moved, 2 gone');
  });

  test('shows how many links wait in which band, if rules or site marks set bands', () => {
    const order = { preferred: 1234, ordinary: 23_400, deferred: 56, aside: 0 };
    const state = fold(busyState(), { kind: 'status', status: statusOf({ order }) });
    expect(screen(state, 80, 24)).toContain(
      '▸ last  2 next  3 best ─ waiting: 1,234 preferred, 23,400 ordinary, 56 deferred',
    );
    const some = fold(state, { kind: 'status', status: statusOf({ order: { ...order, aside: 7 } }) });
    expect(screen(some, 100, 24)).toContain('56 deferred, 7 aside ─');
    expect(screen(busyState(), 80, 24)).not.toContain('waiting: ');
  });

  test('asks what a page is, and of which topic it would be an example', () => {
    const state = busyState();
    const page = { ...state.pages[0]!, title: 'A page' };
    const asked = (topic: TopicId | undefined): string[] =>
      screen(fold(state, { kind: 'view', view: { kind: 'page', page, topic } }), 80, 24)
        .split('\n')
        .slice(-2);
    expect(asked('databases/recovery' as TopicId)).toEqual([
      '"A page": an example of databases/recovery, or none of it?',
      'g an example  b counter-example  Esc back',
    ]);
    expect(asked(undefined)).toEqual([
      '"A page": an example of some topic, or none of it?',
      'v an example, in the review  b counter-example  Esc back',
    ]);
  });

  test('asks what a site is worth with the number of links that wait for it, and names the mark that it has', () => {
    const view = { kind: 'site', site: 'host2.example', links: undefined } as const;
    const asked = fold(busyState(), { kind: 'view', view });
    expect(screen(asked, 80, 24)).toContain('host2.example: counting the links that wait for it …');
    const links = { links: 1234, isBound: false };
    const lines = screen(fold(asked, { kind: 'site-counted', site: 'host2.example', links }), 80, 24).split('\n');
    expect(lines.at(-2)).toBe('1,234 links wait for host2.example, and hosts below it. Mark it?');
    expect(lines.at(-1)).toBe('b bad: not fetched again  g good: links go first  Esc back');
    const command = { kind: 'judge-page', judgement: siteMark('host2.example', 'bad-site') } as const;
    const marked = fold(asked, { kind: 'steer', record: { kind: 'steer', command, at: 0, sequence: 1 } });
    const bound = { kind: 'site-counted', site: 'host2.example', links: { links: 1, isBound: true } } as const;
    const told = screen(fold(marked, bound), 80, 24).split('\n');
    expect(told.at(-2)).toBe('At most 1 link waits for host2.example, a bad site, and hosts below it. Mark it?');
    expect(told.at(-1)).toBe('b bad: not fetched again  g good: links go first  u undo the mark  Esc back');
  });

  test('says that classifiers are trained, and the bar beside it keeps its place and its length', () => {
    const training = fold(busyState(), { kind: 'status', status: statusOf({ isTraining: true }) });
    const first = (state: DashboardState): string => screen(state, 80, 24).split('\n')[0]!;
    expect(first(training)).toBe(`${first(busyState())}, training`);
    expect(first(training)).toHaveLength(80 - 2);
  });

  test('at 120 × 40 has a taller plot, hosts beside more pages, and more keys', () => {
    expect(screen(busyState(), 120, 40)).toMatchInlineSnapshot(`
      "papers · harvesting phase  ██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  250 of 1,000 pages, 25 %
      5.0 pages/s  50s, 2m 30s left  harvest rate 40 %  last 100: 40 %  relevant 100
      hosts: 4 active, 1 slow, 1 bad  in flight 7  failed 3  refused 2  duplicates 1  ordering bingo
      ─ ⠂ relevance of a page  ━ harvest rate, last 100 ──────────────── ─ pages per second ─────────── ─ pages by relevance ─
      1.0 │                                                               10 │███████████                 ██
          │                                                                  │███████████                 ██
          │                                                                  │███████████                 ██
          │▁⠐⠒⠂⠒⠒⠐⠒⠂⠒⠒⠐⠒⠂⠒⠂⠒⠐⠐⠂⠂⠒⠐⠐⠂⠂⠒⠐⠐⠂⠒⠂⠒⠒⠐⠒⠂⠒⠒⠐⠒⠂⠒⠒⠐⠒⠐⠂⠂⠒⠐⠐⠂⠂⠒⠐⠐⠂⠂⠒⠐     │███████████                 ██        ▅▅
          │                                                                  │███████████                 ██        ██
          │ ▁ ▁ ▁▁▁▁ ▁▁▁▁ ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁     │███████████                 ██        ██
          │  ▔ ▔    ▔    ▔                                                   │███████████                 ██        ██
          │                                                                  │███████████                 ██        ██
          │⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠐⠒⠂⠒⠒⠐⠒⠂⠒⠒⠐⠒⠂⠒⠒⠐⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠂⠒⠒⠐⠒⠂⠒⠒⠐⠒⠂⠒⠒⠐⠒⠂     │███████████                 ██        ██
      0.0 │                                                                0 │███████████                 ██        ██
          └──────────────────────────────────────────────────── page 240     └───────────────────── 24s 0        0.5       1
      ─ topics                                                           accepted   grade     in   out conf. yours +auth +conf
        · databases                                                             –       –      –     –     –     –     –     –
        ✓ databases/recovery                                                   78       –  1,234    56  0.42     1     1     2
        · bicycles                                                              –       –      –     –     –     –     –     –
        ✓ mining                                                                –       –      –     –     –     –     –     –
      ▸ last pages  2 next  3 best ────────────────────────────────────────── ─ next fetches ─────────────────────────────────
      › ✓ 0.66 recovery     ARIES and logging, part 239     host0.example
        · 0.17 rejected     Page 239                        host2.example
        · 0.17 rejected     Page 238                        host1.example
        ✓ 0.66 recovery     ARIES and logging, part 236     host0.example
        · 0.17 rejected     Page 236                        host2.example
        · 0.17 rejected     Page 235                        host1.example
        ✓ 0.66 recovery     ARIES and logging, part 233     host0.example
        · 0.17 rejected     Page 233                        host2.example     ─ hosts: relevant/pages ────────────────────────
        · 0.17 rejected     Page 232                        host1.example       host0.example                           32/80
        ✓ 0.66 recovery     ARIES and logging, part 230     host0.example       host1.example                           32/80
        ✓ 0.66 recovery     ARIES and logging, part 229     host2.example       host2.example                           32/80
        · 0.17 rejected     Page 229                        host1.example       down.example                  bad         0/0
        · 0.17 rejected     Page 228                        host0.example
        ✓ 0.66 recovery     ARIES and logging, part 226     host2.example
        · 0.17 rejected     Page 226                        host1.example
      200 pages fetched; model 2: 3 archetypes admitted

      ? help  q quit  p pause  Enter why  o open  l lock host  + budget  E learn again  s site  m page  v review  r ordering"
    `);
  });

  test('before the first page says so', () => {
    expect(screen(emptyState(), 80, 24)).toMatchInlineSnapshot(`
      "papers · fetching training pages  ░░░░░░░░░░░░░░░░░░░░  0 pages, 0 %
      0.0 pages/s  0s  harvest rate –  relevant 0

      ─ ⠂ relevance  ━ harvest rate ──── ─ pages per second ─── ─ pages by relevance ─
      1.0 │                                  │
          │                                  │
          │                                  │
      0.0 │                                0 │
          └───────────────── no page yet     └────────────── 0s 0        0.5       1
      ─ topics (top 3 of 4)      accepted   grade     in   out conf. yours +auth +conf
        ✓ databases/recovery            –       –      –     –     –     –     –     –
        ✓ mining                        –       –      –     –     –     –     –     –
        · databases                     –       –      –     –     –     –     –     –
      ▸ last pages  2 next  3 best ───────────────────────────────────────────────────
        No page yet.







      ? help  q quit  p pause  Enter why  o open  l lock host  + budget"
    `);
  });

  test('shows an alarm with its remedy', () => {
    const state = fold(busyState(), ...pageEvents(900, 120, rejected), { kind: 'status', status: statusOf() });
    expect(screen(state, 80, 24).split('\n').slice(-3)).toEqual([
      '! Stagnation: 0 % of the last pages are relevant, 27 % of all.',
      '  Try another ordering (r), or stop and add examples of what is missing.',
      '? help  q quit  p pause  Enter why  o open  l lock host  + budget  E learn again',
    ]);
  });

  test('marks what is selected with a sign, not with colour alone', () => {
    const state = fold(busyState(), { kind: 'select', page: 238 });
    expect(screen(state, 80, 24)).toContain('› · 0.17 rejected       Page 238');
    const topics = fold(busyState(), { kind: 'pane', pane: 'topics' }, { kind: 'select-topic', at: 2 });
    expect(screen(topics, 80, 24)).toContain('› · bicycles');
  });

  test('shows only pages that match the filter', () => {
    const text = screen(fold(busyState(), { kind: 'filter', text: 'accepted aries' }), 80, 24);
    expect(text).toContain('filter "accepted aries": 96 of 240');
    expect(text).not.toContain('rejected');
    expect(screen(fold(busyState(), { kind: 'filter', text: 'xyzzy' }), 80, 24)).toContain(
      'No page matches the filter.',
    );
  });

  test('keeps what web pages say on its line and without escapes', () => {
    const title = '\u001b[2J\u001b[31mred\u0007\nsecond line \u202egnirts\u0000 \u009b5m回復と記録';
    const state = fold(emptyState(), pageEvent(1, { title }));
    const text = screen(state, 80, 24);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text.split('\n').find((line) => line.includes('second line'))).toContain('red second line gnirts');
  });
});

describe('any screen', () => {
  const views: readonly DashboardState[] = [
    busyState(),
    emptyState(),
    fold(busyState(), { kind: 'view', view: { kind: 'help', top: 0 } }),
    fold(busyState(), { kind: 'view', view: { kind: 'hosts', at: 1 } }),
    fold(busyState(), { kind: 'view', view: { kind: 'orderings', at: 3 } }),
    fold(busyState(), { kind: 'view', view: { kind: 'why', url: 'http://a.example/', lines: undefined, top: 0 } }),
    fold(busyState(), { kind: 'view', view: { kind: 'quit' } }),
    fold(busyState(), pageEvent(999, { title: '漢字'.repeat(80), url: `http://${'a'.repeat(60)}.example/` })),
  ];

  test.each([
    [40, 12],
    [60, 16],
    [80, 24],
    [100, 30],
    [120, 40],
    [200, 60],
  ])('fits %i × %i, and leaves one row free', (columns, rows) => {
    for (const state of views) {
      const lines = screen(state, columns, rows).split('\n');
      expect(lines).toHaveLength(rows - 1);
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
    }
  });

  test('says how much room it needs when there is too little', () => {
    expect(screen(busyState(), 39, 30).replaceAll('\n', ' ')).toContain('needs 40 columns and 12 rows');
  });

  test.each([
    [39, 20],
    [60, 8],
    [30, 8],
  ])('of %i × %i says what it needs, and fills every row, over what was there', (columns, rows) => {
    const text = screen(busyState(), columns, rows);
    expect(text.replace(/\s+/g, ' ')).toContain('the dashboard needs 40 columns and 12 rows.');
    expect(text.split('\n').length).toBeGreaterThanOrEqual(rows - 1);
  });

  test('says the same without colours as with them', () => {
    const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, '');
    for (const state of views) expect(plain(screen(state, 80, 24, COLOURFUL))).toBe(plain(screen(state, 80, 24)));
  });
});

describe('the views', () => {
  test('help lists every alarm, keys, and what columns, graphs and signs mean', () => {
    const alarm = { kind: 'alarm', code: 'x', message: 'A training page is gone.', remedy: 'Replace it.' } as const;
    const text = screen(fold(busyState(), alarm, { kind: 'view', view: { kind: 'help', top: 0 } }), 100, 70);
    const parts = ['! A training page is gone.', '  Replace it.', 'p, space       pause, resume'];
    const columns = ['accepted', 'grade', 'in, out', 'conf.', 'yours', '+auth, +conf'];
    const graphs = ['pages per second', 'pages by relevance', '§ !            training page; alarm'];
    for (const part of [...parts, ...columns, ...graphs]) expect(text).toContain(`\n${part}`);
  });

  test('help that does not fit is scrolled: every line is reached, none lies over another', () => {
    const message = 'A training page is gone, and this says at some length which page it was and why.';
    const alarmed = fold(busyState(), { kind: 'alarm', code: 'x', message, remedy: 'Replace it.' });
    const at = (top: number): string[] =>
      screen(fold(alarmed, { kind: 'view', view: { kind: 'help', top } }), 80, 24).split('\n');
    expect(at(0)[3]).toMatch(/^▸ help · \d+ more lines: ↓ ↑ ─+$/);
    const start = at(0).join('\n');
    expect(start).toContain('! A training page is gone, and this says at some length which page it was and\n  why.\n');
    expect(start).toContain('  Replace it.\n');
    expect(at(0)[8]).toBe('p, space       pause, resume');
    expect(at(99)[19]).toBe('§ !            training page; alarm');
    const seen = Array.from({ length: 60 }, (_, top) => at(top)[4]);
    expect(seen).toContain('Enter, w       why the selected page was found and judged as it was');
  });

  test('why shows the explanation, long lines folded, scrolled', () => {
    const lines = [
      'http://a.example/',
      '',
      `way ${'word '.repeat(40)}`,
      ...Array.from({ length: 30 }, (_, i) => `line ${i}`),
    ];
    const asked = fold(busyState(), {
      kind: 'view',
      view: { kind: 'why', url: 'http://a.example/', lines: undefined, top: 0 },
    });
    expect(screen(asked, 80, 24)).toContain('Looking it up');
    const told = fold(asked, { kind: 'explained', url: 'http://a.example/', lines });
    expect(screen(told, 80, 24)).toContain('http://a.example/');
    expect(screen(told, 80, 24)).toContain('\n    word word');
    const view = told.view as DashboardState['view'] & { kind: 'why' };
    expect(screen(fold(told, { kind: 'view', view: { ...view, top: 99 } }), 80, 24)).toContain('line 29');
  });

  test('orderings names the one in use', () => {
    expect(screen(fold(busyState(), { kind: 'view', view: { kind: 'orderings', at: 0 } }), 80, 24)).toMatch(
      /› breadth-first [\s\S]*bingo .*\(in/,
    );
  });

  test('hosts shows those that gave pages first, then those in trouble', () => {
    const lines = screen(fold(busyState(), { kind: 'view', view: { kind: 'hosts', at: 0 } }), 80, 24).split('\n');
    expect(lines[4]).toMatch(/^› host0\.example +\d+\/80/);
    expect(lines[7]).toMatch(/^ {2}down\.example +bad +0\/0/);
    const nameless = statusOf({
      hosts: { active: 0, slow: 0, bad: 0, named: [{ host: 'x.test', standing: 'nameless' }] },
    });
    const view = { kind: 'view', view: { kind: 'hosts', at: 0 } } as const;
    expect(screen(fold(busyState(), { kind: 'status', status: nameless }, view), 80, 24)).toMatch(
      /x\.test +no DNS +0\/0/,
    );
  });

  test('quitting offers to leave the crawl running, where that is possible', () => {
    expect(screen(fold(busyState(), { kind: 'view', view: { kind: 'quit' } }), 80, 24)).toContain(
      's stop and save  d leave; the crawl continues  Esc back',
    );
  });

  test('beside a crawl of another process it says whether there is one', () => {
    const beside = busyState({ ownsCrawl: false });
    expect(screen(beside, 80, 24)).toContain('looking for the crawl');
    expect(screen(fold(beside, { kind: 'running', isRunning: false }), 80, 24)).toContain('no crawl is running');
    expect(screen(fold(beside, { kind: 'running', isRunning: true }), 80, 24)).toContain('harvesting phase');
  });
});
