import { chartFile, type Plot } from '../../postprocess/index.ts';
import type { CrawlFacts, FoundPage } from './crawl-facts.ts';

/** A crawl in a comparison. */
export interface ComparedCrawl extends CrawlFacts {
  /** Its folder, as the user named it. */
  readonly name: string;
}

/** A share over time: after so many pages of both crawls, or of the one that covers. */
export type ShareOverTime = readonly (readonly [pages: number, share: number])[];

/** How much one crawl found of what another one found. */
export interface Coverage {
  readonly by: string;
  readonly of: string;
  /** Relevant pages of the other that this crawl fetched, and their share of all relevant pages of the other. */
  readonly found: number;
  readonly share: number;
  readonly overTime: ShareOverTime;
}

/** What two crawls have in common. */
export interface Overlap {
  readonly a: string;
  readonly b: string;
  /** Addresses fetched by both, and their share of the addresses of each. */
  readonly urls: Shared;
  readonly hosts: Shared;
  /** The {@link BEST} relevant pages of each with the highest relevance. */
  readonly best: Shared;
  /** Hosts of the best {@link TOP_HOSTS} authorities. */
  readonly authorityHosts: Shared;
  /** Shares of common addresses and hosts, after equally many pages of both (Focused crawling, Fig. 6 and 7). */
  readonly urlsOverTime: ShareOverTime;
  readonly hostsOverTime: ShareOverTime;
}

export interface Shared {
  readonly common: number;
  readonly ofA: number;
  readonly ofB: number;
}

/** Number of authorities by their distance from the seeds: index 0 is a seed. */
export interface Distances {
  readonly crawl: string;
  readonly shortest: readonly number[];
  readonly taken: readonly number[];
}

export interface Comparison {
  readonly crawls: readonly {
    readonly name: string;
    readonly pages: number;
    readonly relevant: number;
    readonly hosts: number;
  }[];
  readonly coverage: readonly Coverage[];
  readonly overlaps: readonly Overlap[];
  readonly distances: readonly Distances[];
}

/** Best pages that are compared. */
export const BEST = 100;
/** Authorities whose hosts are compared, as in Focused crawling §4.4. */
export const TOP_HOSTS = 25;
const POINTS = 100;

/** Compares crawls pair by pair (Focused crawling §4.3 to §4.5). Pages are the same if their final addresses are. */
export function compareCrawls(crawls: readonly ComparedCrawl[]): Comparison {
  const pairs = crawls.flatMap((a, i) => crawls.slice(i + 1).map((b) => [a, b] as const));
  return {
    crawls: crawls.map(({ name, pages }) => ({
      ...{ name, pages: pages.length },
      relevant: pages.filter(({ isRelevant }) => isRelevant).length,
      hosts: new Set(pages.map(({ host }) => host)).size,
    })),
    coverage: pairs.flatMap(([a, b]) => [coverageOf(a, b), coverageOf(b, a)]),
    overlaps: pairs.map(([a, b]) => overlapOf(a, b)),
    distances: crawls.map(({ name, authorities }) => ({
      crawl: name,
      shortest: histogram(authorities.map(({ shortest }) => shortest)),
      taken: histogram(authorities.map(({ taken }) => taken)),
    })),
  };
}

/** Draws a comparison as one SVG file: coverage and overlap over time, and the distances of each crawl. */
export function comparisonChart({ coverage, overlaps, distances }: Comparison): string {
  const names = coverage.map(({ by, of }) => `${by} finds of ${of}`);
  const plots = [
    sharePlot(
      'Relevant pages of the other crawl',
      coverage.map(({ overTime }, i) => [names[i]!, overTime]),
    ),
    sharePlot(
      'Common addresses',
      overlaps.map(({ a, b, urlsOverTime }) => [`${a}, ${b}`, urlsOverTime]),
    ),
    sharePlot(
      'Common hosts',
      overlaps.map(({ a, b, hostsOverTime }) => [`${a}, ${b}`, hostsOverTime]),
    ),
  ];
  const bars = distances.flatMap(({ crawl, shortest, taken }) =>
    [
      { title: `Authorities of ${crawl}: shortest distance`, values: shortest },
      { title: `Authorities of ${crawl}: way taken`, values: taken },
    ].map((one) => ({ ...one, xLabel: 'links from a seed', yLabel: 'pages', names: one.values.map((_, i) => `${i}`) })),
  );
  return chartFile([...(overlaps.length > 0 ? plots : []), ...bars], names);
}

