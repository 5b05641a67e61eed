import type { Judgement, TopicId } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import type { GroupUse, RejectedGroup } from '../../workbench/index.ts';
import type { KeyPress } from '../key-press.ts';
import { stepped } from '../list-position.ts';
import { typedText } from '../typed-text.ts';
import type { GroupView } from './group-list.ts';
import type { ReviewState } from './review-state.ts';

/** Work that a key of the groups starts. */
export type GroupAction =
  | { readonly kind: 'decide-group'; readonly group: number; readonly use: GroupUse }
  | { readonly kind: 'make-topic'; readonly group: number; readonly name: string }
  | { readonly kind: 'remove-topic'; readonly topic: TopicId };

/** What a key of the groups does; `undo` and `apply` are the review's own. */
export type GroupStep =
  | { readonly view: GroupView | 'pages' | 'applying' | 'apply' | 'undo'; readonly action?: GroupAction }
  | { readonly message: string };

const PAGE = 5;
const MAX_NAME = 100;

/** Keys of the list of groups, for the footer. */
export const GROUP_KEYS: readonly string[] = [
  't topic',
  'x counter-examples',
  'l lock the sites',
  'u undo',
  's apply',
  '↑↓ choose',
  'Esc back',
];

/** Keys while the name of a topic is typed. */
export const GROUP_NAME_KEYS: readonly string[] = ['Enter make the topic', 'Esc back'];

/** Returns what a key does in the list of groups. */
export function onGroups(state: ReviewState, { at }: GroupView, key: KeyPress): GroupStep {
  const groups = state.groups.kind === 'known' ? state.groups.groups : [];
  const to = stepped(at, key, { length: groups.length, page: PAGE });
  if (to !== undefined) return { view: { kind: 'groups', at: to } };
  const group = groups[at];
  switch (key.name === 'text' ? key.text : key.name) {
    case 'escape':
    case 'q':
      return { view: 'pages' };
    case 'u':
      return { view: 'undo' };
    case 's':
      return state.decided.size === 0 ? { message: 'Nothing is decided yet.' } : { view: 'apply' };
    case 't':
    case 'enter':
      if (group === undefined) return stay(at);
      return state.decided.size > 0
        ? { message: 'First apply your decisions (s), or undo them (u).' }
        : { view: { kind: 'group-name', at, text: group.words.slice(0, 2).join(' ') } };
    case 'x':
      return group === undefined ? stay(at) : decide(at, group, 'others');
    case 'l':
      return group === undefined ? stay(at) : decide(at, group, 'lock');
    default:
      return stay(at);
  }
}

/** Returns what a key does while the name of a topic is typed. */
export function onGroupName(
  state: ReviewState,
  { at, text }: Extract<GroupView, { readonly kind: 'group-name' }>,
  key: KeyPress,
): GroupStep {
  if (key.name === 'escape') return stay(at);
  const name = text.trim();
  const group = state.groups.kind === 'known' ? state.groups.groups[at] : undefined;
  if (key.name === 'enter')
    return name === '' || group === undefined
      ? stay(at)
      : { view: 'applying', action: { kind: 'make-topic', group: group.number, name } };
  return { view: { kind: 'group-name', at, text: typedText(text, key, MAX_NAME) ?? text } };
}

function stay(at: number): GroupStep {
  return { view: { kind: 'groups', at } };
}

function decide(at: number, { number }: RejectedGroup, use: GroupUse): GroupStep {
  return { view: { kind: 'groups', at }, action: { kind: 'decide-group', group: number, use } };
}

/** Returns the state with the decisions about a group, as one step of undo. */
export function withGroupDecided(state: ReviewState, group: number, judgements: readonly Judgement[]): ReviewState {
  if (state.groups.kind !== 'known') return state;
  const decided = new Map(state.decided);
  for (const judgement of judgements) decided.set(judgement.key, judgement);
  const keys = judgements.map(({ key }) => key);
  const isLock = judgements.some(({ use }) => use === 'bad-site');
  const what = isLock
    ? `${counted(keys.length, 'site')} of group ${group} ${keys.length === 1 ? 'is' : 'are'} locked`
    : `${counted(keys.length, 'page')} of group ${group} ${keys.length === 1 ? 'is a counter-example' : 'are counter-examples'}`;
  return {
    ...state,
    decided,
    history: [...state.history, state.decided],
    groups: { ...state.groups, decided: new Map(state.groups.decided).set(group, keys) },
    message: `${what} once you apply (s); u undoes it.`,
  };
}

/** Describes the decision about a group; empty without one. */
export function groupDecision(state: ReviewState, { number }: RejectedGroup): string {
  if (state.groups.kind !== 'known') return '';
  const uses = (state.groups.decided.get(number) ?? []).flatMap((key) => state.decided.get(key)?.use ?? []);
  if (uses.includes('bad-site')) return 'locked';
  return uses.includes('others') ? 'counter-examples' : '';
}
