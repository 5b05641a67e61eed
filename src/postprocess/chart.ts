import { escapeMarkup } from './markup.ts';

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
  /** Vertical lines with a name, such as the phases of a crawl. Default: none. */
  readonly marks?: readonly { readonly x: number; readonly name: string }[];
}

/** A bar chart: one bar for each value, from left to right. */
export interface Bars {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Names of the bars, shown on hovering. */
  readonly names: readonly string[];
  /** Shorter names, written below the bars; only some if there are many. Default: `names`. */
  readonly labels?: readonly string[];
  readonly values: readonly number[];
}

const WIDTH = 420;
const HEIGHT = 260;
const MARGIN = { left: 50, right: 10, top: 26, bottom: 38 } as const;
const INNER = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom } as const;
const TICKS = [0, 0.25, 0.5, 0.75, 1] as const;
/** From this end of the axis on, ticks of x are whole numbers. */
const WHOLE_TICKS = 20;
/** Space between plots of a file, and height of a line of its legend. */
const GAP = 12;
const LEGEND_ROW = 18;
const LEGEND_COLUMNS = 3;
/** Width of a name beside a mark. Marks that are nearer share one. */
const MARK_ROW = 10;
/** Names written below the bars of a chart. */
const MAX_BAR_NAMES = 12;

/** Colours that differ in hue and lightness; dashes mark the second half of a long list. */
const COLOURS = ['#1b6ca8', '#d1495b', '#2e8b57', '#b8860b', '#6a4c93', '#444444', '#00897b', '#c2185b'] as const;

/** Style attributes of the n-th series. */
export function seriesStyle(n: number): string {
  const dash = n < COLOURS.length ? '' : ' stroke-dasharray="5 3"';
  return `stroke="${COLOURS[n % COLOURS.length]}"${dash}`;
}

/** Draws a line plot as an SVG element. */
export function linePlot(plot: Plot): string {
  const lines = plot.series.map(
    (series, n) =>
      `<path d="${pathOf(plot, series)}" fill="none" stroke-width="1.6" ${seriesStyle(n)}><title>${escapeMarkup(series.name)}</title></path>`,
  );
  const marks = (plot.marks ?? []).map(({ x, name }) => {
    const at = place(xOf(plot, x));
    return `<path class="mark" d="M${at} ${MARGIN.top}v${INNER.height}"><title>${escapeMarkup(name)}</title></path>`;
  });
  const markNames = namesOfMarks(plot).map(({ at, name }) => {
    // Beside the line, on the side that has room.
    const x = at < WIDTH / 2 ? at + MARK_ROW : at - 3;
    const y = MARGIN.top + INNER.height - 4;
    return `<text transform="translate(${place(x)} ${y}) rotate(-90)">${escapeMarkup(name)}</text>`;
  });
  return framed(plot, [
    ...TICKS.flatMap((share) => [xTick(plot, share), yTick(plot, share)]),
    ...marks,
    ...lines,
    ...markNames,
  ]);
}

/** Draws a bar chart as an SVG element. */
export function barPlot(bars: Bars): string {
  const { names, values } = bars;
  const axis: Plot = { ...bars, xMax: Math.max(1, values.length), yMax: Math.max(...values, 1e-9), series: [] };
  const shown = Math.max(1, Math.ceil(names.length / MAX_BAR_NAMES));
  const drawn = values.map((value, i) => {
    const [left, right, top] = [xOf(axis, i + 0.1), xOf(axis, i + 0.9), yOf(axis, value)];
    const height = place(MARGIN.top + INNER.height - top);
    const text = escapeMarkup(`${names[i] ?? ''}: ${tickText(value)}`);
    return `<rect class="bar" x="${place(left)}" y="${place(top)}" width="${place(right - left)}" height="${height}"><title>${text}</title></rect>`;
  });
  const labels = (bars.labels ?? names).flatMap((name, i) =>
    i % shown === 0
      ? [
          `<text x="${place(xOf(axis, i + 0.5))}" y="${MARGIN.top + INNER.height + 14}" text-anchor="middle">${escapeMarkup(name)}</text>`,
        ]
      : [],
  );
  return framed(bars, [...TICKS.map((share) => yTick(axis, share)), ...drawn, ...labels]);
}

