import {
  answerCommand,
  goodTopics,
  type Judgement,
  LIMIT_BOUNDS,
  LIMIT_NAMES,
  type LimitName,
  MAX_JUDGED,
  type OfKind,
  ORDERINGS,
  type QuestionAnswer,
  ROOT,
  type SteerCommand,
  siteMark,
  type TopicId,
  type TopicTree,
  withoutPort,
} from '../core/index.ts';
import { counted } from '../kit/index.ts';
import { shownAlarms } from './alarms.ts';
import {
  explanationLines,
  hostLines,
  listPosition,
  openQuestion,
  selectedAddress,
  selectedPage,
  shownLinks,
  shownPages,
  shownTopics,
} from './derive.ts';
import { helpLines } from './help-lines.ts';
import type { Click, KeyPress } from './key-press.ts';
import { bodyRowsOf, type Size, SMALLEST } from './layout.ts';
import { stepped } from './list-position.ts';
import { targetAt } from './mouse.ts';
import { type DashboardEvent, type DashboardState, LISTS, PANES, type PageLine, type View } from './state.ts';
import { typedText } from './typed-text.ts';

/** Side effects of a key besides changing the view. */
export type Effect =
  | { readonly kind: 'steer'; readonly command: SteerCommand }
  | { readonly kind: 'explain'; readonly url: string }
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'count-links'; readonly site: string }
  /** With `groups`, the review begins with the groups of rejected pages. */
  | { readonly kind: 'review'; readonly groups?: true }
  | { readonly kind: 'edit-topics'; readonly line: string }
  | { readonly kind: 'stop' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'leave' };

export interface KeyResult {
  readonly events: readonly DashboardEvent[];
  readonly effects: readonly Effect[];
}

/** Step of the keys for budget and learning phase, as a share of the current value. */
const STEP = 0.1;
/** Step of the time limit: ten minutes. */
const TIME_STEP_MS = 600_000;
const PAGE_STEP = 10;
const MAX_FILTER = 60;
const MAX_LINE = 2_000;

const NOTHING: KeyResult = { events: [], effects: [] };
const OVERVIEW: DashboardEvent = { kind: 'view', view: { kind: 'overview' } };

/** Returns the meaning of a key, depending on the view and the window size. */
export function keyPressed(state: DashboardState, key: KeyPress, size: Size = SMALLEST): KeyResult {
  if (key.name === 'interrupt') return state.ownsCrawl ? effect({ kind: 'interrupt' }) : effect({ kind: 'leave' });
  if (key.name === 'click') return onClick(state, key, size);
  const { view } = state;
  switch (view.kind) {
    case 'overview':
      return onOverview(state, key);
    case 'filter':
      return onFilter(view, key);
    case 'topics':
      return onTopics(view, key);
    case 'confirm':
      return onConfirm(view, key);
    case 'site':
      return onSite(state, view, key);
    case 'page':
      return onPage(state, view, key);
    case 'quit':
      return onQuit(key);
    case 'orderings':
      return onOrderings(view, key);
    case 'hosts':
      return onHosts(state, view, key);
    case 'limits':
      return onLimits(state, view, key);
    case 'why':
      return onWhy(view, key, size);
    case 'help':
      return onHelp(state, view, key, size);
  }
}

/** Presses the key that is clicked, or selects the line; the selected page is explained. */
function onClick(state: DashboardState, click: Click, size: Size): KeyResult {
  const target = targetAt(state, click, size);
  switch (target?.kind) {
    case 'key':
      return keyPressed(state, target.key, size);
    case 'list':
      return event({ kind: 'list', list: target.list });
    case 'line':
      return target.at === listPosition(state).at && state.pane === 'pages' ? why(state) : selectLine(state, target.at);
    case 'topic':
      return {
        events: [
          { kind: 'pane', pane: 'topics' },
          { kind: 'select-topic', at: target.at },
        ],
        effects: [],
      };
    case 'row':
      return show(target.view);
    case undefined:
      return NOTHING;
  }
}