function sharePlot(title: string, lines: readonly (readonly [string, ShareOverTime])[]): Plot {
  const xMax = Math.max(1, ...lines.map(([, points]) => points.at(-1)?.[0] ?? 0));
  const series = lines.map(([name, points]) => ({ name, points }));
  return { title, xLabel: 'pages fetched', yLabel: 'share', xMax, yMax: 1, series };
}

function coverageOf(by: ComparedCrawl, of: ComparedCrawl): Coverage {
  const wanted = new Set(of.pages.filter(({ isRelevant }) => isRelevant).map(({ url }) => url));
  const founds = [0];
  for (const { url } of by.pages) founds.push(founds.at(-1)! + (wanted.delete(url) ? 1 : 0));
  const found = founds.at(-1)!;
  const all = found + wanted.size;
  const share = (k: number): number => (all === 0 ? 0 : founds[k]! / all);
  return {
    ...{ by: by.name, of: of.name, found, share: share(by.pages.length) },
    overTime: steps(by.pages.length).map((k) => [k, share(k)]),
  };
}

function overlapOf(a: ComparedCrawl, b: ComparedCrawl): Overlap {
  const urls = (pages: readonly FoundPage[]): string[] => pages.map(({ url }) => url);
  const hosts = (pages: readonly { readonly host: string }[]): string[] => pages.map(({ host }) => host);
  const length = Math.min(a.pages.length, b.pages.length);
  const over = (of: (pages: readonly FoundPage[]) => string[]): ShareOverTime =>
    steps(length).map((k) => [k, shared(of(a.pages.slice(0, k)), of(b.pages.slice(0, k))).ofA]);
  return {
    ...{
      a: a.name,
      b: b.name,
      urls: shared(urls(a.pages), urls(b.pages)),
      hosts: shared(hosts(a.pages), hosts(b.pages)),
    },
    best: shared(urls(bestOf(a.pages)), urls(bestOf(b.pages))),
    authorityHosts: shared(hosts(a.authorities.slice(0, TOP_HOSTS)), hosts(b.authorities.slice(0, TOP_HOSTS))),
    ...{ urlsOverTime: over(urls), hostsOverTime: over(hosts) },
  };
}

function shared(a: readonly string[], b: readonly string[]): Shared {
  const [inA, inB] = [new Set(a), new Set(b)];
  const common = [...inA].filter((one) => inB.has(one)).length;
  return { common, ofA: inA.size === 0 ? 0 : common / inA.size, ofB: inB.size === 0 ? 0 : common / inB.size };
}

function bestOf(pages: readonly FoundPage[]): readonly FoundPage[] {
  const relevant = pages.filter(({ isRelevant }) => isRelevant);
  return relevant.toSorted((a, b) => b.relevance - a.relevance || b.confidence - a.confidence).slice(0, BEST);
}

function histogram(values: readonly number[]): readonly number[] {
  const counts = Array.from({ length: Math.max(-1, ...values) + 1 }, () => 0);
  for (const value of values) counts[value]! += 1;
  return counts;
}

/** Returns the numbers of pages at which the share is measured, from 0 to all. */
function steps(length: number): readonly number[] {
  const count = Math.min(length, POINTS);
  return Array.from({ length: count + 1 }, (_, i) => (count === 0 ? 0 : Math.round((i * length) / count)));
}
