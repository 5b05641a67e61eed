import { type Judgement, MAX_JUDGED, type OfKind, type TopicId } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { acceptAll, type Decision, decisionOn, describeUse, type Proposal } from '../../workbench/index.ts';
import { reviewHelpLines } from '../help-lines.ts';
import type { KeyPress } from '../key-press.ts';
import { reviewLayoutOf, type Size, SMALLEST } from '../layout.ts';
import { stepped } from '../list-position.ts';
import { typedText } from '../typed-text.ts';
import { type GroupAction, type GroupStep, onGroupName, onGroups } from './groups.ts';
import {
  judgementOf,
  type ReviewState,
  type ReviewView,
  selectedAt,
  selectedPage,
  selectedProposal,
  selectedText,
  shownTopic,
} from './review-state.ts';
import { flow, GUTTER } from './text-flow.ts';

/** Side effects of a key besides changing the view. */
export type ReviewAction =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'propose' }
  | { readonly kind: 'accept'; readonly proposal: Proposal }
  | { readonly kind: 'apply' }
  | { readonly kind: 'edit-topics'; readonly line: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'break-off' }
  | { readonly kind: 'group' }
  | GroupAction;

export interface ReviewStep {
  readonly state: ReviewState;
  readonly action?: ReviewAction;
}

const SCROLL = 5;
const MAX_LINE = 2_000;
const PAGES: ReviewView = { kind: 'pages' };

/** Returns the meaning of a key, depending on the view and the window size. */
export function reviewKey(state: ReviewState, key: KeyPress, size: Size = SMALLEST): ReviewStep {
  const { view } = state;
  if (key.name === 'interrupt') return interrupted(state);
  switch (view.kind) {
    case 'pages':
      return onPages({ ...state, message: '' }, key, size);
    case 'trim':
      return onTrim(state, view, key);
    case 'move':
      return onMove(state, view, key);
    case 'apply':
      return onApply(state, view, key, size);
    case 'applying':
      return { state };
    case 'proposals':
      return onProposals({ ...state, message: '' }, view, key);
    case 'accept':
      return onAccept(state, view, key);
    case 'help':
      return onHelp(state, view, key, size);
    case 'topics':
      return onTopics(state, view, key);
    case 'quit':
      return onQuit(state, key);
    case 'groups':
      return grouped(state, onGroups(state, view, key));
    case 'group-name':
      return grouped(state, onGroupName(state, view, key));
  }
}

/** Ctrl-C does not abandon changes that are being applied: their owner saves the rest. */
function interrupted(state: ReviewState): ReviewStep {
  if (state.view.kind !== 'applying') return { state, action: { kind: 'break-off' } };
  return { state: { ...state, message: 'Stopping …' }, action: { kind: 'interrupt' } };
}

function onPages(state: ReviewState, key: KeyPress, size: Size): ReviewStep {
  switch (key.name === 'text' ? key.text : key.name) {
    case 'up':
    case 'k':
      return select(state, selectedAt(state) - 1);
    case 'down':
    case 'j':
      return select(state, selectedAt(state) + 1);
    case 'home':
      return select(state, 0);
    case 'end':
      return select(state, Number.POSITIVE_INFINITY);
    case 'page-up':
      return scroll(state, { name: 'page-up' }, size);
    case 'page-down':
    case ' ':
      return scroll(state, { name: 'page-down' }, size);
    case 'tab':
      return { state: { ...state, topicAt: (state.topicAt + 1) % Math.max(1, state.topics.length), top: 0 } };
    case 'a':
    case 'enter':
      return decide(state, 'accept');
    case 'r':
      return decide(state, 'reject');
    case 'x':
      return decide(state, 'others');
    case 'm':
      return selectedPage(state) === undefined ? { state } : show(state, { kind: 'move', at: 0 });
    case 't':
      return trim(state);
    case 'T':
      return show(state, { kind: 'topics', text: '' });
    case 'u':
      return undo(state);
    case 'A':
      return acceptAbove(state);
    case 'o':
      return open(state);
    case 'p':
      return { ...show(state, { kind: 'proposals', at: 0 }), action: { kind: 'propose' } };
    case 'g':
      return { ...show(state, { kind: 'groups', at: 0 }), action: { kind: 'group' } };
    case 's':
    case 'w':
      return state.decided.size === 0 ? say(state, 'Nothing is decided yet.') : show(state, { kind: 'apply', top: 0 });
    case '?':
    case 'h':
      return show(state, { kind: 'help', top: 0 });
    case 'q':
      return state.decided.size === 0 ? { state, action: { kind: 'leave' } } : show(state, { kind: 'quit' });
    default:
      return { state };
  }
}

/** Scrolls the text of the selected page. */
function scroll(state: ReviewState, key: KeyPress, { columns, rows }: Size): ReviewStep {
  const { length } = flow(selectedText(state)?.paragraphs ?? [], columns - GUTTER);
  const top = stepped(state.top, key, { length, page: SCROLL, seen: reviewLayoutOf(rows).textRows });
  return { state: { ...state, top: top ?? state.top } };
}

