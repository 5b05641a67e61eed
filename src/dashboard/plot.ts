import type { HarvestSeries } from './series.ts';

/** A run of equal cells in one row of the plot. */
export interface PlotRun {
  readonly text: string;
  readonly isAverage: boolean;
}

/** Dots of a braille cell, by row and column (Unicode, Braille Patterns). */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const BRAILLE = 0x2800;
/** A line at the top, in the middle, and at the bottom of a cell. */
const LINES = ['▔', '━', '▁'] as const;

/**
 * Returns the plot as rows from the top (1) to the bottom (0): a braille dot per page at its relevance, the average
 * as a line above the dots. Few pages grow from the left; many are compressed to the width.
 */
export function plotRows(series: HarvestSeries, width: number, height: number): readonly (readonly PlotRun[])[] {
  const cells = dotCells(series.relevance, width, height);
  const line = averageLine(series.average, width, height);
  return cells.map((row, y) =>
    runsOf(
      row.map((dots, x): PlotRun => {
        const at = line[x];
        if (at !== undefined && Math.floor(at / 3) === y) return { text: LINES[at % 3]!, isAverage: true };
        return { text: dots === 0 ? ' ' : String.fromCharCode(BRAILLE + dots), isAverage: false };
      }),
    ),
  );
}

function dotCells(values: readonly number[], width: number, height: number): number[][] {
  const cells = Array.from({ length: height }, () => Array<number>(width).fill(0));
  const columns = 2 * width;
  values.forEach((value, i) => {
    const x = values.length <= columns ? i : Math.floor((i * columns) / values.length);
    const y = level(value, 4 * height);
    cells[y >> 2]![x >> 1]! |= DOTS[y & 3]![x & 1]!;
  });
  return cells;
}

/** Returns for each column the third of a row with the average, counted from the top; `undefined` without pages. */
function averageLine(values: readonly number[], width: number, height: number): readonly (number | undefined)[] {
  const columns = 2 * width;
  const scale = values.length <= columns ? 2 : values.length / width;
  return Array.from({ length: width }, (_, x) => {
    const part = values.slice(Math.floor(x * scale), Math.max(Math.floor(x * scale) + 1, Math.floor((x + 1) * scale)));
    if (part.length === 0) return undefined;
    return level(part.reduce((sum, value) => sum + value, 0) / part.length, 3 * height);
  });
}

/** Returns the level, of `n` from the top, for a value in [0,1]. */
function level(value: number, n: number): number {
  const share = Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
  return Math.round((1 - share) * (n - 1));
}

function runsOf(cells: readonly PlotRun[]): readonly PlotRun[] {
  const runs: PlotRun[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last?.isAverage === cell.isAverage) runs[runs.length - 1] = { ...last, text: last.text + cell.text };
    else runs.push(cell);
  }
  return runs;
}

const EIGHTHS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/**
 * Returns vertical bars as rows from the top, each bar `barWidth` columns wide; the greatest value fills the height.
 */
export function barRows(values: readonly number[], height: number, barWidth: number): readonly string[] {
  const greatest = Math.max(...values);
  return Array.from({ length: height }, (_, y) =>
    values
      .map((value) => {
        const eighths = greatest === 0 ? 0 : Math.round((value / greatest) * height * 8);
        // Values above 0 are always visible, however small.
        const shown = value > 0 ? Math.max(1, eighths) : 0;
        return EIGHTHS[Math.min(8, Math.max(0, shown - (height - 1 - y) * 8))]!.repeat(barWidth);
      })
      .join(''),
  );
}
