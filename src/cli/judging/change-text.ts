import { count, counted, siteOfKey, type TopicEstimate, type TopicId } from '../../core/index.ts';
import type { Effect } from '../../engine/index.ts';
import { type Change, sanitizeForTerminal, table, wrap } from '../../workbench/index.ts';
import { percent } from '../crawl/crawl-view.ts';

/** Moved pages that are named. */
const SHOWN = 8;

/** The estimates of one topic before and after. */
export interface EstimateChange {
  readonly topic: string;
  readonly before: TopicEstimate | undefined;
  readonly after: TopicEstimate | undefined;
}

/** How the estimates of each topic change, in the order of the new round. */
export function estimateChanges({ trial }: Pick<Change, 'trial'>): readonly EstimateChange[] {
  const { before, round } = trial;
  const of = (estimates: readonly TopicEstimate[], topic: string): TopicEstimate | undefined =>
    estimates.find((estimate) => estimate.topic === topic);
  const topics = [...round.estimates, ...before.estimates].map(({ topic }) => topic);
  return [...new Set(topics)].map((topic) => {
    return { topic, before: of(before.estimates, topic), after: of(round.estimates, topic) };
  });
}

/** What decisions change, as lines: estimates before and after, then the pages that go elsewhere. */
export function describeChange(change: Change, width: number, isDone: boolean): string[] {
  return [...estimateLines(change, width), '', ...effectLines(change.effect, width, isDone)];
}

/** The estimates of each topic, before → after. */
function estimateLines(change: Pick<Change, 'trial'>, width: number): string[] {
  const right = { align: 'right' as const };
  const columns = [
    { title: 'topic' },
    { title: 'examples', ...right },
    { title: 'xi-alpha', ...right },
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
      pair((e) => e.xiAlphaPrecision, share),
      pair((e) => e.heldOutPrecision, share),
      pair((e) => e.heldOutRecall, share),
      pair((e) => e.exampleRank, share),
    ];
  });
  return table(columns, rows, width);
}

/** The pages that go elsewhere. */
function effectLines(effect: Effect, width: number, isDone: boolean): string[] {
  const { pages, of, changed, overdue, moves, examples } = effect;
  const part = isDone ? 'judged so far' : 'looked at, an even sample';
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

/** How many pages a topic lost to OTHERS when one below it was learned; `undefined`: none. It learns from the examples of that one, too. */
export function lostPages({ moves }: Pick<Effect, 'moves'>, parent: TopicId): string | undefined {
  const lost = moves.find(({ from, to }) => from === parent && /(^|\/)OTHERS$/.test(to));
  if (lost === undefined) return undefined;
  const name = sanitizeForTerminal(parent);
  return `${counted(lost.pages, 'page')} of ${name} went to OTHERS: it learned from the new examples, too, and accepts them no more.`;
}

/** The same for programs. */
export function changeRow(change: Change): object {
  const { trial, effect } = change;
  const figures = (estimate: TopicEstimate | undefined): object | null =>
    estimate === undefined
      ? null
      : {
          examples: estimate.positives,
          others: estimate.negatives,
          xiAlphaPrecision: estimate.xiAlphaPrecision,
          heldOutPrecision: estimate.heldOutPrecision,
          heldOutRecall: estimate.heldOutRecall,
          exampleRank: estimate.exampleRank,
        };
  return {
    model: trial.round.model,
    decisions: trial.judgements.map(({ key, use, topic, without }) => {
      const site = siteOfKey(key);
      return site === undefined ? { page: key, use, topic, without: without ?? [] } : { site, use };
    }),
    estimates: estimateChanges(change).map(({ topic, before, after }) => {
      return { topic, before: figures(before), after: figures(after) };
    }),
    ...effect,
  };
}

function arrow(before: number | undefined, after: number | undefined, write: (x: number) => string): string {
  const text = (x: number | undefined): string => (x === undefined || Number.isNaN(x) ? '–' : write(x));
  return text(before) === text(after) ? text(after) : `${text(before)} → ${text(after)}`;
}

function share(x: number): string {
  return x.toFixed(2);
}