function onTrim(state: ReviewState, view: OfKind<ReviewView, 'trim'>, key: KeyPress): ReviewStep {
  const total = selectedText(state)?.paragraphs.length ?? 0;
  const at = stepped(view.at, key, { length: total, page: SCROLL });
  if (at !== undefined) return show(state, { ...view, at });
  switch (key.name === 'text' ? key.text : key.name) {
    case ' ':
    case 'x':
    case 't':
      return show(state, { ...view, cut: toggled(view.cut, view.at), at: Math.min(total - 1, view.at + 1) });
    case 'enter':
      return trimmed(state, view, total);
    case 'escape':
    case 'q':
      return show(state, PAGES);
    default:
      return { state };
  }
}

function trimmed(state: ReviewState, { cut }: OfKind<ReviewView, 'trim'>, total: number): ReviewStep {
  const page = selectedPage(state);
  if (page === undefined) return show(state, PAGES);
  if (cut.size >= total) return say(state, 'Nothing would be left: reject the page instead (r).');
  if (cut.size > MAX_JUDGED.without)
    return say(state, `At most ${counted(MAX_JUDGED.without, 'paragraph')} can be left out.`);
  const before = judgementOf(state, page);
  const isPlaced = before?.use === 'example' || before?.use === 'others';
  const place = isPlaced ? { topic: before.topic, isOthers: before.use === 'others' } : {};
  const without = [...cut].sort((a, b) => a - b);
  return decided({ ...state, view: PAGES }, decisionOn({ ...page, ...place }, 'accept', { without }));
}

function onMove(state: ReviewState, view: OfKind<ReviewView, 'move'>, key: KeyPress): ReviewStep {
  const at = stepped(view.at, key, { length: state.places.length, page: SCROLL });
  if (at !== undefined) return show(state, { kind: 'move', at });
  if (key.name === 'escape' || isText(key, 'q')) return show(state, PAGES);
  const topic = state.places[view.at];
  if (key.name !== 'enter' || topic === undefined) return { state };
  return decide({ ...state, view: PAGES }, 'move', { to: topic });
}

function onApply(state: ReviewState, view: OfKind<ReviewView, 'apply'>, key: KeyPress, size: Size): ReviewStep {
  const lines = state.effect.kind === 'known' ? state.effect.effect.lines : [];
  const top = stepped(view.top, key, scrolling(lines, size));
  if (top !== undefined) return show(state, { ...view, top });
  if (isText(key, 'y') && state.effect.kind === 'known')
    return { ...show(state, { kind: 'applying' }), action: { kind: 'apply' } };
  return isText(key, 'n') || isText(key, 'q') || key.name === 'escape' ? show(state, PAGES) : { state };
}

function onProposals(state: ReviewState, view: OfKind<ReviewView, 'proposals'>, key: KeyPress): ReviewStep {
  const at = stepped(view.at, key, { length: state.proposals?.length ?? 0, page: SCROLL });
  if (at !== undefined) return show(state, { ...view, at });
  const proposal = selectedProposal(state);
  if (proposal === undefined || (key.name !== 'enter' && !isText(key, 'a'))) return show(state, PAGES);
  if (proposal.act.kind === 'look') return look(state, proposal.topic, proposal.act.key);
  if (state.decided.size > 0) return say(state, 'First apply your decisions (s), or undo them (u).');
  return show(state, { kind: 'accept', at: view.at });
}

/** Keys that scroll do so; any other key closes the help. */
function onHelp(state: ReviewState, view: OfKind<ReviewView, 'help'>, key: KeyPress, size: Size): ReviewStep {
  const top = stepped(view.top, key, scrolling(reviewHelpLines(size.columns), size));
  return show(state, top === undefined ? PAGES : { ...view, top });
}

function onTopics(state: ReviewState, view: OfKind<ReviewView, 'topics'>, key: KeyPress): ReviewStep {
  const line = view.text.trim();
  if (key.name === 'enter' && line !== '') return { ...show(state, PAGES), action: { kind: 'edit-topics', line } };
  if (key.name === 'escape' || key.name === 'enter') return show(state, PAGES);
  const text = typedText(view.text, key, MAX_LINE);
  return text === undefined ? { state } : show(state, { kind: 'topics', text });
}

/** Scrolls lines that replace a page. */
function scrolling({ length }: readonly unknown[], { rows }: Size): Parameters<typeof stepped>[2] {
  return { length, page: SCROLL, seen: reviewLayoutOf(rows).panelRows };
}

function onAccept(state: ReviewState, view: OfKind<ReviewView, 'accept'>, key: KeyPress): ReviewStep {
  const proposal = selectedProposal(state);
  if (proposal !== undefined && isText(key, 'y'))
    return { ...show(state, { kind: 'applying' }), action: { kind: 'accept', proposal } };
  const isNo = isText(key, 'n') || isText(key, 'q') || key.name === 'escape';
  return isNo ? show(state, { kind: 'proposals', at: view.at }) : { state };
}

