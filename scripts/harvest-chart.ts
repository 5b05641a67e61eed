/**
 * Draws docs/pictures/harvest.svg: mean recall over the budget for each ordering of a lab run.
 *
 * Usage: bingo lab run tasks.json --webs DIR --out OUT --orderings learned,best-first,breadth-first
 *        node scripts/harvest-chart.ts OUT/results.json
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Run {
  readonly task: string;
  readonly ordering: string;
  /** Recall at a percentage of the budget. */
  readonly measures: { readonly recall: Readonly<Record<string, number>> };
}

const STEPS = [10, 25, 50, 100];
const COLOURS = ['#0b62c4', '#2f7d32', '#b4531b', '#7a4fb5'];
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [720, 330, 60, 20, 150, 50];
const x = (percent: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * percent) / 100;
const y = (recall: number): number => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * recall;

function curve(runs: readonly Run[], colour: string): string {
  const means = STEPS.map((step) => runs.reduce((sum, run) => sum + (run.measures.recall[step] ?? 0), 0) / runs.length);
  const points = [[0, 0] as const, ...means.map((recall, at) => [STEPS[at] ?? 0, recall] as const)];
  const path = points.map(([percent, recall]) => `${x(percent).toFixed(1)},${y(recall).toFixed(1)}`).join(' ');
  const last = means.at(-1) ?? 0;
  const dots = points.map(([percent, recall]) => `<circle cx="${x(percent)}" cy="${y(recall).toFixed(1)}" r="3.5"/>`);
  const name = `<text x="${x(100) + 10}" y="${y(last) + 5}">${runs[0]?.ordering} ${last.toFixed(2)}</text>`;
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2.5"/><g fill="${colour}">${dots.join('')}${name}</g>`;
}

const { runs } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as { readonly runs: readonly Run[] };
const orderings = [...Map.groupBy(runs, ({ ordering }) => ordering).values()];
const grid = [0, 0.25, 0.5, 0.75, 1].map(
  (recall) =>
    `<line x1="${x(0)}" x2="${x(100)}" y1="${y(recall)}" y2="${y(recall)}" stroke="#d9dee3"/><text x="${LEFT - 8}" y="${y(recall) + 5}" text-anchor="end">${recall * 100} %</text>`,
);
const ticks = STEPS.map((at) => `<text x="${x(at)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${at} %</text>`);
const label = `<text x="${x(50)}" y="${HEIGHT - 8}" text-anchor="middle">share of the budget fetched</text>`;
const curves = orderings.map((group, at) => curve(group, COLOURS[at % COLOURS.length] ?? '#000'));
writeFileSync(
  new URL('../docs/pictures/harvest.svg', import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="Mean recall over the budget, by ordering" font-family="system-ui, sans-serif" font-size="14" fill="#59636e"><rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>${grid.join('')}${ticks.join('')}${label}${curves.join('')}</svg>\n`,
);