/** Draws plots below each other as one SVG file, with a legend of the named series. */
export function chartFile(plots: readonly (Plot | Bars)[], legend: readonly string[]): string {
  const rows = Math.ceil(legend.length / LEGEND_COLUMNS);
  const height = plots.length * (HEIGHT + GAP) + rows * LEGEND_ROW + GAP;
  const drawn = plots.map((plot, i) => {
    const element = 'series' in plot ? linePlot(plot) : barPlot(plot);
    return element.replace('<svg ', `<svg y="${i * (HEIGHT + GAP)}" `);
  });
  const names = legend.map((name, n) => {
    const x = MARGIN.left + (n % LEGEND_COLUMNS) * ((WIDTH - MARGIN.left) / LEGEND_COLUMNS);
    const y = plots.length * (HEIGHT + GAP) + Math.floor(n / LEGEND_COLUMNS) * LEGEND_ROW + LEGEND_ROW / 2;
    return `<path d="M${x} ${y}h18" stroke-width="3" ${seriesStyle(n)}/><text x="${x + 23}" y="${y + 4}">${escapeMarkup(name)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif">`,
    `<style>${CHART_STYLE}</style>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...drawn,
    ...names,
    '</svg>',
    '',
  ].join('\n');
}

/** Style of the elements of charts, for the page or file around them. */
export const CHART_STYLE = `
svg text { font-size: 10px; fill: #444; }
svg text.title { font-size: 12px; font-weight: 600; }
svg .grid { stroke: #e4e4e4; stroke-width: 1; fill: none; }
svg .mark { stroke: #888; stroke-width: 1; stroke-dasharray: 2 3; fill: none; }
svg .bar { fill: #1b6ca8; }
`;

/** Returns a chart's frame: title, names of the axes, and the drawn parts. */
function framed(
  { title, xLabel, yLabel }: Pick<Plot, 'title' | 'xLabel' | 'yLabel'>,
  parts: readonly string[],
): string {
  const label = escapeMarkup(`${title}: ${yLabel} over ${xLabel}`);
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${label}">`,
    `<text x="${MARGIN.left}" y="16" class="title">${escapeMarkup(title)}</text>`,
    ...parts,
    `<text x="${MARGIN.left + INNER.width / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escapeMarkup(xLabel)}</text>`,
    `<text transform="translate(11 ${MARGIN.top + INNER.height / 2}) rotate(-90)" text-anchor="middle">${escapeMarkup(yLabel)}</text>`,
    '</svg>',
  ].join('\n');
}

/** Returns the names of marks with their places; those of near marks are joined. */
function namesOfMarks(plot: Plot): readonly { readonly at: number; readonly name: string }[] {
  const groups: { at: number; names: string[] }[] = [];
  for (const { x, name } of plot.marks ?? []) {
    const at = xOf(plot, x);
    const last = groups.at(-1);
    if (last !== undefined && at - last.at < MARK_ROW) last.names.push(name);
    else groups.push({ at, names: [name] });
  }
  return groups.map(({ at, names }) => ({
    at,
    name: names.length > 2 ? `${names[0]} … ${names.at(-1)}` : names.join(', '),
  }));
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
  const value = share * plot.xMax;
  const tick = plot.xMax < WHOLE_TICKS ? tickText(value) : Math.round(value);
  return `<path class="grid" d="M${x} ${MARGIN.top}V${bottom}"/><text x="${x}" y="${bottom + 14}" text-anchor="middle">${tick}</text>`;
}

function yTick(plot: Plot, share: number): string {
  const y = yOf(plot, share * plot.yMax);
  return `<path class="grid" d="M${MARGIN.left} ${place(y)}h${INNER.width}"/><text x="${MARGIN.left - 5}" y="${place(y + 4)}" text-anchor="end">${tickText(share * plot.yMax)}</text>`;
}

function tickText(value: number): string {
  return String(Number(value.toFixed(3)));
}
