import { UsageError } from '../../core/index.ts';
import { chartFile } from '../../postprocess/index.ts';
import type { CrawlFacts } from './crawl-facts.ts';

/** How a crawl's best pages fare against a list, as in Tables 2 and 3 of the BINGO! paper. */
export interface BestScore {
  /** Number of best pages that are counted, by the confidence of the classifier. */
  readonly best: number;
  /** How many of them are on the list: their address begins with one of its addresses. */
  readonly matching: number;
  /** Their share of the best pages; 0 without pages. */
  readonly precision: number;
  /** Addresses of the list of which a page is among the best, and their share of the list. */
  readonly found: number;
  readonly recall: number;
}

export interface ListScore {
  /** Different addresses of the list. */
  readonly listed: number;
  /** Relevant pages of the crawl. */
  readonly relevant: number;
  readonly scores: readonly BestScore[];
  /** Recall over the pages fetched, relevant or not, in the order of fetching. */
  readonly recallOverTime: readonly (readonly [pages: number, recall: number])[];
  /** Addresses of the list that no page begins with, in its order. */
  readonly missing: readonly string[];
}

const BEST = [100, 500, 1_000, 5_000] as const;
const POINTS = 200;

/**
 * Compares a crawl with a list of known addresses. A page belongs to an address if its own begins with it, at the end of a
 * name of the path; scheme, `www.` and `index.html` are ignored.
 * @throws UsageError if the list is empty
 */
export function scoreCrawl({ pages }: Pick<CrawlFacts, 'pages'>, list: readonly string[]): ListScore {
  const known = new Map(list.map((url) => [plainAddress(url), url]));
  known.delete('');
  if (known.size === 0) throw new UsageError('The list has no address.', 'Name a file with one web address per line.');
  const entries = pages.map(({ url }) => entriesOf(plainAddress(url), known));
  const relevant = pages.map((page, i) => ({ page, entries: entries[i]! })).filter(({ page }) => page.isRelevant);
  const ranked = relevant.toSorted((a, b) => b.page.confidence - a.page.confidence);
  const sizes = [...BEST.filter((best) => best < ranked.length), ranked.length];
  const found = new Set<string>();
  const growth = entries.map((own) => {
    for (const entry of own) found.add(entry);
    return found.size / known.size;
  });
  const step = Math.max(1, Math.ceil(growth.length / POINTS));
  return {
    listed: known.size,
    relevant: ranked.length,
    scores: sizes.map((best) =>
      bestScore(
        ranked.slice(0, best).map((one) => one.entries),
        known.size,
      ),
    ),
    recallOverTime: growth.flatMap((recall, i) =>
      (i + 1) % step === 0 || i === growth.length - 1 ? [[i + 1, recall] as const] : [],
    ),
    missing: [...known].flatMap(([address, url]) => (found.has(address) ? [] : [url])),
  };
}

/** Draws precision and recall of the best pages, and recall over time, as one SVG file. */
export function scoreChart({ scores, recallOverTime }: ListScore): string {
  const xMax = Math.max(1, scores.at(-1)?.best ?? 1);
  const line = (name: 'precision' | 'recall') => ({
    name,
    points: scores.map((one) => [one.best, one[name]] as const),
  });
  return chartFile(
    [
      {
        ...{ title: 'Best pages against the list', xLabel: 'best pages', yLabel: 'share', xMax, yMax: 1 },
        series: [line('precision'), line('recall')],
      },
      {
        ...{ title: 'Addresses of the list found', xLabel: 'pages fetched', yLabel: 'recall', yMax: 1 },
        xMax: Math.max(1, recallOverTime.at(-1)?.[0] ?? 1),
        series: [{ name: 'recall', points: [[0, 0] as const, ...recallOverTime] }],
      },
    ],
    ['precision', 'recall'],
  );
}

function bestScore(pages: readonly (readonly string[])[], listed: number): BestScore {
  const matching = pages.filter((entries) => entries.length > 0).length;
  const found = new Set(pages.flat()).size;
  const precision = pages.length === 0 ? 0 : matching / pages.length;
  return { best: pages.length, matching, precision, found, recall: found / listed };
}

/** Returns the addresses of the list with which an address begins. */
function entriesOf(address: string, known: ReadonlyMap<string, string>): readonly string[] {
  const names = address.split('/');
  return names.map((_, i) => names.slice(0, i + 1).join('/')).filter((prefix) => known.has(prefix));
}

/** Reduces an address to what is compared: host and path, without an ending slash. `''` if it is no web address. */
function plainAddress(url: string): string {
  if (!URL.canParse(url)) return '';
  const { host, pathname, search } = new URL(url);
  const path = pathname.replace(/\/(index|default)\.\w{3,5}$/i, '/').replace(/\/+$/, '');
  return `${host.replace(/^www\./, '')}${path}${search}`;
}
