import type { Judgement, TopicId } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import type { Proposal, ReviewPage, ReviewText, ReviewTopic } from '../../workbench/index.ts';
import type { GroupList, GroupView } from './group-list.ts';

/** What the decisions so far would change. */
export interface ReviewEffect {
  /** Estimates before and after, by topic, each in one line. */
  readonly byTopic: ReadonlyMap<string, string>;
  /** Number of stored pages that would change their topic, in one line. */
  readonly moved: string;
  /** The complete effect. */
  readonly lines: readonly string[];
}

/** State of the effect's computation. `refused`: the decisions cannot be applied, with the reason. */
export type EffectState =
  | { readonly kind: 'none' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'known'; readonly effect: ReviewEffect }
  | { readonly kind: 'refused'; readonly reason: string };

/** Content of the lower part of the screen, or a question. */
export type ReviewView =
  | { readonly kind: 'pages' }
  | { readonly kind: 'trim'; readonly at: number; readonly cut: ReadonlySet<number> }
  | { readonly kind: 'move'; readonly at: number }
  | { readonly kind: 'apply'; readonly top: number }
  | { readonly kind: 'applying' }
  | { readonly kind: 'proposals'; readonly at: number }
  | { readonly kind: 'accept'; readonly at: number }
  | { readonly kind: 'help'; readonly top: number }
  /** A change of the topics in bingo.yaml, while it is typed. */
  | { readonly kind: 'topics'; readonly text: string }
  | { readonly kind: 'quit' }
  | GroupView;

/** The state that the review draws. */
export interface ReviewState {
  readonly title: string;
  readonly topics: readonly ReviewTopic[];
  /** Possible target topics for moving a page. */
  readonly places: readonly TopicId[];
  readonly topicAt: number;
  /** The selected page of each topic. */
  readonly selected: readonly number[];
  /** First visible line of the text. */
  readonly top: number;
  readonly decided: ReadonlyMap<string, Judgement>;
  /** Earlier decisions, step by step, for undo. */
  readonly history: readonly ReadonlyMap<string, Judgement>[];
  readonly texts: ReadonlyMap<string, ReviewText>;
  readonly effect: EffectState;
  readonly proposals: readonly Proposal[] | undefined;
  /** Rejected pages, grouped by content. */
  readonly groups: GroupList;
  /** The topic that the last change made of a group; undo removes it. */
  readonly madeTopic?: TopicId | undefined;
  readonly view: ReviewView;
  readonly message: string;
}

export interface ReviewSetting extends Pick<ReviewState, 'title' | 'topics' | 'places' | 'madeTopic'> {
  /** Unapplied decisions of an earlier review. */
  readonly earlier?: readonly Judgement[];
  /** First message, if there are no such decisions. */
  readonly news?: string | undefined;
}

export function initialReview({ earlier = [], news = '', ...setting }: ReviewSetting): ReviewState {
  const them = earlier.length === 1 ? 'it' : 'them';
  return {
    ...setting,
    topicAt: 0,
    selected: setting.topics.map(() => 0),
    top: 0,
    decided: new Map(earlier.map((judgement) => [judgement.key, judgement])),
    history: earlier.length === 0 ? [] : [new Map()],
    texts: new Map(),
    effect: { kind: 'none' },
    proposals: undefined,
    groups: { kind: 'none' },
    view: { kind: 'pages' },
    message:
      earlier.length === 0
        ? news
        : `${counted(earlier.length, 'decision')} of an earlier review, not applied yet: s applies ${them}, u undoes ${them}.`,
  };
}

/** The topic on the screen; `undefined` without topics. */
export function shownTopic(state: ReviewState): ReviewTopic | undefined {
  return state.topics[state.topicAt];
}

/** Index of the selected page in the topic on the screen. */
export function selectedAt(state: ReviewState): number {
  return state.selected[state.topicAt] ?? 0;
}

/** The page that keys apply to. */
export function selectedPage(state: ReviewState): ReviewPage | undefined {
  return shownTopic(state)?.pages[selectedAt(state)];
}

/** The proposal that keys apply to. */
export function selectedProposal({ proposals, view }: ReviewState): Proposal | undefined {
  return view.kind === 'proposals' || view.kind === 'accept' ? proposals?.[view.at] : undefined;
}

/** Key of a page's text, which depends on the topic through its strongest terms. */
export function textKey({ key, topic }: Pick<ReviewPage, 'key' | 'topic'>): string {
  return `${topic}\n${key}`;
}

export function selectedText(state: ReviewState): ReviewText | undefined {
  const page = selectedPage(state);
  return page && state.texts.get(textKey(page));
}

/** The current decision about a page: from this review, else an earlier one. */
export function judgementOf(state: ReviewState, page: ReviewPage): Judgement | undefined {
  return state.decided.get(page.key) ?? page.judgement;
}
