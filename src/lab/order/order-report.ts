import { count } from '../../kit/index.ts';
import { type Bars, barPlot, chartFile, escapeMarkup, linePlot, type Plot } from '../../postprocess/index.ts';
import { htmlTable, legend, reportPage, sample } from '../score/report.ts';
import { figure, type Table } from '../score/table.ts';
import type { OrderModel, OrderResult } from './models.ts';

/** Shares of the web, in per cent, at which tables show the curves. */
const STEPS = [5, 10, 20, 30, 40, 60, 80, 100] as const;

const AXES: Readonly<Record<OrderModel, string>> = {
  'crawl-stop': 'P_CS',
  threshold: 'P_ST',
  buffer: 'P_BC',
};

/** A histogram of backlinks, beside the experiments. */
export interface BacklinkHistogram {
  readonly title: string;
  /** Number of pages with 0, 1, 2 … backlinks. */
  readonly pages: readonly number[];
}

/** What a run of `bingo lab order` found. */
export interface OrderReport {
  readonly web: string;
  readonly start: string;
  readonly query: string;
  readonly results: readonly OrderResult[];
  readonly histograms: readonly BacklinkHistogram[];
}

/** Returns a table for each experiment: the measure after these shares of the web. */
export function orderTables(results: readonly OrderResult[]): readonly Table[] {
  return results.map((result) => ({
    title: headline(result),
    head: [AXES[result.experiment.model], ...STEPS.map((step) => `${step} %`)],
    rows: result.curves.map(({ name, values }) => [
      name,
      ...STEPS.map((step) => figure(values[Math.round((step * result.pages) / 100)] ?? Number.NaN)),
    ]),
  }));
}

/** Returns all curves as one SVG file. */
export function orderPictures({ results, histograms }: OrderReport): string {
  const names = results[0]?.curves.map(({ name }) => name) ?? [];
  return chartFile([...results.map(plotOf), ...histograms.map(barsOf)], names);
}

/** Returns the report as one HTML page. */
export function orderPage(report: OrderReport): string {
  const tables = orderTables(report.results);
  const sections = report.results.map(
    (result, i) => `${htmlTable(tables[i]!)}
${legend(result.curves.map(({ name }) => name))}
${linePlot(plotOf(result))}`,
  );
  const histograms = report.histograms.map((one) => `<h2>${escapeMarkup(one.title)}</h2>\n${barPlot(barsOf(one))}`);
  const query = report.query === '' ? '' : ` Query: ${escapeMarkup(report.query)}.`;
  return reportPage(
    `Virtual crawls of ${report.web}`,
    `<p>Start: ${escapeMarkup(report.start)}.${query} P_CS, P_ST and P_BC as in Cho, Garcia-Molina and Page (1998), as shares of 1.</p>
${[...sections, ...histograms].join('\n')}`,
  );
}

function headline({ experiment, pages, hot }: OrderResult): string {
  const of = hot === undefined ? `${count(pages)} pages` : `${count(hot)} hot of ${count(pages)} pages`;
  return `${experiment.title} (${of})`;
}

function plotOf(result: OrderResult): Plot {
  const { experiment, pages, curves } = result;
  return {
    title: experiment.title,
    ...{ xLabel: '% of the web fetched', yLabel: AXES[experiment.model], xMax: 100, yMax: 1 },
    series: curves.map(({ name, values }) => ({
      name,
      points: sample(values.length)
        .filter((k) => k > 0)
        .map((k) => [(100 * k) / pages, values[k]!] as const),
    })),
  };
}

function barsOf({ title, pages }: BacklinkHistogram): Bars {
  return { title, xLabel: 'backlinks', yLabel: 'pages', names: pages.map((_, i) => String(i)), values: pages };
}