function onOverview(state: DashboardState, key: KeyPress): KeyResult {
  if (key.name === 'tab') return event({ kind: 'pane', pane: PANES[(PANES.indexOf(state.pane) + 1) % PANES.length]! });
  if (key.name === 'enter') return why(state);
  if (key.name === 'escape') return state.filter === '' ? follow(state) : event({ kind: 'filter', text: '' });
  if (key.name !== 'text') return move(state, key);
  switch (key.text) {
    case 'k':
      return move(state, { name: 'up' });
    case 'j':
      return move(state, { name: 'down' });
    case '1':
    case '2':
    case '3':
      return event({ kind: 'list', list: LISTS[Number(key.text) - 1]! });
    case ' ':
    case 'p':
      return ask({ kind: state.status?.paused === true ? 'resume' : 'pause' });
    case 'e':
      if (state.phase === 'harvesting') return say('The crawl is already harvesting; E goes back to learning.');
      return confirm('End learning now and harvest? Archetypes found so far are kept.', { kind: 'end-learning' });
    case 'E':
      if (state.phase === 'learning') return say('The crawl is already learning; e ends it.');
      return confirm('Go back to learning? Links that wait for harvesting are kept.', { kind: 'begin-learning' });
    case 'c':
      return state.status?.barren === undefined ? NOTHING : ask({ kind: 'continue-barren' });
    case 'y':
      return answer(state, 'yes');
    case 'n':
      return answer(state, 'no');
    case 'x':
      return answer(state, 'skip');
    case 'X':
      return openQuestion(state) === undefined ? NOTHING : ask({ kind: 'end-questions' });
    case '+':
    case 'b':
      return budget(state, 1);
    case '-':
      return budget(state, -1);
    case 'l':
      return lock(selectedAddress(state)?.host);
    case 's':
      return site(selectedAddress(state)?.host);
    case 'm':
      return askOfPage(state);
    case 'g':
      return mark(state);
    case 'r':
      return show({
        kind: 'orderings',
        at: Math.max(
          0,
          ORDERINGS.findIndex((name) => name === (state.status?.ordering ?? 'bingo')),
        ),
      });
    case 'h':
      return show({ kind: 'hosts', at: 0 });
    case 'L':
      return limits(state);
    case 'o':
      return open(selectedAddress(state)?.url);
    case 'w':
      return why(state);
    case 'T':
      return show({ kind: 'topics', text: '' });
    case 'v':
      return effect({ kind: 'review' });
    case 'G':
      return effect({ kind: 'review', groups: true });
    case '/':
    case 'f':
      return show({ kind: 'filter', text: state.filter });
    case '?':
      return show({ kind: 'help', top: 0 });
    case 'q':
      return state.ownsCrawl ? show({ kind: 'quit' }) : effect({ kind: 'leave' });
    default:
      return NOTHING;
  }
}

function answer(state: DashboardState, given: QuestionAnswer): KeyResult {
  const question = openQuestion(state);
  return question === undefined ? NOTHING : ask(answerCommand(question, given));
}

function limits({ status }: DashboardState): KeyResult {
  return status?.limits === undefined ? say('The limits are not known yet.') : show({ kind: 'limits', at: 0 });
}

function onFilter(view: OfKind<View, 'filter'>, key: KeyPress): KeyResult {
  if (key.name === 'enter') return event({ kind: 'filter', text: view.text.trim() });
  if (key.name === 'escape') return event(OVERVIEW);
  const text = typedText(view.text, key, MAX_FILTER);
  return text === undefined ? NOTHING : show({ kind: 'filter', text });
}

function onTopics(view: OfKind<View, 'topics'>, key: KeyPress): KeyResult {
  const line = view.text.trim();
  if (key.name === 'enter' && line !== '') return { events: [OVERVIEW], effects: [{ kind: 'edit-topics', line }] };
  if (key.name === 'escape' || key.name === 'enter') return event(OVERVIEW);
  const text = typedText(view.text, key, MAX_LINE);
  return text === undefined ? NOTHING : show({ kind: 'topics', text });
}

function onConfirm(view: OfKind<View, 'confirm'>, key: KeyPress): KeyResult {
  if (isText(key, 'y')) return { events: [OVERVIEW], effects: [{ kind: 'steer', command: view.command }] };
  return isText(key, 'n') || key.name === 'escape' ? event(OVERVIEW) : NOTHING;
}

/** Marks a site only after the number of its links is shown, because the user decides by it. */
function onSite({ sites }: DashboardState, view: OfKind<View, 'site'>, key: KeyPress): KeyResult {
  if (key.name === 'escape' || isText(key, 'q') || isText(key, 'n')) return event(OVERVIEW);
  const use = isText(key, 'b') ? 'bad-site' : isText(key, 'g') ? 'good-site' : isText(key, 'u') ? 'free' : undefined;
  if (use === undefined || view.links === undefined) return NOTHING;
  if ((sites.get(view.site) ?? 'free') === use) return say('Already marked.', OVERVIEW);
  const command = { kind: 'judge-page', judgement: siteMark(view.site, use) } as const;
  return { events: [OVERVIEW], effects: [{ kind: 'steer', command }] };
}

function askOfPage(state: DashboardState): KeyResult {
  if (state.list === 'next') return say('A waiting link cannot be marked: it is not fetched yet. s marks its site.');
  const page = selectedPage(state);
  return page === undefined ? NOTHING : show({ kind: 'page', page, topic: topicFor(page, state.tree) });
}