/** Shows a topic, and one of its pages if named. */
function look(state: ReviewState, topic: TopicId, key: string | undefined): ReviewStep {
  const topicAt = state.topics.findIndex(({ id }) => id === topic);
  if (topicAt < 0) return show(state, PAGES);
  const at = state.topics[topicAt]!.pages.findIndex((page) => page.key === key);
  const shown = { ...state, topicAt, top: 0, view: PAGES };
  return at < 0 ? { state: shown } : select(shown, at);
}

function onQuit(state: ReviewState, key: KeyPress): ReviewStep {
  if (isText(key, 'y') || isText(key, 'q')) return { state, action: { kind: 'leave' } };
  if (isText(key, 's')) return show(state, { kind: 'apply', top: 0 });
  if (isText(key, 'd')) return { state: { ...state, decided: new Map() }, action: { kind: 'leave' } };
  return key.name === 'escape' || isText(key, 'n') ? show(state, PAGES) : { state };
}

function select(state: ReviewState, at: number): ReviewStep {
  const topic = shownTopic(state);
  if (topic === undefined) return { state };
  const last = topic.pages.length - 1;
  return { state: { ...state, selected: state.selected.with(state.topicAt, Math.max(0, Math.min(last, at))), top: 0 } };
}

/** Accepts the sure candidates up to the selected one; keeps earlier decisions. */
function acceptAbove(state: ReviewState): ReviewStep {
  const pages = shownTopic(state)?.pages.slice(0, selectedAt(state) + 1) ?? [];
  const open = acceptAll(pages, state.decided);
  if (open.length === 0) return say(state, 'No undecided candidate above. Decide on unsure ones one by one.');
  const decided = new Map(state.decided);
  for (const judgement of open) decided.set(judgement.key, judgement);
  return {
    state: {
      ...remembering(state, decided),
      message: `${counted(open.length, 'candidate')} accepted; u undoes it.`,
    },
  };
}

/** Carries out a key of the groups. */
function grouped(state: ReviewState, step: GroupStep): ReviewStep {
  if ('message' in step) return say(state, step.message);
  const { view, action } = step;
  if (view === 'undo') return undo(state);
  if (view === 'apply') return show(state, { kind: 'apply', top: 0 });
  const next = show({ ...state, message: '' }, view === 'pages' || view === 'applying' ? { kind: view } : view);
  return action === undefined ? next : { ...next, action };
}

function undo(state: ReviewState): ReviewStep {
  const before = state.history.at(-1);
  if (before === undefined)
    return state.madeTopic === undefined
      ? say(state, 'Nothing to undo.')
      : { ...show(state, { kind: 'applying' }), action: { kind: 'remove-topic', topic: state.madeTopic } };
  return { state: { ...state, decided: before, history: state.history.slice(0, -1), message: 'Taken back.' } };
}

function trim(state: ReviewState): ReviewStep {
  const page = selectedPage(state);
  const text = selectedText(state);
  if (page === undefined) return { state };
  if (page.sequence === 0) return say(state, 'Only stored pages can be trimmed.');
  if (text === undefined) return say(state, 'The text is still loading.');
  return show(state, { kind: 'trim', at: 0, cut: new Set(judgementOf(state, page)?.without) });
}

function open(state: ReviewState): ReviewStep {
  const url = selectedPage(state)?.key;
  return url === undefined || !/^https?:/.test(url)
    ? say(state, 'This page has no address.')
    : { state, action: { kind: 'open', url } };
}

/** Decides on the selected page; paragraphs that were left out stay so. */
function decide(state: ReviewState, decision: Decision, { to }: { readonly to?: TopicId } = {}): ReviewStep {
  const page = selectedPage(state);
  if (page === undefined) return { state };
  return decided(state, decisionOn(page, decision, { to, without: judgementOf(state, page)?.without }));
}

/** Keeps a decision on the selected page, and selects the next one. */
function decided(state: ReviewState, judgement: Judgement): ReviewStep {
  const all = new Map(state.decided).set(judgement.key, judgement);
  const message = `${selectedPage(state)?.title || judgement.key}: ${describeUse(judgement)}`;
  const { state: next } = select(remembering(state, all), selectedAt(state) + 1);
  return { state: { ...next, message } };
}

function remembering(state: ReviewState, decided: ReadonlyMap<string, Judgement>): ReviewState {
  return { ...state, decided, history: [...state.history, state.decided] };
}

function toggled(cut: ReadonlySet<number>, at: number): ReadonlySet<number> {
  const next = new Set(cut);
  if (!next.delete(at)) next.add(at);
  return next;
}

function show(state: ReviewState, view: ReviewView): ReviewStep {
  return { state: { ...state, view } };
}

function say(state: ReviewState, message: string): ReviewStep {
  return { state: { ...state, message } };
}

function isText(key: KeyPress, text: string): boolean {
  return key.name === 'text' && key.text.toLowerCase() === text;
}
