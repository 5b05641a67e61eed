import { renderToString } from 'ink';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { markTopic, ORDERINGS, type SiteUse, type Steer, siteMark, type TopicId } from '../../src/core/index.ts';
import { Dashboard } from '../../src/dashboard/components/Dashboard.tsx';
import { explanationLines, shownLinks, shownPages } from '../../src/dashboard/derive.ts';
import type { DashboardState } from '../../src/dashboard/index.ts';
import type { KeyPress } from '../../src/dashboard/key-press.ts';
import { type Effect, keyPressed } from '../../src/dashboard/keys.ts';
import type { View } from '../../src/dashboard/state.ts';
import { COLOURLESS } from '../../src/dashboard/theme.ts';
import { busyState, emptyState, fold, NEXT_LINKS, phaseEvent, statusOf } from './support/events.ts';

/** Returns the state after these keys, and their effects. Key names are in angle brackets. */
function press(state: DashboardState, ...keys: readonly string[]): { state: DashboardState; effects: Effect[] } {
  const effects: Effect[] = [];
  let now = state;
  for (const text of keys) {
    const named = /^<(.+)>$/.exec(text)?.[1];
    const key = (named === undefined ? { name: 'text', text } : { name: named }) as KeyPress;
    const result = keyPressed(now, key);
    now = fold(now, ...result.events);
    effects.push(...result.effects);
  }
  return { state: now, effects };
}

const steer = (command: object): object => ({ kind: 'steer', command });

function learningState(): DashboardState {
  return fold(busyState(), phaseEvent('learning', 'a person wants to'));
}

