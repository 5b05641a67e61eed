import { escapeMarkup } from '../../postprocess/index.ts';

/** One line of a plot. */
export interface Series {
  readonly name: string;
  /** Points in order of x. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xMax: number;
  readonly yMax: number;
  readonly series: readonly Series[];
}

const WIDTH = 420;
const HEIGHT = 260;
const MARGIN = { left: 50, right: 10, top: 26, bottom: 38 } as const;
const INNER = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom } as const;
const TICKS = [0, 0.25, 0.5, 0.75, 1] as const;

/** Colours that differ in hue and lightness; dashes mark the second half of a long list. */
const COLOURS = ['#1b6ca8', '#d1495b', '#2e8b57', '#b8860b', '#6a4c93', '#444444', '#00897b', '#c2185b'] as const;

/** Style attributes of the n-th series. */
export function seriesStyle(n: number): string {
  const dash = n < COLOURS.length ? '' : ' stroke-dasharray="5 3"';
  return `stroke="${COLOURS[n % COLOURS.length]}"${dash}`;
}

/** Draws a line plot as a self-contained SVG element. */
export function linePlot(plot: Plot): string {
  const lines = plot.series.map(
    (series, n) =>
      `<path d="${pathOf(plot, series)}" fill="none" stroke-width="1.6" ${seriesStyle(n)}><title>${escapeMarkup(series.name)}</title></path>`,
  );
  const label = escapeMarkup(`${plot.title}: ${plot.yLabel} over ${plot.xLabel}`);
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${label}">`,
    `<text x="${MARGIN.left}" y="16" class="title">${escapeMarkup(plot.title)}</text>`,
    ...TICKS.flatMap((share) => [xTick(plot, share), yTick(plot, share)]),
    `<text x="${MARGIN.left + INNER.width / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escapeMarkup(plot.xLabel)}</text>`,
    `<text transform="translate(11 ${MARGIN.top + INNER.height / 2}) rotate(-90)" text-anchor="middle">${escapeMarkup(plot.yLabel)}</text>`,
    ...lines,
    '</svg>',
  ].join('\n');
}

function pathOf(plot: Plot, { points }: Series): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${place(xOf(plot, x))} ${place(yOf(plot, y))}`).join('');
}

function xOf({ xMax }: Plot, x: number): number {
  return MARGIN.left + (INNER.width * x) / xMax;
}

function yOf({ yMax }: Plot, y: number): number {
  return MARGIN.top + INNER.height * (1 - Math.min(1, y / yMax));
}

function place(value: number): string {
  return value.toFixed(1);
}

function xTick(plot: Plot, share: number): string {
  const x = place(xOf(plot, share * plot.xMax));
  const bottom = MARGIN.top + INNER.height;
  return `<path class="grid" d="M${x} ${MARGIN.top}V${bottom}"/><text x="${x}" y="${bottom + 14}" text-anchor="middle">${Math.round(share * plot.xMax)}</text>`;
}

function yTick(plot: Plot, share: number): string {
  const y = yOf(plot, share * plot.yMax);
  return `<path class="grid" d="M${MARGIN.left} ${place(y)}h${INNER.width}"/><text x="${MARGIN.left - 5}" y="${place(y + 4)}" text-anchor="end">${tickText(share * plot.yMax)}</text>`;
}

function tickText(value: number): string {
  return String(Number(value.toFixed(3)));
}
