import { type Judgement, MAX_JUDGED, ROOT, type TopicId } from '../../core/index.ts';
import { paragraphsOf } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { judgementOf } from '../judging/feedback.ts';
import type { ReviewPage } from './review-page.ts';

/**
 * What the user decides about a page: it is an example of its topic; nothing is learned from it; it is a
 * counter-example; it is an example of another topic; an earlier decision is withdrawn.
 */
export const DECISIONS = ['accept', 'reject', 'others', 'move', 'undo'] as const;
export type Decision = (typeof DECISIONS)[number];

/** A page to decide on, with the place in which it is shown. */
export type Decidable = Pick<ReviewPage, 'key' | 'sequence' | 'title' | 'topic' | 'isOthers'>;

/** Details of a decision. */
export interface DecisionDetails {
  /** The topic to move the page to. */
  readonly to?: TopicId | undefined;
  /** Paragraphs to leave out, from 0. */
  readonly without?: readonly number[] | undefined;
}

/** Returns a decision about a page. `accept` keeps a page where it is shown, also among the counter-examples. */
export function decisionOn(page: Decidable, decision: Decision, { to, without }: DecisionDetails = {}): Judgement {
  switch (decision) {
    case 'accept':
      return judgementOf(page, page.isOthers ? 'others' : 'example', page.topic, without);
    case 'move':
      return judgementOf(page, 'example', to ?? page.topic, without);
    case 'others':
      return judgementOf(page, 'others', ROOT, without);
    case 'reject':
      return judgementOf(page, 'dropped', ROOT);
    case 'undo':
      return judgementOf(page, 'free', ROOT);
  }
}

/**
 * Returns the decisions that accept all sure candidates of a topic, except pages with a decision. Pages with
 * uncertain verdicts must be checked one by one.
 */
export function acceptAll(pages: readonly ReviewPage[], decided: ReadonlyMap<string, Judgement>): Judgement[] {
  return pages
    .filter((page) => !page.isTraining && page.origin !== 'unsure' && !decided.has(page.key))
    .map((page) => decisionOn(page, 'accept'));
}

/** Why a text of the user is not valid. */
export interface Wrong {
  readonly message: string;
  readonly hint?: string;
}

/** Returns the paragraphs to leave out of a page, counted from 0; or why the user's text is invalid. */
export async function readWithout(
  store: Pick<Store, 'texts'>,
  sequence: number,
  text: string,
): Promise<readonly number[] | Wrong> {
  if (text.trim() === '') return [];
  const numbers = parseRanges(text);
  if (numbers === undefined) return { message: `"${text}" is not a list of paragraphs.`, hint: 'For example: 2 5-7' };
  return (await whyNotTrimmed(store, sequence, numbers)) ?? numbers.map((n) => n - 1);
}

/** Returns why these paragraphs, counted from 1, cannot be left out of a page. */
export async function whyNotTrimmed(
  store: Pick<Store, 'texts'>,
  sequence: number,
  numbers: readonly number[],
): Promise<Wrong | undefined> {
  if (sequence === 0) return { message: 'Only stored pages can be trimmed.' };
  const total = paragraphsOf((await store.texts([sequence])).get(sequence) ?? '').length;
  const beyond = numbers.find((n) => n > total);
  if (beyond !== undefined) return { message: `No paragraph ${beyond}: the page has ${total}.` };
  if (numbers.length === total) return { message: 'Nothing would be left of the page.', hint: 'Reject it instead.' };
  return undefined;
}

/**
 * Parses numbers and ranges from 1, such as `2 5-7`, into ascending numbers without repetitions; `undefined` for any
 * other text.
 */
export function parseRanges(text: string): readonly number[] | undefined {
  const numbers = new Set<number>();
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const [, from, to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (!(first >= 1 && last >= first)) return undefined;
    if (numbers.size + last - first >= MAX_JUDGED.without) return undefined;
    for (let n = first; n <= last; n++) numbers.add(n);
  }
  return [...numbers].sort((a, b) => a - b);
}
