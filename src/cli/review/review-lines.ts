import { createInterface } from 'node:readline';
import { type Judgement, parseTopicId, type TopicId } from '../../core/index.ts';
import { placeName } from '../../engine/index.ts';
import { counted } from '../../kit/index.ts';
import {
  acceptAll,
  type Change,
  type Decision,
  decisionOn,
  describeOrigin,
  describeUse,
  figure,
  quoted,
  type ReviewMaterial,
  type ReviewPage,
  type ReviewSession,
  readWithout,
  sanitizeForTerminal,
  showAddress,
  wrap,
} from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { describeChange } from '../judging/change-text.ts';
import { leftOver } from '../judging/judging.ts';
import { askAboutGroups } from './group-lines.ts';
import type { ReviewCall } from './review-call.ts';

/**
 * How a review ended. `applied`: by a change after which it must be opened again to continue; `stopped`: decisions are saved,
 * but Ctrl-C left pages to judge; `broken off`: by Ctrl-C.
 */
export type ReviewEnd = 'applied' | 'stopped' | 'left' | 'broken off';

export interface Reviewed {
  readonly end: ReviewEnd;
  readonly isChanged: boolean;
  /** What was applied last, in a line. */
  readonly news?: string | undefined;
  /** The topic that the last change made of a group of rejected pages. */
  readonly madeTopic?: TopicId | undefined;
}

const MAX_WIDTH = 100;
const EXCERPT = 400;
const HELP = [
  'a accept   r reject, do not learn from it   x counter-example',
  'm TOPIC move it there   t 2 5-7 leave these paragraphs out (then a or m)',
  'v show all paragraphs   u undo   s skip   A accept all shown before',
  'g groups of rejected pages   f show the changes, and apply them   q leave',
];
/** Keys of decisions. */
const DECISION_KEYS: Readonly<Record<string, Decision>> = { a: 'accept', r: 'reject', x: 'others', m: 'move' };

/**
 * Runs a review in plain lines, for screen readers and pipes: shows a page, asks, reads an answer. At the end it
 * shows the effect and asks before applying it, then continues with other candidates; the end of the input applies nothing.
 */
export async function reviewByLines(
  call: ReviewCall,
  { beginsWithGroups = false }: { readonly beginsWithGroups?: boolean } = {},
): Promise<Reviewed> {
  const { io, review } = call;
  const first = await review.material();
  for (const { what, how } of await review.proposals()) io.err(`${wrap(what, widthFor(io)).join('\n')}\n    ${how}\n`);
  if (!beginsWithGroups && first.topics.every(({ pages }) => pages.length === 0)) {
    io.err('No page to decide on.\n');
    return { end: 'left', isChanged: false };
  }
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string | undefined> => {
    io.err(question);
    const { done, value } = await answers.next();
    return done === true ? undefined : value.trim();
  };
  try {
    let isChanged = false;
    let begun: readonly Judgement[] = [];
    if (beginsWithGroups) {
      const answer = await askAboutGroups(call, ask, false);
      if (answer.kind === 'topic') return { end: 'applied', isChanged: true };
      if (answer.kind === 'decisions') begun = answer.judgements;
    }
    for (;;) {
      const material = await review.material();
      const pages = material.topics.flatMap((one) => one.pages);
      const decided = await decideAll({ call, material, pages, ask }, begun);
      begun = [];
      if (decided === 'made-topic') return { end: 'applied', isChanged: true };
      if (decided === 'left' || decided.length === 0) return { end: 'left', isChanged };
      const end = await confirm(call, decided, ask);
      isChanged ||= end === 'applied' || end === 'stopped';
      if (end !== 'applied' || review.session.isCrawlRunning) return { end, isChanged };
      io.err(`${counted(decided.length, 'decision')} applied. The review continues with other candidates; q leaves.\n`);
    }
  } finally {
    lines.close();
  }
}

type Ask = (question: string) => Promise<string | undefined>;

interface Deciding {
  readonly call: ReviewCall;
  readonly material: ReviewMaterial;
  readonly pages: readonly ReviewPage[];
  readonly ask: Ask;
}

