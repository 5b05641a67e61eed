import { type CanonicalUrl, canonicalize } from '../../core/index.ts';
import { seededRandom, shuffled } from '../../kit/index.ts';
import { mean } from '../score/statistics.ts';
import { isLabelled, type Labels } from '../tasks/labels.ts';
import { meanCosine } from './collection-measures.ts';
import type { Asked } from './drifting-queries.ts';

/** Results that count. */
const TOP = 10;

/** A workspace under test. The caller makes it. */
export interface AdaptedSystem {
  /** Crawls breadth first from the examples: the first collection. */
  begin(pages: number): Promise<void>;
  /** Crawls the topic as `bingo crawl` does. */
  crawl(pages: number): Promise<void>;
  /** Replaces the pages by those that fit the queries. Returns the pages it fetched. */
  adapt(queries: readonly string[], pages: number): Promise<number>;
  /** Returns the addresses of the best results. */
  search(query: string, limit: number): Promise<readonly string[]>;
  /** Returns the crawled pages. */
  pages(): Promise<readonly { readonly url: string; readonly text: string }[]>;
  close(): Promise<void>;
}

/** Makes an empty workspace with the topic of the community. */
export type OpenSystem = (name: string) => Promise<AdaptedSystem>;

export const SYSTEMS = ['no adaptation', 'plain recrawl', 'adapt'] as const;
export type SystemName = (typeof SYSTEMS)[number];

/** One system on one day. */
export interface DayFigures {
  /** From 1. */
  readonly day: number;
  readonly system: SystemName;
  /** Precision at ten of each query of the day. */
  readonly precisions: readonly number[];
  /** The same for the queries of the day before, asked again; empty on the first day. */
  readonly repeated: readonly number[];
  /** Mean cosine of the collection and the queries of the day. */
  readonly cosine: number;
  readonly pages: number;
  /** Pages that the collection of the day before lacks. */
  readonly newPages: number;
  /** Pages fetched in the night before. */
  readonly fetched: number;
}

/** What {@link simulateDays} needs. */
export interface DaysInput {
  readonly open: OpenSystem;
  readonly labels: Labels;
  /** Queries by day. */
  readonly days: readonly (readonly Asked[])[];
  /** Pages of a collection, at most. */
  readonly pages: number;
  /** Queries drawn each night to adapt to; the paper's random sample. */
  readonly sample: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onDay: (day: number) => void;
}

/**
 * Lets three systems answer the same queries for some days: one keeps its first collection, one crawls its topic again each
 * night, one adapts each night to the queries of the day. All begin with the same collection.
 */
export async function simulateDays(input: DaysInput): Promise<readonly DayFigures[]> {
  const { open, days, pages, signal, onDay } = input;
  const random = seededRandom(input.seed);
  const systems = new Map<SystemName, Running>();
  for (const name of SYSTEMS) {
    const system = await open(name.replaceAll(' ', '-'));
    await system.begin(pages);
    systems.set(name, { system, known: new Set(), fetched: 0 });
  }
  const figures: DayFigures[] = [];
  try {
    for (const [day, asked] of days.entries()) {
      if (signal.aborted) break;
      for (const [name, running] of systems)
        figures.push(await figuresOf(name, running, { day, asked, before: days[day - 1] ?? [], labels: input.labels }));
      onDay(day + 1);
      const queries = shuffled([...new Set(asked.map(({ query }) => query))], random).slice(0, input.sample);
      if (day < days.length - 1) await night(systems, { queries, day, pages, open });
    }
  } finally {
    for (const { system } of systems.values()) await system.close();
  }
  return figures;
}

interface Running {
  system: AdaptedSystem;
  known: ReadonlySet<string>;
  fetched: number;
}

async function night(
  systems: ReadonlyMap<SystemName, Running>,
  {
    queries,
    day,
    pages,
    open,
  }: Pick<DaysInput, 'pages' | 'open'> & { readonly queries: readonly string[]; readonly day: number },
): Promise<void> {
  const recrawl = systems.get('plain recrawl')!;
  await recrawl.system.close();
  recrawl.system = await open(`recrawl-${day + 1}`);
  await recrawl.system.crawl(pages);
  recrawl.fetched = (await recrawl.system.pages()).length;
  const adapted = systems.get('adapt')!;
  adapted.fetched = await adapted.system.adapt(queries, pages);
}

interface Day {
  readonly day: number;
  readonly asked: readonly Asked[];
  readonly before: readonly Asked[];
  readonly labels: Labels;
}

async function figuresOf(
  system: SystemName,
  running: Running,
  { day, asked, before, labels }: Day,
): Promise<DayFigures> {
  const precisionsOf = async (queries: readonly Asked[]): Promise<readonly number[]> => {
    const precisions: number[] = [];
    for (const { query, subject } of queries) {
      const results = await running.system.search(query, TOP);
      precisions.push(results.filter((url) => isOf(url, subject, labels)).length / TOP);
    }
    return precisions;
  };
  const stored = await running.system.pages();
  const urls = new Set(stored.map(({ url }) => url));
  const newPages = day === 0 ? 0 : [...urls].filter((url) => !running.known.has(url)).length;
  running.known = urls;
  const texts = stored.map(({ text }) => text);
  return {
    ...{ day: day + 1, system, precisions: await precisionsOf(asked), repeated: await precisionsOf(before) },
    cosine: meanCosine(
      texts,
      asked.map(({ query }) => query),
    ),
    ...{ pages: urls.size, newPages, fetched: running.fetched },
  };
}

function isOf(url: string, subject: string, labels: Labels): boolean {
  const paths = labels.get(canonicalize(url) ?? ('' as CanonicalUrl)) ?? [];
  return paths.some((path) => isLabelled(path, [subject]));
}

/** Mean precision of a system on a day. */
export function precisionOf({ precisions }: Pick<DayFigures, 'precisions'>): number {
  return mean(precisions);
}