/** The topic that a page would become an example of: the one that accepted it, or the only topic. */
function topicFor({ topic }: PageLine, tree: TopicTree): TopicId | undefined {
  const ids = goodTopics(tree).map(({ id }) => id);
  return ids.find((id) => id === topic) ?? (ids.length === 1 ? ids[0] : undefined);
}

function onPage({ marked }: DashboardState, { page, topic }: OfKind<View, 'page'>, key: KeyPress): KeyResult {
  if (key.name === 'escape' || isText(key, 'q') || isText(key, 'n')) return event(OVERVIEW);
  if (topic === undefined && isText(key, 'v')) return { events: [OVERVIEW], effects: [{ kind: 'review' }] };
  const use = isText(key, 'b') ? 'others' : isText(key, 'g') ? 'example' : isText(key, 'u') ? 'free' : undefined;
  if (use === undefined || (use === 'example' && topic === undefined)) return NOTHING;
  if ((marked.get(page.url) ?? 'free') === use) return say('Already marked.', OVERVIEW);
  const { url, sequence, title } = page;
  const judgement: Judgement = {
    ...{ key: url, sequence, title: title.slice(0, MAX_JUDGED.title).toWellFormed(), use },
    topic: use === 'example' ? topic! : ROOT,
  };
  return { events: [OVERVIEW], effects: [{ kind: 'steer', command: { kind: 'judge-page', judgement } }] };
}

function onQuit(key: KeyPress): KeyResult {
  if (isText(key, 's')) return { events: [OVERVIEW], effects: [{ kind: 'stop' }] };
  if (isText(key, 'd')) return effect({ kind: 'leave' });
  return key.name === 'escape' || isText(key, 'n') || isText(key, 'q') ? event(OVERVIEW) : NOTHING;
}

function onOrderings(view: OfKind<View, 'orderings'>, key: KeyPress): KeyResult {
  if (key.name === 'escape' || isText(key, 'q')) return event(OVERVIEW);
  const at = stepped(view.at, key, { length: ORDERINGS.length, page: PAGE_STEP });
  if (at !== undefined) return show({ kind: 'orderings', at });
  if (key.name !== 'enter') return NOTHING;
  const command = { kind: 'set-ordering', ordering: ORDERINGS[view.at]! } as const;
  return { events: [OVERVIEW], effects: [{ kind: 'steer', command }] };
}

function onHosts(state: DashboardState, view: OfKind<View, 'hosts'>, key: KeyPress): KeyResult {
  const hosts = hostLines(state);
  const at = stepped(view.at, key, { length: hosts.length, page: PAGE_STEP });
  if (at !== undefined) return show({ kind: 'hosts', at });
  if (isText(key, 'l')) return lock(hosts[view.at]?.host);
  if (isText(key, 's')) return site(hosts[view.at]?.host);
  return key.name === 'escape' || isText(key, 'q') || isText(key, 'h') ? event(OVERVIEW) : NOTHING;
}

function onLimits(state: DashboardState, view: OfKind<View, 'limits'>, key: KeyPress): KeyResult {
  const at = stepped(view.at, key, { length: LIMIT_NAMES.length, page: PAGE_STEP });
  if (at !== undefined) return show({ kind: 'limits', at });
  if (key.name === 'escape' || isText(key, 'q') || isText(key, 'l')) return event(OVERVIEW);
  const limit = LIMIT_NAMES[view.at];
  const now = limit && state.status?.limits?.[limit];
  const direction = isText(key, '+') ? 1 : isText(key, '-') ? -1 : 0;
  if (limit === undefined || now === undefined || direction === 0) return NOTHING;
  const [least, greatest] = LIMIT_BOUNDS[limit];
  const value = Math.min(greatest, Math.max(least, now + direction * limitStep(limit, now)));
  return value === now ? say('This limit has no further value.') : ask({ kind: 'set-limit', limit, value });
}

function limitStep(limit: LimitName, now: number): number {
  if (limit === 'time') return TIME_STEP_MS;
  return limit === 'learn' ? stepOf(now) : 1;
}

function stepOf(pages: number): number {
  return Math.max(1, Math.round(pages * STEP));
}

function onWhy(view: OfKind<View, 'why'>, key: KeyPress, size: Size): KeyResult {
  const top = stepped(view.top, key, scrolling(explanationLines(view, size.columns), size));
  if (top !== undefined) return show({ ...view, top });
  if (isText(key, 'o')) return open(view.url);
  return key.name === 'escape' || key.name === 'enter' || isText(key, 'q') || isText(key, 'w')
    ? event(OVERVIEW)
    : NOTHING;
}

