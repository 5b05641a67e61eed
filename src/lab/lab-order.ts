import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type CanonicalUrl, canonicalize, UsageError } from '../core/index.ts';
import { count, safeJson } from '../kit/index.ts';
import type { LabIo } from './io.ts';
import { analyzeWebs, openCache, tellFailures, tellingOnce } from './lab-run.ts';
import type { HotRule, OrderWeights } from './order/importance.ts';
import { type Experiment, type OrderModel, type OrderResult, runExperiment } from './order/models.ts';
import {
  type BacklinkHistogram,
  type OrderReport,
  orderPage,
  orderPictures,
  orderTables,
} from './order/order-report.ts';
import { defaultStart, isPage, type OrderWeb, orderWeb } from './order/order-web.ts';
import { backlinkHistogram, paperGraphs, SMALL_WEB, smallWebGraph } from './order/paper-graphs.ts';
import type { VirtualOrdering } from './order/virtual-crawl.ts';
import { codeDigest } from './run/analysis-cache.ts';
import type { AnalyzedWeb } from './run/analyzed-web.ts';
import { LabPool } from './run/lab-pool.ts';
import type { LabFailure } from './run/lab-review.ts';
import { loadAnalyses, type WebSource } from './run/loaded-web.ts';
import { taskAnalysis } from './run/run-task.ts';
import { renderTables } from './score/table.ts';
import { webName } from './web/frozen-web.ts';

/** Options of `bingo lab order`. */
export interface LabOrderOptions {
  /** The WARC file. */
  readonly file: string;
  readonly weights: OrderWeights;
  readonly model: OrderModel;
  readonly orderings: readonly VirtualOrdering[];
  /** For the model `threshold`. Default: the most important 1 % of the pages. */
  readonly hot: HotRule;
  /** Pages in the buffer. Default: a tenth of the pages. */
  readonly buffer?: number;
  readonly rankInterval: number;
  readonly seed: number;
  readonly query: string;
  /** Address of the start page. Default: a page with a short address that reaches the most pages. */
  readonly start?: string;
  /** If true, runs the experiments of the paper instead. */
  readonly paper: boolean;
  /** Folder for `order.json`, `table.txt`, `order.svg` and `report.html`. Default: none. */
  readonly out?: string;
  readonly json: boolean;
}

/**
 * `bingo lab order`: runs virtual crawls over a frozen web and measures how soon each ordering fetches important pages
 * (Cho 1998). Resolves with the exit code.
 * @throws UsageError if the file or the start page does not exist
 */
export async function labOrder(options: LabOrderOptions, io: LabIo): Promise<number> {
  const analyzed = await analyzedWeb(options.file, io);
  if (analyzed === undefined) return io.signal.aborted ? 130 : 1;
  const start = startOf(analyzed, options);
  const web = orderWeb(analyzed, { start, query: options.query });
  io.err(`${count(web.size)} pages can be reached from ${web.urls[0]}.\n`);
  if (web.size < 2) throw new UsageError(`No link leads on from ${start}.`, 'Name another page: --start URL.');
  const results: OrderResult[] = [];
  const histograms: BacklinkHistogram[] = [];
  const run = async (place: OrderWeb, experiment: Experiment): Promise<void> => {
    io.err(`${experiment.title}…\n`);
    await new Promise(setImmediate);
    if (!io.signal.aborted) results.push(runExperiment(place, experiment));
  };
  const { rankInterval, seed } = options;
  const buffer = options.buffer ?? Math.max(1, Math.round(web.size / 10));
  if (options.paper) {
    const common = { rankInterval, seed, buffer };
    for (const experiment of paperGraphs(web, options.query, common)) await run(web, experiment);
    const small = orderWeb(analyzed, { start, query: options.query, most: SMALL_WEB });
    await run(small, smallWebGraph(common));
    histograms.push(backlinkHistogram(small));
  } else await run(web, experimentOf(options, web, buffer));
  if (io.signal.aborted) return 130;
  report({ web: webName(options.file), start: web.urls[0]!, query: options.query, results, histograms }, options, io);
  return 0;
}

function experimentOf({ file: _, ...options }: LabOrderOptions, web: OrderWeb, buffer: number): Experiment {
  const { weights, model, orderings, rankInterval, seed } = options;
  const isGiven = Object.values(options.hot).some((value) => value !== undefined);
  const hot = isGiven ? options.hot : { rank: Math.max(1, Math.round(web.size / 100)) };
  const names = Object.entries(weights).map(([name, weight]) => (weight === 1 ? name : `${weight} ${name}`));
  const title = `Importance ${names.join(' + ')}, ${model}`;
  return { title, weights, model, orderings, hot, buffer, rankInterval, seed };
}

async function analyzedWeb(file: string, io: LabIo): Promise<AnalyzedWeb | undefined> {
  const name = webName(file);
  if (!existsSync(file)) throw new UsageError(`${file} does not exist.`, 'Name the WARC file of a frozen web.');
  if (name === basename(file))
    throw new UsageError(`${file} is not a WARC file name.`, 'The name must end with .warc, .warc.gz or .warc.zst.');
  const run = { seed: 1, settings: {} };
  const { cache, release } = openCache();
  const source: WebSource = { folder: dirname(file), cache, settings: taskAnalysis(run), code: codeDigest() };
  const pool = new LabPool(availableParallelism(), { role: 'lab', source, options: run });
  const failures: LabFailure[] = [];
  try {
    await analyzeWebs(pool, [name], source, tellingOnce(io), failures);
    tellFailures(failures, io);
    if (failures.length > 0 || io.signal.aborted) return undefined;
    return await loadAnalyses(source, name, (message) => io.err(`${message}\n`));
  } finally {
    await pool.close();
    release();
  }
}

function startOf(analyzed: AnalyzedWeb, { file, start }: LabOrderOptions): CanonicalUrl {
  if (start === undefined) {
    const found = defaultStart(analyzed);
    if (found === undefined) throw new UsageError(`${file} has no page that can be read.`);
    return found;
  }
  const url = canonicalize(start);
  if (url === undefined || !isPage(analyzed, url))
    throw new UsageError(`${file} has no page ${start}.`, 'Name a page of the archive: --start URL.');
  return url;
}

function report(found: OrderReport, { out, json }: LabOrderOptions, io: LabIo): void {
  const text = renderTables(orderTables(found.results));
  const data = `${safeJson(plain(found))}\n`;
  io.out(json ? data : text);
  if (out === undefined) return;
  mkdirSync(out, { recursive: true });
  const files = {
    'order.json': data,
    'table.txt': text,
    'order.svg': orderPictures(found),
    'report.html': orderPage(found),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content);
  io.err(
    `Written: ${Object.keys(files)
      .map((name) => join(out, name))
      .join(', ')}\n`,
  );
}

/** The report as plain data: curves as arrays, by the number of fetched pages. */
function plain({ results, ...rest }: OrderReport): object {
  return {
    ...rest,
    results: results.map(({ curves, ...result }) => ({
      ...result,
      curves: curves.map(({ name, values }) => ({ name, values: [...values] })),
    })),
  };
}
