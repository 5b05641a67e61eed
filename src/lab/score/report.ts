import { CHART_STYLE, escapeMarkup, linePlot, type Series, seriesStyle } from '../../postprocess/index.ts';
import type { Task } from '../tasks/task.ts';
import { summaryTables, type Table, type TableInput } from './table.ts';
import type { ScoredRun } from './task-run.ts';

/** Maximum number of points per curve. */
const MAX_POINTS = 240;

/** Returns the report of a lab run: one HTML page with tables and curves and without external resources. */
export function htmlReport(input: TableInput, scored: readonly ScoredRun[]): string {
  const tables = summaryTables(input).map(htmlTable);
  const tasks = input.tasks.map((task) =>
    taskSection(
      input,
      task,
      scored.filter(({ run }) => run.task === task.id),
    ),
  );
  return reportPage(
    'Bingo lab',
    `<p>nAUC is the area under recall over fetches up to the budget, divided by that of an oracle that knows all labels.
Relevant pages are labelled so, can be reached from the seeds, and were not given.</p>
${tables.join('\n')}
<h2>Curves</h2>
${legend(input.orderings)}
${tasks.join('\n')}`,
  );
}

/** Returns a report as one HTML page without external resources. */
export function reportPage(title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeMarkup(title)}</h1>
${body}
</body>
</html>
`;
}

function taskSection({ orderings }: TableInput, task: Task, scored: readonly ScoredRun[]): string {
  if (scored.length === 0) return '';
  const curveOf = (ordering: string): Uint32Array =>
    scored.find(({ run }) => run.ordering === ordering)?.curve ?? new Uint32Array(1);
  const relevant = scored[0]?.run.measures.scored ?? 0;
  const recall = orderings.map((name): Series => ({ name, points: recallPoints(curveOf(name), relevant) }));
  const harvest = orderings.map((name): Series => ({ name, points: harvestPoints(curveOf(name)) }));
  const yMax = Math.max(0.05, ...harvest.flatMap(({ points }) => points.map(([, y]) => y)));
  const axis = { xLabel: 'fetches', xMax: task.budget };
  return `<section>
<h3>${escapeMarkup(task.id)}</h3>
${linePlot({ ...axis, title: 'Recall', yLabel: 'recall', yMax: 1, series: recall })}
${linePlot({ ...axis, title: 'Harvest rate', yLabel: 'relevant / fetched', yMax: Math.min(1, yMax), series: harvest })}
</section>`;
}

function recallPoints(curve: Uint32Array, relevant: number): Series['points'] {
  return sample(curve.length).map((k) => [k, relevant === 0 ? 0 : (curve[k] ?? 0) / relevant]);
}

/** The rate over the first pages is noise and would distort the scale, so the curve starts at the tenth page. */
function harvestPoints(curve: Uint32Array): Series['points'] {
  return sample(curve.length)
    .filter((k) => k >= 10)
    .map((k) => [k, (curve[k] ?? 0) / k]);
}

/** Returns at most `MAX_POINTS` evenly spaced indexes below `length`, with the first and the last. */
export function sample(length: number): number[] {
  const count = Math.min(length, MAX_POINTS);
  if (count < 2) return count === 1 ? [0] : [];
  return Array.from({ length: count }, (_, i) => Math.round((i * (length - 1)) / (count - 1)));
}

/** Returns the legend of curves, in order of their series. */
export function legend(names: readonly string[]): string {
  const items = names.map(
    (name, n) =>
      `<li><svg width="26" height="10" aria-hidden="true"><path d="M0 5H26" stroke-width="3" ${seriesStyle(n)}/></svg> ${escapeMarkup(name)}</li>`,
  );
  return `<ul class="legend">${items.join('')}</ul>`;
}

export function htmlTable({ title, head, rows }: Table): string {
  const cells = (row: readonly string[], tag: string): string =>
    row.map((text) => `<${tag}>${escapeMarkup(text)}</${tag}>`).join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return `<h2>${escapeMarkup(title)}</h2>
<div class="wide"><table><thead><tr>${cells(head, 'th')}</tr></thead>
<tbody>
${body}
</tbody></table></div>`;
}

const STYLE = `
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; background: #fff; }
h3 { margin: 1.6rem 0 .2rem; font-size: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .85rem; }
td, th { padding: .15rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #e4e4e4; }
td:first-child, th:first-child { text-align: left; }
${CHART_STYLE}.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: .5rem 0; margin: 0; position: sticky; top: 0; background: #fff; }
`;