/** Keys that scroll do so; any other key closes the help. */
function onHelp(state: DashboardState, view: OfKind<View, 'help'>, key: KeyPress, size: Size): KeyResult {
  const top = stepped(view.top, key, scrolling(helpLines(shownAlarms(state), size.columns), size));
  return top === undefined ? event(OVERVIEW) : show({ ...view, top });
}

/** Scrolls lines that fill the screen below a title. */
function scrolling({ length }: readonly unknown[], { rows }: Size): Parameters<typeof stepped>[2] {
  return { length, page: PAGE_STEP, seen: bodyRowsOf(rows) - 1 };
}

function move(state: DashboardState, key: KeyPress): KeyResult {
  if (state.pane === 'topics') {
    const at = stepped(state.selectedTopic, key, { length: shownTopics(state).length, page: PAGE_STEP });
    return at === undefined ? NOTHING : event({ kind: 'select-topic', at });
  }
  const { at: selected, length } = listPosition(state);
  const at = stepped(selected, key, { length, page: PAGE_STEP });
  return at === undefined ? NOTHING : selectLine(state, at);
}

/** Selects a line of the list. At the top nothing is selected: the list follows its first line again. */
function selectLine(state: DashboardState, at: number): KeyResult {
  const pane: DashboardEvent = { kind: 'pane', pane: 'pages' };
  const select: DashboardEvent =
    state.list === 'next'
      ? { kind: 'select-link', url: at === 0 ? undefined : shownLinks(state)[at]?.url }
      : { kind: 'select', page: at === 0 ? undefined : shownPages(state)[at]?.sequence };
  return { events: state.pane === 'pages' ? [select] : [pane, select], effects: [] };
}

function follow({ list }: DashboardState): KeyResult {
  return event(list === 'next' ? { kind: 'select-link', url: undefined } : { kind: 'select', page: undefined });
}

function budget(state: DashboardState, direction: 1 | -1): KeyResult {
  const now = state.status?.budget;
  if (now === undefined) return say('The budget is not known yet.');
  const next = now + direction * stepOf(now);
  if (next <= (state.status?.fetched ?? 0))
    return say(`Fetched already: ${counted(state.status?.fetched ?? 0, 'page')}.`);
  return ask({ kind: 'set-budget', budget: next });
}

/** Sends a command that the next press of the same key builds on, possibly before the crawl has applied it. */
function ask(command: SteerCommand): KeyResult {
  return { events: [{ kind: 'asked', command }], effects: [{ kind: 'steer', command }] };
}

function lock(host: string | undefined): KeyResult {
  if (host === undefined || host === '') return say('No page yet, so no host to lock.');
  const name = withoutPort(host);
  return confirm(`Lock ${name} and all its subdomains permanently?`, { kind: 'lock-host', host: name });
}

function site(host: string | undefined): KeyResult {
  if (host === undefined || host === '') return say('No page yet, so no site to mark.');
  const view: View = { kind: 'site', site: withoutPort(host), links: undefined };
  return { events: [{ kind: 'view', view }], effects: [{ kind: 'count-links', site: view.site }] };
}

function mark(state: DashboardState): KeyResult {
  const topics = shownTopics(state);
  const topic = topics[Math.min(state.selectedTopic, topics.length - 1)];
  if (topic === undefined) return NOTHING;
  if (state.pane !== 'topics') return say('Select a topic first, then g marks it.', { kind: 'pane', pane: 'topics' });
  return steer({ kind: 'mark-topic', topic: topic.id, good: !topic.good });
}

function why(state: DashboardState): KeyResult {
  const url = selectedAddress(state)?.url;
  if (url === undefined) return say('No page yet.');
  const view: View = { kind: 'why', url, lines: undefined, top: 0 };
  return { events: [{ kind: 'view', view }], effects: [{ kind: 'explain', url }] };
}

function open(url: string | undefined): KeyResult {
  return url === undefined ? say('No page yet.') : effect({ kind: 'open', url });
}

function confirm(question: string, command: SteerCommand): KeyResult {
  return show({ kind: 'confirm', question, command });
}

function show(view: View): KeyResult {
  return event({ kind: 'view', view });
}

function steer(command: SteerCommand): KeyResult {
  return effect({ kind: 'steer', command });
}

function say(text: string, ...more: readonly DashboardEvent[]): KeyResult {
  return { events: [...more, { kind: 'message', text }], effects: [] };
}

function event(single: DashboardEvent): KeyResult {
  return { events: [single], effects: [] };
}

function effect(single: Effect): KeyResult {
  return { events: [], effects: [single] };
}

function isText(key: KeyPress, text: string): boolean {
  return key.name === 'text' && key.text.toLowerCase() === text;
}