describe('control keys', () => {
  test('p and space pause and resume', () => {
    expect(press(busyState(), 'p').effects).toEqual([steer({ kind: 'pause' })]);
    const paused = fold(busyState(), { kind: 'status', status: statusOf({ paused: true }) });
    expect(press(paused, ' ').effects).toEqual([steer({ kind: 'resume' })]);
  });

  test('c continues a crawl that finds nothing any more, once', () => {
    expect(press(busyState(), 'c').effects).toEqual([]);
    const barren = { pages: 200, relevant: 0, left: 800, atMost: 16, endsIn: 400 };
    const asked = fold(busyState(), { kind: 'status', status: statusOf({ barren }) });
    expect(press(asked, 'c', 'c').effects).toEqual([steer({ kind: 'continue-barren' })]);
  });

  test('y, n and x answer the question about a page, once; X ends the questions', () => {
    const question = {
      ...{ key: 'http://a.test/1', sequence: 4, title: 'Steam', topic: 'rail' as TopicId, terms: [] },
      ...{ passage: { text: 'a passage', marks: [] }, number: 1, of: 8 },
    };
    const asked = fold(busyState(), { kind: 'status', status: statusOf({ question }) });
    const judged = (use: string, topic: string): object =>
      steer({ kind: 'judge-page', judgement: { key: question.key, sequence: 4, title: 'Steam', use, topic } });
    expect(press(asked, 'y', 'y').effects).toEqual([judged('example', 'rail')]);
    expect(press(asked, 'n').effects).toEqual([judged('others', '')]);
    expect(press(asked, 'x', 'x').effects).toEqual([steer({ kind: 'skip-question', key: question.key })]);
    expect(press(asked, 'X', 'y').effects).toEqual([steer({ kind: 'end-questions' })]);
    expect(press(busyState(), 'y', 'n', 'x', 'X').effects).toEqual([]);
  });

  test('+ and - change the budget by a tenth', () => {
    expect(press(busyState(), '+').effects).toEqual([steer({ kind: 'set-budget', budget: 1100 })]);
    expect(press(busyState(), '-').effects).toEqual([steer({ kind: 'set-budget', budget: 900 })]);
    const round = fold(busyState(), { kind: 'status', status: statusOf({ budget: 400 }) });
    expect(press(round, '+').effects).toEqual([steer({ kind: 'set-budget', budget: 440 })]);
  });

  test('+ pressed again adds to the budget requested before', () => {
    const asked = press(busyState(), '+');
    expect(press(asked.state, '+').effects).toEqual([steer({ kind: 'set-budget', budget: 1210 })]);
  });

  test('no budget below the pages fetched is offered, and none before it is known', () => {
    const nearly = fold(busyState(), { kind: 'status', status: statusOf({ fetched: 950 }) });
    const { state, effects } = press(nearly, '-');
    expect(effects).toEqual([]);
    expect(state.message).toBe('Fetched already: 950 pages.');
    expect(press(emptyState(), '+').effects).toEqual([]);
  });

  test('E returns to learning after a question', () => {
    const { effects } = press(busyState(), 'E', 'y');
    expect(effects).toEqual([steer({ kind: 'begin-learning' })]);
    const already = press(learningState(), 'E', 'y');
    expect(already.effects).toEqual([]);
    expect(already.state.message).toContain('already learning');
  });

  test('L shows the limits; + and - change the selected one within its bounds', () => {
    const limits = { learn: 50, time: 0, tunnel: 20, parallel: 20 };
    const known = fold(busyState(), { kind: 'status', status: statusOf({ limits }) });
    expect(press(known, 'L', '+').effects).toEqual([steer({ kind: 'set-limit', limit: 'learn', value: 55 })]);
    expect(press(known, 'L', '+', '+', '+').effects.at(-1)).toEqual(
      steer({ kind: 'set-limit', limit: 'learn', value: 67 }),
    );
    expect(press(known, 'L', '<down>', '+').effects).toEqual([
      steer({ kind: 'set-limit', limit: 'time', value: 600_000 }),
    ]);
    const stuck = press(known, 'L', '<down>', '-', '<down>', '+');
    expect(stuck.effects).toEqual([]);
    expect(stuck.state.message).toBe('This limit has no further value.');
    expect(press(known, 'L', '<escape>').state.view.kind).toBe('overview');
    expect(press(busyState(), 'L').state.view.kind).toBe('overview');
  });

  test('e and l ask first; only y confirms', () => {
    const asked = press(learningState(), 'e');
    expect(asked.effects).toEqual([]);
    expect(asked.state.view).toMatchObject({ kind: 'confirm' });
    expect(press(asked.state, 'x', '<enter>').effects).toEqual([]);
    expect(press(asked.state, 'n').state.view.kind).toBe('overview');
    const done = press(asked.state, 'y');
    expect(done.effects).toEqual([steer({ kind: 'end-learning' })]);
    expect(press(busyState(), 'e', 'y').effects).toEqual([]);
    expect(press(busyState(), 'e').state.message).toContain('already harvesting');
    expect(done.state.view.kind).toBe('overview');
    expect(press(busyState(), '<down>', 'l', 'y').effects).toEqual([
      steer({ kind: 'lock-host', host: 'host2.example' }),
    ]);
  });

  test('s marks the site of a page; b, g and u work once its waiting links are counted', () => {
    const asked = press(busyState(), '<down>', 's');
    expect(asked.effects).toEqual([{ kind: 'count-links', site: 'host2.example' }]);
    expect(press(asked.state, 'b', 'g').effects).toEqual([]);
    const links = { links: 12, isBound: false };
    const counted = fold(asked.state, { kind: 'site-counted', site: 'host2.example', links });
    const mark = (use: SiteUse | 'free') =>
      ({ kind: 'judge-page', judgement: siteMark('host2.example', use) }) as const;
    const bad = press(counted, 'b');
    expect(bad).toMatchObject({ state: { view: { kind: 'overview' } }, effects: [steer(mark('bad-site'))] });
    expect(press(counted, 'g').effects).toEqual([steer(mark('good-site'))]);
    expect(press(counted, 'u').effects).toEqual([]);
    expect(press(counted, '<escape>')).toMatchObject({ state: { view: { kind: 'overview' } }, effects: [] });
    const marked = fold(counted, {
      kind: 'steer',
      record: { kind: 'steer', command: mark('bad-site'), at: 0, sequence: 1 },
    });
    expect(press(marked, 'b')).toMatchObject({ state: { message: 'Already marked.' }, effects: [] });
    expect(press(marked, 'u').effects).toEqual([steer(mark('free'))]);
    expect(press(busyState(), 'h', 's').effects).toEqual([{ kind: 'count-links', site: 'host0.example' }]);
    expect(press(emptyState(), 's').effects).toEqual([]);
  });

  test('m marks a page; g makes it an example, b one of OTHERS, u removes the mark', () => {
    const asked = press(busyState(), 'm');
    const { page, topic } = asked.state.view as View & { kind: 'page' };
    expect(asked.effects).toEqual([]);
    const mark = (use: string, of: string) =>
      ({
        kind: 'judge-page',
        judgement: { key: page.url, sequence: page.sequence, title: page.title, use, topic: of },
      }) as Steer;
    expect(topic).toBe(page.topic);
    expect(press(asked.state, 'g')).toMatchObject({
      state: { view: { kind: 'overview' } },
      effects: [steer(mark('example', page.topic))],
    });
    expect(press(asked.state, 'b').effects).toEqual([steer(mark('others', ''))]);
    expect(press(asked.state, 'x', '<escape>').effects).toEqual([]);
    expect(press(asked.state, 'u').state.message).toBe('Already marked.');
    const command = mark('others', '');
    const marked = fold(asked.state, { kind: 'steer', record: { kind: 'steer', command, at: 0, sequence: 1 } });
    expect(press(marked, 'b').effects).toEqual([]);
    expect(press(marked, 'u').effects).toEqual([steer(mark('free', ''))]);
    expect(press(emptyState(), 'm').effects).toEqual([]);
  });

  test('a page without a topic becomes an example only if the topic is clear', () => {
    const state = busyState();
    const rejected = state.pages.find(({ topic }) => topic === 'rejected')!;
    const asked = press({ ...state, selectedPage: rejected.sequence }, 'm');
    expect(asked.state.view).toMatchObject({ kind: 'page', page: rejected, topic: undefined });
    expect(press(asked.state, 'g').effects).toEqual([]);
    expect(press(asked.state, 'v').effects).toEqual([{ kind: 'review' }]);
    const alone = { ...state, tree: markTopic(state.tree, 'mining' as TopicId, false) };
    const clear = press({ ...alone, selectedPage: rejected.sequence }, 'm');
    expect(clear.state.view).toMatchObject({ kind: 'page', topic: 'databases/recovery' });
  });

  test('g marks for the selected topic once the arrows select topics', () => {
    const first = press(busyState(), 'g');
    expect(first.effects).toEqual([]);
    expect(first.state.pane).toBe('topics');
    expect(press(first.state, 'g').effects).toEqual([steer({ kind: 'mark-topic', topic: 'databases', good: true })]);
    expect(press(first.state, '<down>', 'g').effects).toEqual([
      steer({ kind: 'mark-topic', topic: 'databases/recovery', good: false }),
    ]);
  });

  test('r selects an ordering, beginning with the current one', () => {
    const next = ORDERINGS[ORDERINGS.indexOf('bingo') - 1];
    expect(press(busyState(), 'r', '<up>', '<enter>').effects).toEqual([
      steer({ kind: 'set-ordering', ordering: next }),
    ]);
    expect(press(busyState(), 'r', '<up>', '<escape>').effects).toEqual([]);
  });

  test('h lists hosts, and can block one', () => {
    expect(press(busyState(), 'h', 'l', 'y').effects).toEqual([steer({ kind: 'lock-host', host: 'host0.example' })]);
  });
});

