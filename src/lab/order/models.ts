import { type HotRule, hotPages, importanceOf, type OrderWeights, trueMeasures } from './importance.ts';
import type { OrderWeb } from './order-web.ts';
import { VirtualCrawl, type VirtualCrawlOptions, type VirtualOrdering } from './virtual-crawl.ts';

/**
 * What a crawl is measured by (Cho 1998 §3). `crawl-stop`: the share of the K most important pages among the first K
 * fetched. `threshold`: the share of the hot pages fetched. `buffer`: the share of hot pages in a buffer of limited
 * size, from which the crawler drops the page that it holds for least important.
 */
export const ORDER_MODELS = ['crawl-stop', 'threshold', 'buffer'] as const;
export type OrderModel = (typeof ORDER_MODELS)[number];

/** One experiment: an importance metric, a model, and the orderings that are compared. */
export interface Experiment {
  readonly title: string;
  readonly weights: OrderWeights;
  readonly model: OrderModel;
  /** For `threshold`. */
  readonly hot: HotRule;
  /** Pages in the buffer, for `buffer`. */
  readonly buffer: number;
  readonly orderings: readonly VirtualOrdering[];
  readonly rankInterval: number;
  readonly seed: number;
}

/** A share by the number of fetched pages: `values[k]` after k pages, in [0,1]. */
export interface Curve {
  readonly name: string;
  readonly values: Float64Array;
}

export interface OrderResult {
  readonly experiment: Experiment;
  /** Pages that can be reached. */
  readonly pages: number;
  /** Hot pages; for `crawl-stop`, where they depend on K, undefined. */
  readonly hot: number | undefined;
  /** The orderings, then the ideal crawler and one that fetches at random. */
  readonly curves: readonly Curve[];
}

/** Runs one experiment. */
export function runExperiment(web: OrderWeb, experiment: Experiment): OrderResult {
  const importance = importanceOf(trueMeasures(web), experiment.weights, web.size);
  const judge = JUDGES[experiment.model](web, importance, experiment);
  const curves = experiment.orderings.map((ordering) => ({
    name: ordering,
    values: judge.measure({ ...crawlOptions(experiment), ordering }),
  }));
  const points = (value: (fetched: number) => number): Float64Array =>
    Float64Array.from({ length: web.size + 1 }, (_, k) => Math.min(1, value(k)));
  return {
    ...{ experiment, pages: web.size, hot: judge.hot },
    curves: [
      ...curves,
      { name: 'ideal', values: points(judge.ideal) },
      { name: 'random (expected)', values: points(judge.random) },
    ],
  };
}

function crawlOptions({ rankInterval, seed, hot }: Experiment): Omit<VirtualCrawlOptions, 'ordering'> {
  return { rankInterval, seed, words: hot.words };
}

/** How a model measures a crawl. */
interface Judge {
  readonly hot: number | undefined;
  readonly measure: (options: VirtualCrawlOptions) => Float64Array;
  readonly ideal: (fetched: number) => number;
  /** Expected of a crawler that fetches at random. */
  readonly random: (fetched: number) => number;
}

const JUDGES: Readonly<Record<OrderModel, (web: OrderWeb, importance: Float64Array, experiment: Experiment) => Judge>> =
  {
    'crawl-stop': (web, importance) => ({
      hot: undefined,
      measure: (options) => crawlAndStop(fetchedBy(web, options), importance),
      ideal: (k) => (k === 0 ? 0 : 1),
      random: (k) => k / web.size,
    }),
    threshold: (web, importance, { hot: rule }) => {
      const isHot = hotPages(web, importance, rule);
      const hot = isHot.reduce((sum, one) => sum + one, 0);
      return {
        hot,
        measure: (options) => shareFetched(fetchedBy(web, options), isHot, { hot, size: web.size }),
        ideal: (k) => (hot === 0 ? 0 : k / hot),
        random: (k) => k / web.size,
      };
    },
    buffer: (web, importance, experiment) => {
      const size = Math.min(experiment.buffer, web.size);
      const isHot = hotPages(web, importance, { rank: size });
      const hot = isHot.reduce((sum, one) => sum + one, 0);
      return {
        hot,
        measure: (options) =>
          buffered(new VirtualCrawl(web, options), web.size, { isHot, size, weights: experiment.weights }),
        ideal: (k) => k / size,
        random: (k) => (Math.min(k, size) / size) * (hot / web.size),
      };
    },
  };

/** Orders of fetching that experiments on one web share: they do not depend on importance. */
const ORDERS = new WeakMap<OrderWeb, Map<string, readonly number[]>>();

function fetchedBy(web: OrderWeb, options: VirtualCrawlOptions): readonly number[] {
  const known = ORDERS.get(web) ?? new Map<string, readonly number[]>();
  ORDERS.set(web, known);
  const { ordering, rankInterval, seed, words = '' } = options;
  const key = [ordering, rankInterval, seed, words].join(' ');
  const fetched = known.get(key) ?? orderOf(new VirtualCrawl(web, options));
  known.set(key, fetched);
  return fetched;
}

function orderOf(crawl: VirtualCrawl): readonly number[] {
  const fetched: number[] = [];
  for (let page = crawl.next(); page !== undefined; page = crawl.next()) fetched.push(page);
  return fetched;
}

/** P_CS for each K: pages at least as important as the K-th most important one, among the first K. */
function crawlAndStop(fetched: readonly number[], importance: Float64Array): Float64Array {
  const shares = new Float64Array(fetched.length + 1);
  const sorted = importance.toSorted();
  for (let k = 1; k <= fetched.length; k++) {
    const floor = sorted[sorted.length - k]!;
    let hot = 0;
    for (let i = 0; i < k; i++) if (importance[fetched[i]!]! >= floor) hot++;
    shares[k] = hot / k;
  }
  return shares;
}

/** P_ST after each page. */
function shareFetched(
  fetched: readonly number[],
  isHot: Uint8Array,
  { hot, size }: { readonly hot: number; readonly size: number },
): Float64Array {
  const shares = new Float64Array(size + 1);
  let found = 0;
  for (const [i, page] of fetched.entries()) {
    found += isHot[page]!;
    shares[i + 1] = hot === 0 ? 0 : found / hot;
  }
  return shares;
}

/** P_BC after each page: hot pages in the buffer by its size. */
function buffered(
  crawl: VirtualCrawl,
  pages: number,
  { isHot, size, weights }: { readonly isHot: Uint8Array; readonly size: number; readonly weights: OrderWeights },
): Float64Array {
  const shares = new Float64Array(pages + 1);
  const buffer: number[] = [];
  let hot = 0;
  let k = 0;
  for (let page = crawl.next(); page !== undefined; page = crawl.next()) {
    buffer.push(page);
    hot += isHot[page]!;
    if (buffer.length > size) {
      const values = importanceOf(crawl.known, weights, pages);
      const least = buffer.reduce((worst, own, i) => (values[own]! <= values[buffer[worst]!]! ? i : worst), 0);
      hot -= isHot[buffer[least]!]!;
      buffer.splice(least, 1);
    }
    shares[++k] = hot / size;
  }
  return shares;
}