/**
 * Asks page by page; returns the decisions, unless the user left or made a topic.
 * @param begun decisions about groups made before
 */
async function decideAll(
  deciding: Deciding,
  begun: readonly Judgement[],
): Promise<readonly Judgement[] | 'left' | 'made-topic'> {
  const { call, pages } = deciding;
  const decisions: Decisions = {
    byKey: byKeyOf(begun),
    steps: begun.length === 0 ? [] : [{ at: 0, before: new Map() }],
  };
  call.io.err(`${HELP.join('\n')}\n`);
  for (let at = 0; at < pages.length; ) {
    const next = await decideOne(deciding, decisions, at);
    if (next === 'left' || next === 'made-topic') return next;
    if (next === 'finish') break;
    at = next;
  }
  return [...decisions.byKey.values()];
}

interface Decisions {
  byKey: ReadonlyMap<string, Judgement>;
  /** Answers that can be undone, the last one last: the position of the page, and the earlier decisions. */
  readonly steps: { readonly at: number; readonly before: ReadonlyMap<string, Judgement> }[];
}

/**
 * Shows a page and asks until the answer is complete.
 * @returns position of the next page
 */
async function decideOne(
  deciding: Deciding,
  decisions: Decisions,
  at: number,
): Promise<number | 'finish' | 'left' | 'made-topic'> {
  const { call, material, pages, ask } = deciding;
  const { io, review } = call;
  const page = pages[at]!;
  await tell(io, material, page, `${at + 1} of ${pages.length}`);
  let without = page.judgement?.without ?? [];
  for (;;) {
    const answer = await ask('decide (? help) > ');
    if (answer === undefined || answer === 'q') return 'left';
    if (answer === 'f') return 'finish';
    const [key, rest] = [answer.slice(0, 1), answer.slice(1).trim()];
    if (key === 's') return at + 1;
    if (key === 'u') return undoLast(decisions) ?? at;
    if (key === 'g') {
      const made = await askAboutGroups(call, ask, decisions.byKey.size > 0);
      if (made.kind === 'topic') return 'made-topic';
      if (made.kind === 'decisions') keep(decisions, at, made.judgements);
      return at;
    }
    const taken = key === 'A' ? shownBefore(pages, decisions, at) : decided(review, page, { key, rest, without });
    if (taken?.length === 0) io.err('No undecided candidate up to here. Decide on unsure ones one by one.\n');
    else if (taken !== undefined) {
      keep(decisions, at, taken);
      const own = decisions.byKey.get(page.key);
      if (own !== undefined) io.err(`  ${sanitizeForTerminal(describeUse(own))}\n`);
      return at + 1;
    }
    if (key === 't') without = (await leftOut(call, page, rest)) ?? without;
    else if (key === 'v') await tellAll(io, material, page);
    else io.err(`${HELP.join('\n')}\nTopics: ${review.places.join(', ')}\n`);
  }
}

function byKeyOf(judgements: readonly Judgement[]): ReadonlyMap<string, Judgement> {
  return new Map(judgements.map((judgement) => [judgement.key, judgement]));
}

/** Adds decisions as one step of undo. */
function keep(decisions: Decisions, at: number, judgements: readonly Judgement[]): void {
  decisions.steps.push({ at, before: decisions.byKey });
  decisions.byKey = new Map([...decisions.byKey, ...byKeyOf(judgements)]);
}

/** Paragraphs to leave out, from 0; if invalid, prints why and returns `undefined`. */
async function leftOut({ io, review }: ReviewCall, { sequence }: ReviewPage, text: string) {
  const read = await readWithout(review.session.store, sequence, text);
  if ('message' in read) {
    io.err(`${read.message}${read.hint === undefined ? '' : ` ${read.hint}`}\n`);
    return undefined;
  }
  io.err(`Left out: ${counted(read.length, 'paragraph')}.\n`);
  return read;
}

interface Answer {
  readonly key: string;
  readonly rest: string;
  /** Paragraphs to leave out, from 0. */
  readonly without: readonly number[];
}

