import { chartFile, type Plot } from '../../postprocess/index.ts';
import { bootstrapMean, type Interval, mean } from '../score/statistics.ts';
import { figure, type Table } from '../score/table.ts';
import { type DayFigures, precisionOf, SYSTEMS, type SystemName } from './adapt-days.ts';

/** Precision at ten of the queries of the day, and of those of the day before, asked again. */
const MEASURES = { 'P@10': 'precisions', repeated: 'repeated' } as const;
type Measure = keyof typeof MEASURES;

/** The gain of adapting over another system, per query, from the second day on. */
export interface AdaptGain {
  readonly over: SystemName;
  readonly measure: Measure;
  readonly gain: Interval;
}

/** Returns the gains of adapting, over the same queries. */
export function gainsOf(figures: readonly DayFigures[]): readonly AdaptGain[] {
  return (Object.keys(MEASURES) as Measure[]).flatMap((measure) => {
    const later = (system: SystemName): readonly number[] =>
      figures.filter((one) => one.system === system && one.day > 1).flatMap((one) => one[MEASURES[measure]]);
    const adapted = later('adapt');
    return SYSTEMS.filter((name) => name !== 'adapt').map((over) => {
      const other = later(over);
      return { over, measure, gain: bootstrapMean(adapted.map((value, i) => value - other[i]!)) };
    });
  });
}

/** Returns the figures of all days, and the gains. */
export function adaptTables(figures: readonly DayFigures[], gains: readonly AdaptGain[]): readonly Table[] {
  const rows = figures.map((one) => [
    ...[String(one.day), one.system, figure(precisionOf(one)), figure(mean(one.repeated)), one.cosine.toFixed(4)],
    ...[one.pages, one.newPages, one.fetched].map(String),
  ]);
  const head = ['day', 'system', 'P@10', 'repeated', 'cosine', 'pages', 'new', 'fetched'];
  return [
    { title: 'Days', head, rows },
    {
      title: 'Gain of adapting from day 2 on, with 95 % interval',
      head: ['over', 'measure', 'mean', 'low', 'high', 'queries'],
      rows: gains.map(({ over, measure, gain: { mean, low, high, count } }) => [
        ...[over, measure, figure(mean), figure(low), figure(high), String(count)],
      ]),
    },
  ];
}

/** Returns precision and cosine by day as one SVG file. */
export function adaptPictures(figures: readonly DayFigures[]): string {
  const plots = [
    plotOf(figures, 'Precision at 10', precisionOf),
    plotOf(figures, 'Precision at 10, queries of the day before', ({ repeated }) => mean(repeated)),
    plotOf(figures, 'Mean cosine of pages and queries', ({ cosine }) => cosine),
  ];
  return chartFile(plots, SYSTEMS);
}

function plotOf(figures: readonly DayFigures[], yLabel: string, value: (one: DayFigures) => number): Plot {
  const series = SYSTEMS.map((name) => ({
    name,
    points: figures
      .filter((one) => one.system === name && !Number.isNaN(value(one)))
      .map((one) => [one.day, value(one)] as const),
  }));
  const yMax = Math.max(0.001, ...series.flatMap(({ points }) => points.map(([, y]) => y)));
  const xMax = Math.max(...figures.map(({ day }) => day));
  return { title: yLabel, xLabel: 'day', yLabel, xMax, yMax, series };
}
