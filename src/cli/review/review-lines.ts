import { createInterface } from 'node:readline';
import { type Judgement, parseTopicId, ROOT, type TopicId } from '../../core/index.ts';
import { describeOrigin, describeUse, isSureCandidate, type ReviewPage } from '../../dashboard/index.ts';
import { placeName } from '../../engine/index.ts';
import { counted } from '../../kit/index.ts';
import {
  type Change,
  type FeedbackSession,
  figure,
  judgementOf,
  quoted,
  sanitizeForTerminal,
  showAddress,
  wrap,
} from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { describeChange } from '../judging/change-text.ts';
import { leftOver } from '../judging/judging.ts';
import { findProposals } from './proposals.ts';
import { readWithout } from './review-file.ts';
import { type ReviewMaterial, reviewMaterial } from './review-material.ts';

/** Inputs of every kind of review. */
export interface ReviewCall {
  readonly io: Io;
  readonly dir: string;
  readonly session: FeedbackSession;
  readonly topic: TopicId | undefined;
}

/**
 * How a review ended. `stopped`: decisions are saved, but Ctrl-C left pages to judge; `broken off`: Ctrl-C came
 * before anything was applied.
 */
export type ReviewEnd = 'applied' | 'stopped' | 'left' | 'broken off';

const MAX_WIDTH = 100;
const EXCERPT = 400;
const HELP = [
  'a accept   r reject, learn nothing from it   x counter-example',
  'm TOPIC move it there   t 2 5-7 leave these paragraphs out (then a or m)',
  'v show all paragraphs   u undo   s skip   A accept all shown before',
  'f finish: show what would change   q leave without a change',
];

/**
 * Runs a review in plain lines, for screen readers and pipes: shows a page, asks, reads an answer. At the end it
 * shows the effect and asks before applying it; the end of the input applies nothing.
 */
export async function reviewByLines(call: ReviewCall): Promise<ReviewEnd> {
  const { io, session, dir, topic } = call;
  const material = await reviewMaterial(session, topic);
  const proposals = await findProposals(session, dir, topic);
  for (const { what, how } of proposals) io.err(`${wrap(what, widthFor(io)).join('\n')}\n    ${how}\n`);
  const pages = material.topics.flatMap((one) => one.pages);
  if (pages.length === 0) {
    io.err('There is no page to decide on.\n');
    return 'left';
  }
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string | undefined> => {
    io.err(question);
    const { done, value } = await answers.next();
    return done === true ? undefined : value.trim();
  };
  try {
    const decided = await decideAll({ call, material, pages, ask });
    return decided === undefined || decided.length === 0 ? 'left' : await confirm(call, decided, ask);
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

/** Asks page by page; returns `undefined` if the user left. */
async function decideAll(deciding: Deciding): Promise<readonly Judgement[] | undefined> {
  const { call, pages } = deciding;
  const decisions: Decisions = { byKey: new Map(), steps: [] };
  call.io.err(`${HELP.join('\n')}\n`);
  for (let at = 0; at < pages.length; ) {
    const next = await decideOne(deciding, decisions, at);
    if (next === 'leave') return undefined;
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
async function decideOne(deciding: Deciding, decisions: Decisions, at: number): Promise<number | 'finish' | 'leave'> {
  const { call, material, pages, ask } = deciding;
  const { io, session } = call;
  const page = pages[at]!;
  await tell(io, material, page, `${at + 1} of ${pages.length}`);
  let without = page.judgement?.without ?? [];
  for (;;) {
    const answer = await ask('decide (? help) > ');
    if (answer === undefined || answer === 'q') return 'leave';
    if (answer === 'f') return 'finish';
    const [key, rest] = [answer.slice(0, 1), answer.slice(1).trim()];
    if (key === 's') return at + 1;
    if (key === 'u') return undoLast(decisions) ?? at;
    const taken = key === 'A' ? shownBefore(pages, decisions, at) : decisionsOf({ key, rest, page, without }, session);
    if (taken?.length === 0) io.err('No candidate is undecided up to here; unsure ones want a look each.\n');
    else if (taken !== undefined) {
      decisions.steps.push({ at, before: decisions.byKey });
      decisions.byKey = new Map([...decisions.byKey, ...taken.map((judgement) => [judgement.key, judgement] as const)]);
      const own = decisions.byKey.get(page.key);
      if (own !== undefined) io.err(`  ${sanitizeForTerminal(describeUse(own))}\n`);
      return at + 1;
    }
    if (key === 't') without = (await leftOut(call, page, rest)) ?? without;
    else if (key === 'v') await tellAll(io, material, page);
    else io.err(`${HELP.join('\n')}\nTopics: ${topicNames(session)}\n`);
  }
}

/** Paragraphs to leave out, from 0; if invalid, prints why and returns `undefined`. */
async function leftOut({ io, session }: ReviewCall, { sequence }: ReviewPage, text: string) {
  const read = await readWithout(session.store, sequence, text);
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
  readonly page: ReviewPage;
  /** Paragraphs to leave out, from 0. */
  readonly without: readonly number[];
}

/** Decisions of an answer about the current page; `undefined` if none. */
function decisionsOf({ key, rest, page, without }: Answer, { desk }: FeedbackSession): Judgement[] | undefined {
  if (key === 'a') return [judgementOf(page, page.isOthers ? 'others' : 'example', page.topic, without)];
  if (key === 'r') return [judgementOf(page, 'dropped', ROOT)];
  if (key === 'x') return [judgementOf(page, 'others', ROOT, without)];
  if (key !== 'm' || rest === '') return undefined;
  const topic = parseTopicId(rest);
  return desk.tree.nodes.has(topic) ? [judgementOf(page, 'example', topic, without)] : undefined;
}

/** Accepts the undecided sure candidates of a topic that were shown before a position. */
function shownBefore(pages: readonly ReviewPage[], { byKey }: Decisions, at: number): Judgement[] {
  return pages
    .slice(0, at + 1)
    .filter((page) => !byKey.has(page.key) && page.topic === pages[at]!.topic && isSureCandidate(page))
    .map((page) => judgementOf(page, 'example', page.topic));
}

/** @returns position of the page to ask about again, if any */
function undoLast(decisions: Decisions): number | undefined {
  const last = decisions.steps.pop();
  if (last !== undefined) decisions.byKey = last.before;
  return last?.at;
}

async function confirm(call: ReviewCall, decided: readonly Judgement[], ask: Ask): Promise<ReviewEnd> {
  const { io, session } = call;
  const objection = session.desk.objection(decided);
  if (objection !== undefined) {
    io.err(`${objection}\n`);
    return 'left';
  }
  io.err('Training …\n');
  const change = await session.preview(decided);
  io.err(`${describeChange(change, widthFor(io), false).join('\n')}\n`);
  const answer = await ask(`Apply ${counted(decided.length, 'decision')}? (y, n) > `);
  if (answer?.toLowerCase() !== 'y' && answer?.toLowerCase() !== 'yes') return 'left';
  return endOf(call, await session.take(decided, { trial: change.trial }));
}

/** Returns how a review with a change ends; prints a note if Ctrl-C left part of it for later. */
export function endOf({ io, dir, session }: ReviewCall, change: Change): ReviewEnd {
  const left = session.isCrawlRunning ? undefined : leftOver(change, quoted(dir));
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

function topicNames({ desk }: FeedbackSession): string {
  return [...desk.tree.nodes.keys()].filter((id) => id !== ROOT).join(', ');
}