describe('view keys', () => {
  test('arrows select a page; at the top the list follows new pages again', () => {
    const down = press(busyState(), '<down>', 'j', '<page-down>');
    expect(down.state.selectedPage).toBe(228);
    expect(press(down.state, '<home>').state.selectedPage).toBeUndefined();
    expect(press(down.state, '<escape>').state.selectedPage).toBeUndefined();
    expect(press(busyState(), '<end>', '<down>').state.selectedPage).toBe(1);
  });

  test('Enter explains a page, o opens it', () => {
    const { state, effects } = press(busyState(), '<down>', '<enter>');
    expect(effects).toEqual([{ kind: 'explain', url: 'http://host2.example/page/239' }]);
    expect(press(state, 'o').effects).toEqual([{ kind: 'open', url: 'http://host2.example/page/239' }]);
    expect(press(emptyState(), '<enter>', 'o').effects).toEqual([]);
  });

  test('T takes a line that changes topics; Esc and an empty line change nothing', () => {
    const typed = press(busyState(), 'T', 'q', 'x', '<backspace>', '<enter>');
    expect([typed.effects, typed.state.view.kind]).toEqual([[{ kind: 'edit-topics', line: 'q' }], 'overview']);
    expect(press(busyState(), 'T', 'q', '<escape>').effects).toEqual([]);
    expect(press(busyState(), 'T', '<enter>').effects).toEqual([]);
  });

  test('a filter is typed, corrected, applied and cleared', () => {
    const typed = press(busyState(), '/', 'a', 'q', 'x', '<backspace>', '<enter>');
    expect(typed.state).toMatchObject({ filter: 'aq', view: { kind: 'overview' } });
    expect(typed.effects).toEqual([]);
    expect(press(typed.state, '<escape>').state.filter).toBe('');
    expect(press(typed.state, '/', 'b', '<escape>').state.filter).toBe('aq');
    expect(press(busyState(), '/', '😀', '😀', '<backspace>', '<enter>').state.filter).toBe('😀');
  });

  test.each([
    [40, 12],
    [80, 24],
  ])('the explanation scrolls to its last line at %i × %i, and back at the first key', (columns, rows) => {
    const long = Array.from({ length: 20 }, (_, i) => `line ${i} ${'of many words '.repeat(9)}`);
    const view: View = { kind: 'why', url: 'http://a.example/', lines: long, top: 0 };
    const topAfter = (top: number, name: 'end' | 'up'): number => {
      const [now] = keyPressed(
        fold(busyState(), { kind: 'view', view: { ...view, top } }),
        { name },
        { columns, rows },
      ).events;
      return ((now as { view: View }).view as typeof view).top;
    };
    const shown = rows - 8;
    const end = topAfter(0, 'end');
    expect(end).toBe(explanationLines(view, columns).length - shown);
    expect(topAfter(end, 'up')).toBe(end - 1);
    // The window was smaller when it was scrolled.
    expect(topAfter(end + 30, 'up')).toBe(end - 1);
  });

  test('? shows help, arrows scroll it, any other key closes it', () => {
    const help = press(busyState(), '?');
    expect(help.state.view.kind).toBe('help');
    expect(press(help.state, '<down>').state.view).toEqual({ kind: 'help', top: 1 });
    expect(press(help.state, 'p')).toMatchObject({ state: { view: { kind: 'overview' } }, effects: [] });
  });
});

