import type { TopicEstimate, TopicId } from '../../core/index.ts';
import type { Effect } from '../../engine/index.ts';
import { count, counted, percent } from '../../kit/index.ts';
import { topicGrade } from '../../meta/index.ts';
import { type Change, estimateChanges, sanitizeForTerminal, table, wrap } from '../../workbench/index.ts';

/** Maximum number of moved pages listed. */
const SHOWN = 8;

/** Describes what decisions change: estimates before and after, then the pages that change their topic. */
export function describeChange(change: Change, width: number, isDone: boolean): string[] {
  return [...estimateLines(change, width), '', ...effectLines(change.effect, width, isDone)];
}

/** The estimates of each topic, before → after. */
function estimateLines(change: Pick<Change, 'trial'>, width: number): string[] {
  const right = { align: 'right' as const };
  const columns = [
    { title: 'topic' },
    { title: 'examples', ...right },
    { title: 'grade' },
    { title: 'held-out precision', ...right },
    { title: 'recall', ...right },
    { title: 'rank', ...right },
  ];
  const rows = estimateChanges(change).map(({ topic, before, after }) => {
    const pair = (value: (estimate: TopicEstimate) => number, write: (x: number) => string): string =>
      arrow(before && value(before), after && value(after), write);
    return [
      topic,
      pair((e) => e.positives, String),
      pairOfGrades(before, after),
      pair((e) => e.heldOutPrecision, share),
      pair((e) => e.heldOutRecall, share),
      pair((e) => e.exampleRank, share),
    ];
  });
  return table(columns, rows, width);
}

function pairOfGrades(before: TopicEstimate | undefined, after: TopicEstimate | undefined): string {
  const [old, now] = [topicGrade(before), topicGrade(after)];
  return old === now ? now : `${old} → ${now}`;
}

/** The pages that change their topic. */
function effectLines(effect: Effect, width: number, isDone: boolean): string[] {
  const { pages, of, changed, overdue, moves, examples } = effect;
  const part = isDone ? 'judged so far' : 'judged, an even sample';
  const sampled = pages < of ? ` ${part} of ${count(of)},` : '';
  const verb = isDone ? 'went to another topic' : 'would go to another topic';
  const owed =
    overdue > 0 ? ` ${count(overdue)} of them by what was learned since they were fetched, without this change.` : '';
  const head = `${count(changed)} of ${counted(pages, 'page')}${sampled}${changed > 0 ? ` (${percent(changed / pages)})` : ''} ${verb}.${owed}`;
  if (changed === 0) return wrap(head, width);
  const moveRows = moves.map(({ from, to, pages: n }) => [from, to, count(n)]);
  const shown = examples.slice(0, SHOWN);
  const pageRows = shown.map(({ url, title, from, to }) => [from, to, title, url]);
  return [
    ...wrap(head, width),
    '',
    ...table([{ title: 'from' }, { title: 'to' }, { title: 'pages', align: 'right' }], moveRows, width),
    '',
    ...table([{ title: 'from' }, { title: 'to' }, { title: 'title' }, { title: 'page' }], pageRows, width),
    ...(changed > shown.length ? [`… and ${count(changed - shown.length)} more`] : []),
  ];
}

/**
 * Describes how many pages a topic lost to the rejected pages when a subtopic was trained; `undefined` if none. It
 * also trains on the subtopic's examples.
 */
export function lostPages({ moves }: Pick<Effect, 'moves'>, parent: TopicId): string | undefined {
  const lost = moves.find(({ from, to }) => from === parent && /(^|\/)OTHERS$/.test(to));
  if (lost === undefined) return undefined;
  const name = sanitizeForTerminal(parent);
  return `${counted(lost.pages, 'page')} of ${name} were rejected: the topic learned from the new examples too, and no longer accepts them.`;
}

function arrow(before: number | undefined, after: number | undefined, write: (x: number) => string): string {
  const text = (x: number | undefined): string => (x === undefined || Number.isNaN(x) ? '–' : write(x));
  return text(before) === text(after) ? text(after) : `${text(before)} → ${text(after)}`;
}

function share(x: number): string {
  return x.toFixed(2);
}