/** Decisions of an answer about the current page; `undefined` if none. */
function decided(review: ReviewSession, page: ReviewPage, { key, rest, without }: Answer): Judgement[] | undefined {
  const decision = DECISION_KEYS[key];
  const to = parseTopicId(rest);
  if (decision === undefined || (decision === 'move' && !review.places.includes(to))) return undefined;
  return [decisionOn(page, decision, { to, without })];
}

/** Accepts the undecided sure candidates of a topic that were shown before a position. */
function shownBefore(pages: readonly ReviewPage[], { byKey }: Decisions, at: number): Judgement[] {
  const shown = pages.slice(0, at + 1).filter((page) => page.topic === pages[at]!.topic);
  return acceptAll(shown, byKey);
}

/** @returns position of the page to ask about again, if any */
function undoLast(decisions: Decisions): number | undefined {
  const last = decisions.steps.pop();
  if (last !== undefined) decisions.byKey = last.before;
  return last?.at;
}

async function confirm(call: ReviewCall, decisions: readonly Judgement[], ask: Ask): Promise<ReviewEnd> {
  const { io, review } = call;
  const objection = review.objection(decisions);
  if (objection !== undefined) {
    io.err(`${objection}\n`);
    return 'left';
  }
  io.err('Training …\n');
  const change = await review.preview(decisions);
  io.err(`${describeChange(change, widthFor(io), false).join('\n')}\n`);
  const answer = await ask(`Apply ${counted(decisions.length, 'decision')}? (y, n) > `);
  if (answer?.toLowerCase() !== 'y' && answer?.toLowerCase() !== 'yes') return 'left';
  return endOf(call, await review.apply(decisions));
}

/** True if Ctrl-C left part of a change for later. */
export function isLeftOver({ review }: { readonly review: Pick<ReviewSession, 'session'> }, change: Change): boolean {
  return !review.session.isCrawlRunning && leftOver(change, '') !== undefined;
}

/** Returns how a review with a change ends; prints a note if Ctrl-C left part of it for later. */
export function endOf(
  { io, dir, review }: Pick<ReviewCall, 'io' | 'dir'> & { readonly review: Pick<ReviewSession, 'session'> },
  change: Change,
): ReviewEnd {
  const left = review.session.isCrawlRunning ? undefined : leftOver(change, quoted(dir));
  if (left === undefined) return 'applied';
  io.err(`${left}\n`);
  return 'stopped';
}

async function tell(io: Io, material: ReviewMaterial, page: ReviewPage, place: string): Promise<void> {
  const { paragraphs, terms } = await material.textOf(page);
  const text = paragraphs.map((parts) => parts.map((part) => (part.isTerm ? `*${part.text}*` : part.text)).join(''));
  const lines = [
    '',
    `${place}  ${placeName({ topic: page.topic, others: page.isOthers })}  ${describeOrigin(page.origin)}  score ${figure(page.score)}  authority ${page.authority.toFixed(2)}`,
    `  ${page.title}`,
    `  ${showAddress(page.key)}`,
    ...(page.judgement === undefined ? [] : [`  decided earlier: ${describeUse(page.judgement)}`]),
    ...(terms.length === 0 ? [] : indented(`strongest terms: ${terms.slice(0, 10).join(', ')}`, io)),
    ...indented(`${text.join(' ¶ ').slice(0, EXCERPT)} …`, io),
    `  ${counted(paragraphs.length, 'paragraph')}`,
  ];
  io.err(`${lines.join('\n')}\n`);
}

async function tellAll(io: Io, material: ReviewMaterial, page: ReviewPage): Promise<void> {
  const { paragraphs } = await material.textOf(page);
  for (const [i, parts] of paragraphs.entries())
    io.err(`${wrap(`${i + 1}: ${parts.map((part) => part.text).join('')}`, widthFor(io), '    ').join('\n')}\n`);
}

function indented(text: string, io: Io): string[] {
  return wrap(text, widthFor(io) - 2).map((line) => `  ${line}`);
}

function widthFor(io: Io): number {
  return Math.min(MAX_WIDTH, io.screen().columns);
}