describe('exit keys', () => {
  test('q asks: stop and save, leave the crawl running, or stay', () => {
    const asked = press(busyState(), 'q');
    expect(asked.effects).toEqual([]);
    expect(press(asked.state, 's').effects).toEqual([{ kind: 'stop' }]);
    expect(press(asked.state, 'd').effects).toEqual([{ kind: 'leave' }]);
    expect(press(asked.state, '<escape>')).toMatchObject({ state: { view: { kind: 'overview' } }, effects: [] });
  });

  test('q and Ctrl-C exit at once if the crawl is another process', () => {
    const beside = busyState({ ownsCrawl: false });
    expect(press(beside, 'q').effects).toEqual([{ kind: 'leave' }]);
    expect(press(beside, '?', '<interrupt>').effects).toEqual([{ kind: 'leave' }]);
  });

  test('Ctrl-C interrupts in every view', () => {
    expect(press(busyState(), '/', '<interrupt>').effects).toEqual([{ kind: 'interrupt' }]);
  });
});

describe('the lists', () => {
  const state = fold(busyState(), { kind: 'status', status: statusOf({ next: NEXT_LINKS }) });

  test('1, 2 and 3 show the last pages, the next fetches and the best pages', () => {
    expect(['1', '2', '3'].map((key) => press(state, key).state.list)).toEqual(['last', 'next', 'best']);
    expect(press(state, '<down>', '3').state.selectedPage).toBeUndefined();
  });

  test('keys apply to the selected waiting link, except marks of pages', () => {
    const second = press(state, '2', '<down>');
    expect(second.state.selectedLink).toBe('http://host1.example/a?b=\u001b[31m');
    expect(press(second.state, '<enter>').effects).toEqual([{ kind: 'explain', url: NEXT_LINKS[1]!.url }]);
    expect(press(second.state, 's').effects).toEqual([{ kind: 'count-links', site: 'host1.example' }]);
    expect(press(second.state, 'm').state.message).toMatch(/not fetched yet/);
    expect(press(second.state, '<up>').state.selectedLink).toBeUndefined();
    expect(press(second.state, '<escape>').state.selectedLink).toBeUndefined();
  });

  test('a filter applies to each list', () => {
    const words = [...'mining'];
    expect(shownLinks(press(state, '2', '/', ...words, '<enter>').state)).toHaveLength(2);
    expect(shownPages(press(state, '3', '/', ...words, '<enter>').state)).toHaveLength(0);
  });
});

