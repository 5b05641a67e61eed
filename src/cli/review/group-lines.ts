import { BingoError, type Judgement, type TopicId } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import {
  BACKUP_FILE,
  quoted,
  type RejectedGroup,
  sanitizeForTerminal,
  truncate,
  WORKSPACE_FILE,
} from '../../workbench/index.ts';
import { describeChange } from '../judging/change-text.ts';
import { watchOn } from '../judging/judging.ts';
import { tellNowAndThen } from '../progress-lines.ts';
import type { ReviewCall } from './review-call.ts';

/** What the user made of the groups: decisions to apply later, or a topic, which is there at once. */
export type GroupAnswer =
  | { readonly kind: 'decisions'; readonly judgements: readonly Judgement[] }
  | { readonly kind: 'topic'; readonly topic: TopicId }
  | { readonly kind: 'back' };

const TITLES = 3;
const COLUMNS = 100;
const HELP = 't N [NAME] make group N a topic   x N counter-examples   l N lock its sites   Enter back';

/**
 * Lists the groups of rejected pages in plain lines, and asks what becomes of one.
 * @param hasDecisions decisions wait to be applied: a topic must wait, too
 */
export async function askAboutGroups(
  call: ReviewCall,
  ask: (question: string) => Promise<string | undefined>,
  hasDecisions: boolean,
): Promise<GroupAnswer> {
  const { io, review } = call;
  const say = tellNowAndThen(io);
  const found = await review.groups((read, of) => say(`Reading pages: ${count(read)} of ${count(of)}`));
  if (found.groups.length === 0) {
    io.err('No rejected pages to group.\n');
    return { kind: 'back' };
  }
  const lines = found.groups.flatMap((group) => groupLines(group, Math.min(COLUMNS, io.screen().columns)));
  io.err(`${[...lines, HELP].join('\n')}\n`);
  for (;;) {
    const answer = await ask('group > ');
    if (answer === undefined || answer === '' || answer === 'q') return { kind: 'back' };
    const [, key, number, name] = /^([txl])\s*(\d{1,3})\s*(.*)$/.exec(answer) ?? [];
    try {
      if (key === 'x' || key === 'l') {
        const judgements = await found.decisions(Number(number), key === 'l' ? 'lock' : 'others');
        io.err(`${counted(judgements.length, 'decision')} about group ${number}. f applies, u undoes.\n`);
        return { kind: 'decisions', judgements };
      }
      if (key === 't' && !hasDecisions) {
        const { topic, change } = await found.makeTopic(Number(number), {
          name: name || undefined,
          watch: watchOn(io),
        });
        if (change !== undefined) io.err(`${describeChange(change, io.columns(), true).join('\n')}\n`);
        io.err(madeText(call, topic, change === undefined));
        return { kind: 'topic', topic };
      }
      io.err(key === 't' ? 'First apply your decisions (f), or undo them (u).\n' : `${HELP}\n`);
    } catch (error) {
      if (!(error instanceof BingoError)) throw error;
      io.err(`${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}\n`);
    }
  }
}

function groupLines({ number, pages, words, examples, hosts }: RejectedGroup, columns: number): readonly string[] {
  const titles = examples.slice(0, TITLES).map(({ title, url }) => sanitizeForTerminal(title) || url);
  const sites = hosts.map(({ host, pages: n }) => `${sanitizeForTerminal(host)} (${count(n)})`).join(', ');
  const head = `${number}  ${sanitizeForTerminal(words.slice(0, 6).join(', '))}  ${counted(pages, 'page')}`;
  const more = [...titles, ...(sites === '' ? [] : [`only rejected: ${sites}`])];
  return [truncate(head, columns), ...more.map((line) => truncate(`     ${line}`, columns))];
}

function madeText({ dir }: ReviewCall, topic: TopicId, isLater: boolean): string {
  const name = sanitizeForTerminal(topic);
  const later = isLater ? ' The next crawl learns it.' : '';
  return (
    `"${name}" is a topic of ${WORKSPACE_FILE} now; previous file: ${BACKUP_FILE}.${later}\n` +
    `To undo: bingo topic remove ${quoted(dir)} ${quoted(name)}\n`
  );
}
