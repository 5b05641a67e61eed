import { createInterface } from 'node:readline';
import { counted, type Judgement, parseTopicId, ROOT, type TopicId } from '../../core/index.ts';
import { describeOrigin, describeUse, type ReviewPage } from '../../dashboard/index.ts';
import { placeName } from '../../engine/index.ts';
import type { Io } from '../command.ts';
import type { FeedbackSession } from '../judging/carry-out.ts';
import { describeChange } from '../judging/change-text.ts';
import { judgementOf } from '../judging/feedback.ts';
import { sanitizeForTerminal, showAddress, wrap } from '../terminal.ts';
import { findProposals } from './proposals.ts';
import { parseRanges } from './review-file.ts';
import { type ReviewMaterial, reviewMaterial } from './review-material.ts';

/** What a review needs, however it is done. */
export interface ReviewCall {
  readonly io: Io;
  readonly dir: string;
  readonly session: FeedbackSession;
  readonly topic: TopicId | undefined;
}

/** How a review ended. */
export type ReviewEnd = 'applied' | 'left';

const WIDTH = 100;
const EXCERPT = 400;
const HELP = [
  'a accept   r reject, learn nothing from it   x it is OTHERS   m TOPIC move it there',
  't 2 5-7 leave these paragraphs out (then a or m)   v show all paragraphs   u undo   s skip',
  'A accept all shown before   f finish: show what would change   q leave without a change',
];

/**
 * A review in plain lines: a page, a question, an answer, for screen readers and pipes. Shows the effect at the end and asks
 * before it is applied; the end of the input applies nothing.
 */
export async function reviewByLines(call: ReviewCall): Promise<ReviewEnd> {
  const { io, session, dir, topic } = call;
  const material = await reviewMaterial(session, topic);
  const proposals = await findProposals(session, dir, topic);
  for (const { what, how } of proposals) io.err(`${what}\n    ${how}\n`);
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

/** Asks page by page; `undefined` when the person left. */
async function decideAll({ call, material, pages, ask }: Deciding): Promise<readonly Judgement[] | undefined> {
  const { io, session } = call;
  const decided = new Map<string, Judgement>();
  const order: number[] = [];
  io.err(`${HELP.join('\n')}\n`);
  for (let at = 0; at < pages.length; ) {
    const page = pages[at]!;
    await tell(io, material, page, `${at + 1} of ${pages.length}`);
    let without: readonly number[] = page.judgement?.without ?? [];
    for (let isOpen = true; isOpen; ) {
      const answer = await ask('decide (? help) > ');
      if (answer === undefined || answer === 'q') return undefined;
      if (answer === 'f') return [...decided.values()];
      const [key = '', rest = ''] = [answer.slice(0, 1), answer.slice(1).trim()];
      const accept = (topic: TopicId): void => {
        decided.set(page.key, judgementOf(page, 'example', topic, without));
      };
      if (key === 'a' && page.isOthers) decided.set(page.key, judgementOf(page, 'others', page.topic, without));
      else if (key === 'a') accept(page.topic);
      else if (key === 'r') decided.set(page.key, judgementOf(page, 'dropped', ROOT));
      else if (key === 'x') decided.set(page.key, judgementOf(page, 'others', ROOT, without));
      else if (key === 'm' && session.desk.tree.nodes.has(parseTopicId(rest)) && rest !== '')
        accept(parseTopicId(rest));
      else if (key === 'A') {
        for (const before of pages.slice(0, at + 1))
          if (!decided.has(before.key) && before.topic === page.topic && !before.isTraining)
            decided.set(before.key, judgementOf(before, 'example', before.topic));
      } else if (key === 'u') {
        const last = order.pop();
        if (last !== undefined) decided.delete(pages[last]!.key);
        at = (last ?? at) - 1;
      } else if (key === 't' && parseRanges(rest) !== undefined) {
        without = parseRanges(rest)!.map((n) => n - 1);
        io.err(`Left out: ${counted(without.length, 'paragraph')}.\n`);
        continue;
      } else if (key === 'v') {
        await tellAll(io, material, page);
        continue;
      } else if (key !== 's') {
        io.err(`${HELP.join('\n')}\nTopics: ${topicNames(session)}\n`);
        continue;
      }
      if (key !== 'u' && key !== 's') order.push(at);
      isOpen = false;
    }
    const judgement = decided.get(page.key);
    if (judgement !== undefined) io.err(`  ${sanitizeForTerminal(describeUse(judgement))}\n`);
    at++;
  }
  return [...decided.values()];
}

async function confirm({ io, session }: ReviewCall, decided: readonly Judgement[], ask: Ask): Promise<ReviewEnd> {
  const objection = session.desk.objection(decided);
  if (objection !== undefined) {
    io.err(`${objection}\n`);
    return 'left';
  }
  io.err('Training …\n');
  const change = await session.feedback.preview(decided);
  io.err(`${describeChange(change, WIDTH, false).join('\n')}\n`);
  const answer = await ask(`Apply ${counted(decided.length, 'decision')}? (y, n) > `);
  if (answer?.toLowerCase() !== 'y' && answer?.toLowerCase() !== 'yes') return 'left';
  await session.take(decided, { trial: change.trial });
  return 'applied';
}

async function tell(io: Io, material: ReviewMaterial, page: ReviewPage, place: string): Promise<void> {
  const score = Number.isFinite(page.score) ? page.score.toFixed(2) : '–';
  const { paragraphs, terms } = await material.textOf(page);
  const text = paragraphs.map((parts) => parts.map((part) => (part.isTerm ? `*${part.text}*` : part.text)).join(''));
  const lines = [
    '',
    `${place}  ${placeName({ topic: page.topic, others: page.isOthers })}  ${describeOrigin(page.origin)}  score ${score}  authority ${page.authority.toFixed(2)}`,
    `  ${page.title}`,
    `  ${showAddress(page.key)}`,
    ...(page.judgement === undefined ? [] : [`  decided earlier: ${describeUse(page.judgement)}`]),
    ...(terms.length === 0 ? [] : [`  strongest terms: ${terms.slice(0, 10).join(', ')}`]),
    ...wrap(`${text.join(' ¶ ').slice(0, EXCERPT)} …`, WIDTH).map((line) => `  ${line}`),
    `  ${counted(paragraphs.length, 'paragraph')}`,
  ];
  io.err(`${lines.join('\n')}\n`);
}

async function tellAll(io: Io, material: ReviewMaterial, page: ReviewPage): Promise<void> {
  const { paragraphs } = await material.textOf(page);
  for (const [i, parts] of paragraphs.entries())
    io.err(`${wrap(`${i + 1}: ${parts.map((part) => part.text).join('')}`, WIDTH, '    ').join('\n')}\n`);
}

function topicNames({ desk }: FeedbackSession): string {
  return [...desk.tree.nodes.keys()].filter((id) => id !== ROOT).join(', ');
}