describe('clicks', () => {
  const state = fold(busyState(), { kind: 'status', status: statusOf({ next: NEXT_LINKS }) });
  const lines = (now: DashboardState): string[] =>
    renderToString(createElement(Dashboard, { state: now, columns: 120, rows: 40, theme: COLOURLESS }), {
      columns: 120,
    }).split('\n');
  /** Clicks on the first place that shows the text. */
  const click = (now: DashboardState, text: string, which = 0) => {
    const places = lines(now).flatMap((line, row) =>
      line.includes(text) ? [{ row, column: line.indexOf(text) }] : [],
    );
    const { events, effects } = keyPressed(now, { name: 'click', ...places[which]! }, { columns: 120, rows: 40 });
    return { state: fold(now, ...events), effects };
  };

  test('on keys press them', () => {
    expect(click(state, 'p pause').effects).toEqual([steer({ kind: 'pause' })]);
    expect(click(state, '? help').state.view.kind).toBe('help');
    expect(click(click(state, 'q quit').state, 's stop').effects).toEqual([{ kind: 'stop' }]);
  });

  test('on the names of lists show them', () => {
    expect(click(state, '2 next').state.list).toBe('next');
    expect(click(click(state, '2 next').state, '1 last').state.list).toBe('last');
    expect(click(state, 'host1.example/a').state.list).toBe('next');
  });

  test('on a line select it, and on the selected line explain it', () => {
    const chosen = click(state, 'Page 236');
    expect(chosen.state.selectedPage).toBe(236);
    expect(click(chosen.state, 'Page 236').effects).toMatchObject([{ kind: 'explain' }]);
    expect(click(state, '· bicycles').state).toMatchObject({ pane: 'topics', selectedTopic: 2 });
  });

  test('on a host select it in its view', () => {
    const hosts = click(state, 'down.example   ').state;
    expect(hosts.view.kind).toBe('hosts');
    expect(lines(hosts).find((line) => line.startsWith('›'))).toContain('down.example');
    expect(click(hosts, 'host1.example').state.view).not.toEqual(hosts.view);
  });

  test('beside lines and keys do nothing', () => {
    for (const [column, row] of [
      [0, 0],
      [5, 6],
      [119, 38],
      [0, 39],
      [500, 500],
    ] as const)
      expect(keyPressed(state, { name: 'click', column, row }, { columns: 120, rows: 40 })).toEqual({
        events: [],
        effects: [],
      });
  });
});
