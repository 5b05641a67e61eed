import { describe, expect, test } from 'vitest';
import { barRows, plotRows } from '../../src/dashboard/plot.ts';
import { NO_SERIES } from '../../src/dashboard/series.ts';

function rows(relevance: readonly number[], average: readonly number[], width: number, height: number): string[] {
  const series = { ...NO_SERIES, pages: relevance.length, relevance, average };
  return plotRows(series, width, height).map((runs) => runs.map((run) => run.text).join(''));
}

describe('the harvest plot', () => {
  test('has a dot for each page, 1 at the top and 0 at the bottom', () => {
    // No average: a line would hide the dots.
    expect(rows([1, 0, 1, 0], [], 2, 1)).toEqual(['⢁⢁']);
    expect(rows([1, 0], [], 2, 2)).toEqual(['⠁ ', '⢀ ']);
  });

  test('draws the average as a line at three heights of a row', () => {
    expect(rows([], [1, 1], 1, 1)).toEqual(['▔']);
    expect(rows([], [0.5, 0.5], 1, 1)).toEqual(['━']);
    expect(rows([], [0, 0], 1, 1)).toEqual(['▁']);
  });

  test('fits many pages into its width', () => {
    const many = Array.from({ length: 1000 }, (_, i) => i / 999);
    const plot = rows(many, many, 10, 5);
    expect(plot.map((row) => row.length)).toEqual([10, 10, 10, 10, 10]);
    expect(plot[4]!.startsWith('━')).toBe(true);
    expect(plot[0]!.endsWith('━')).toBe(true);
  });

  test('separates line and dots for colours', () => {
    const [row] = plotRows({ ...NO_SERIES, relevance: [0, 0, 0, 0], average: [1, 1] }, 2, 1);
    expect(row!.map((run) => run.isAverage)).toEqual([true, false]);
  });

  test('draws NaN as 0', () => {
    expect(rows([Number.NaN], [], 1, 1)).toEqual(['⡀']);
  });
});

describe('bars', () => {
  test('the greatest value fills the height, the others in proportion', () => {
    expect(barRows([16, 8, 4], 2, 1)).toEqual(['█  ', '██▄']);
  });

  test('a small value is visible, and a missing one is not', () => {
    expect(barRows([1000, 1, 0], 1, 2)).toEqual(['██▁▁  ']);
    expect(barRows([0, 0], 1, 1)).toEqual(['  ']);
  });
});
