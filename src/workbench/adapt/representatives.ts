import { seededRandom } from '../../kit/index.ts';
import { readQuery } from '../../postprocess/index.ts';
import { type LogEntry, queryKey } from '../queries/query-log.ts';

/** A query that stands for others in an adaptation. */
export interface Representative {
  readonly query: string;
  /** Share of the weight of all queries considered, in [0,1]. */
  readonly share: number;
  /** Different queries that it stands for, itself included. */
  readonly stands: number;
}

/** How representative queries are chosen: by clusters with recency weights, or at random as in the paper. */
export const SAMPLES = ['clusters', 'random'] as const;
export type Sample = (typeof SAMPLES)[number];

/** A query counts half as much after a week. Our choice. */
const HALF_LIFE_MS = 7 * 24 * 60 * 60 * 1000;
/** Queries with at least this share of common stems are one cluster. Our choice. */
const ALIKE = 0.5;
/** Only the heaviest queries are clustered. */
const MAX_QUERIES = 5_000;

interface Weighed {
  readonly query: string;
  readonly weight: number;
  readonly stems: ReadonlySet<string>;
}

/**
 * Chooses representative queries from a log, heaviest first. Opened results count like repetitions of their query.
 * @param count maximum number
 * @param seed of the random sample
 */
export function representatives(
  entries: readonly LogEntry[],
  {
    sample,
    count,
    seed,
    now,
  }: { readonly sample: Sample; readonly count: number; readonly seed: number; readonly now: number },
): readonly Representative[] {
  const asked = entries.filter(({ query }) => stemsOf(query).size > 0);
  return sample === 'random' ? atRandom(asked, count, seed) : byClusters(asked, count, now);
}

/** Draws among the times that queries were asked, so that frequent ones are likelier; each query once. */
function atRandom(asked: readonly LogEntry[], count: number, seed: number): readonly Representative[] {
  const random = seededRandom(seed);
  const left = asked.filter(({ opened }) => opened === undefined);
  const drawn = new Map<string, string>();
  while (drawn.size < count && left.length > 0) {
    const at = Math.floor(random() * left.length);
    const { query } = left[at]!;
    left[at] = left.at(-1)!;
    left.pop();
    if (!drawn.has(queryKey(query))) drawn.set(queryKey(query), query);
  }
  return [...drawn.values()].map((query) => ({ query, share: 1 / drawn.size, stands: 1 }));
}

function byClusters(asked: readonly LogEntry[], count: number, now: number): readonly Representative[] {
  const groups = Map.groupBy(asked, ({ query }) => queryKey(query));
  const all = [...groups.values()].map((group): Weighed => {
    const { query } = group.at(-1)!;
    const weight = group.reduce((sum, { at }) => sum + 0.5 ** (Math.max(0, now - at) / HALF_LIFE_MS), 0);
    return { query, weight, stems: stemsOf(query) };
  });
  const heaviest = all.sort((a, b) => b.weight - a.weight).slice(0, MAX_QUERIES);
  const total = heaviest.reduce((sum, { weight }) => sum + weight, 0);
  const clusters: Weighed[][] = [];
  // Heaviest first, so that the first query of a cluster represents it.
  for (const one of heaviest) {
    const near = clusters.find(([first]) => likeness(first!.stems, one.stems) >= ALIKE);
    if (near === undefined) clusters.push([one]);
    else near.push(one);
  }
  return clusters
    .map((cluster) => {
      const weight = cluster.reduce((sum, one) => sum + one.weight, 0);
      return { query: cluster[0]!.query, share: weight / total, stands: cluster.length };
    })
    .sort((a, b) => b.share - a.share)
    .slice(0, count);
}

function stemsOf(query: string): ReadonlySet<string> {
  const { all, any } = readQuery(query);
  return new Set([...all, ...any].map((stems) => stems[0] ?? ''));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((stem) => b.has(stem)).length;
  return common / (a.size + b.size - common);
}
