import type { TermCounts } from '../../core/index.ts';
import { type Random, seededRandom } from '../../kit/index.ts';
import { mutualInformation } from '../../learn/index.ts';
import { type Directions, principalDirections } from './directions.ts';
import { type ClusterRow, clusterSpace, isTerm } from './space.ts';

/** Options of {@link clusterPages}. */
export interface ClusterOptions {
  /** Number of clusters; absent: the number from 1 to `maxClusters` with the lowest impurity. */
  readonly clusters?: number;
  readonly maxClusters?: number;
  /** Number of features used to compare pages, and of directions to which they are reduced. */
  readonly features?: number;
  readonly directions?: number;
  /** Runs of K-means per number of clusters; the tightest result is kept. */
  readonly starts?: number;
  readonly seed?: number;
}

/**
 * Our choices, tuned on labels of the frozen webs (`npm run bench:clusters`): fewer directions blur small groups,
 * more restore the noise that they should remove.
 */
const CLUSTER_DEFAULTS: Required<Omit<ClusterOptions, 'clusters'>> = Object.freeze({
  maxClusters: 12,
  features: 400,
  directions: 24,
  starts: 4,
  seed: 1,
});

/** Position of a page among the clusters. */
export interface Placement {
  /** Number of the cluster, from 0. */
  readonly cluster: number;
  /** Cosine between the page and its cluster's centre: 1 = typical. */
  readonly closeness: number;
  /** Coordinates along the two main directions, for a picture. */
  readonly x: number;
  readonly y: number;
}

/** One group of pages. */
export interface Cluster {
  /** Pages of the sample in it. */
  readonly size: number;
  /** Terms that distinguish it, the most characteristic first. */
  readonly terms: readonly string[];
}

/** Impurity of the clustering with this many clusters. */
export interface Impurity {
  readonly clusters: number;
  /** In nats per page; see {@link impurityOf}. */
  readonly impurity: number;
}

export interface Clustering {
  /** Largest first. */
  readonly clusters: readonly Cluster[];
  /** One per input page; `undefined` for a page without any of the chosen features. */
  readonly placements: readonly (Placement | undefined)[];
  /** All numbers of clusters tried, in order. */
  readonly impurities: readonly Impurity[];
  /** Assigns another page to the nearest cluster. */
  readonly place: (bag: TermCounts | undefined) => Placement | undefined;
}

const LABEL_TERMS = 8;
const MAX_ITERATIONS = 60;

/**
 * Groups pages by content: K-means (BINGO! §3.6) over the features with the greatest variance, reduced to their main
 * directions and scaled to length 1. Equal pages in equal order give equal clusters.
 * @param bags features of the pages, see `comparedBags`; at most a few thousand
 */
export async function clusterPages(
  bags: readonly (TermCounts | undefined)[],
  options: ClusterOptions = {},
): Promise<Clustering> {
  // Loading takes a tenth of a second, so other commands do not load it.
  const { kmeans } = await import('ml-kmeans');
  const settings = { ...CLUSTER_DEFAULTS, ...options };
  const space = clusterSpace(bags, settings.features);
  const rows = bags.map(space.row);
  const used = rows.filter((row) => row !== undefined);
  if (used.length === 0)
    return { clusters: [], placements: bags.map(() => undefined), impurities: [], place: () => undefined };
  const directions = principalDirections(used, space.names.length, settings.directions);
  const points = used.map((row) => toLengthOne(directions.project(row)));
  const tries = numbersToTry(settings, points).map((k) => {
    const solution = bestOf(points, k, { ...settings, kmeans });
    return { ...solution, clusters: k, impurity: impurityOf(used, solution.members, k, space.names.length) };
  });
  const best = tries.reduce((a, b) => (b.impurity < a.impurity ? b : a));
  const { members, centres } = largestFirst(best);
  const place = (row: ClusterRow | undefined): Placement | undefined =>
    row === undefined ? undefined : placed(row, directions, centres);
  return {
    clusters: centres.map((_, cluster) => ({
      size: members.filter((member) => member === cluster).length,
      terms: characteristic(used, members, { cluster, names: space.names }),
    })),
    placements: rows.map(place),
    impurities: tries.map(({ clusters, impurity }) => ({ clusters, impurity })),
    place: (bag) => place(space.row(bag)),
  };
}

/** There cannot be more clusters than different pages. */
function numbersToTry(
  { clusters, maxClusters }: { readonly clusters?: number; readonly maxClusters: number },
  points: readonly (readonly number[])[],
): number[] {
  const distinct = new Set(points.map((point) => point.join())).size;
  if (clusters !== undefined) return [Math.min(clusters, distinct)];
  return Array.from({ length: Math.min(maxClusters, distinct) }, (_, i) => i + 1);
}

interface Solution {
  /** Cluster by point. */
  readonly members: readonly number[];
  readonly centres: readonly (readonly number[])[];
}

type KMeans = typeof import('ml-kmeans').kmeans;

function bestOf(
  points: readonly number[][],
  k: number,
  { starts, seed, kmeans }: { readonly starts: number; readonly seed: number; readonly kmeans: KMeans },
): Solution {
  let best: (Solution & { readonly scatter: number }) | undefined;
  for (let start = 0; start < (k === 1 ? 1 : starts); start++) {
    const initialization = firstCentres(points, k, seededRandom(seed + start));
    const found = kmeans([...points], k, { initialization, maxIterations: MAX_ITERATIONS });
    const members = [...found.clusters];
    const scatter = points.reduce((sum, point, i) => sum + squared(point, found.centroids[members[i]!]!), 0);
    if (best === undefined || scatter < best.scatter) best = { members, centres: found.centroids, scatter };
  }
  return best!;
}

/**
 * k-means++: each next centre is drawn with a probability proportional to its squared distance from the previous
 * ones. Our own version, so that it uses our random generator and works if all pages are equal.
 */
function firstCentres(points: readonly number[][], k: number, random: Random): number[][] {
  const centres = [points[Math.floor(random() * points.length)]!];
  const nearest = points.map((point) => squared(point, centres[0]!));
  while (centres.length < k) {
    const chosen = drawn(nearest, random);
    centres.push(points[chosen]!);
    for (const [i, point] of points.entries()) nearest[i] = Math.min(nearest[i]!, squared(point, points[chosen]!));
  }
  return centres.map((centre) => [...centre]);
}

/** Draws an index with a probability proportional to its weight; never weight 0 if others are positive. */
function drawn(weights: readonly number[], random: Random): number {
  let left = random() * weights.reduce((a, b) => a + b, 0);
  for (const [place, weight] of weights.entries()) {
    left -= weight;
    if (weight > 0 && left <= 0) return place;
  }
  return weights.indexOf(Math.max(...weights));
}

/**
 * Cost of describing a page after its cluster, in nats: the entropy of each feature's presence within the cluster,
 * the entropy of the clusters, and half a logarithm of the number of pages per parameter (Rissanen 1978). The
 * entropies alone fall with every further cluster, to zero if each page is one. BINGO! §3.6 uses an entropy-based
 * impurity without defining it; this one finds 1 for pages of one label on our frozen webs.
 */
function impurityOf(
  rows: readonly ClusterRow[],
  members: readonly number[],
  clusters: number,
  features: number,
): number {
  const pages = rows.length;
  const sizes = new Float64Array(clusters);
  const present = new Float64Array(clusters * features);
  rows.forEach((row, i) => {
    sizes[members[i]!]!++;
    for (const column of row.columns) present[members[i]! * features + column]!++;
  });
  let entropy = 0;
  for (let c = 0; c < clusters; c++) {
    const size = sizes[c]!;
    if (size === 0) continue;
    entropy -= (size / pages) * Math.log(size / pages);
    for (let f = 0; f < features; f++) entropy += (size / pages) * binaryEntropy(present[c * features + f]! / size);
  }
  return entropy + (clusters * features * Math.log(pages)) / (2 * pages);
}

function binaryEntropy(p: number): number {
  return p <= 0 || p >= 1 ? 0 : -p * Math.log(p) - (1 - p) * Math.log(1 - p);
}

/** Drops empty clusters and numbers the others by size; ties in the order of their first page. */
function largestFirst({ members, centres }: Solution): Solution {
  const sizes = new Map<number, number>();
  for (const member of members) sizes.set(member, (sizes.get(member) ?? 0) + 1);
  const order = [...sizes.keys()].sort(
    (a, b) => sizes.get(b)! - sizes.get(a)! || members.indexOf(a) - members.indexOf(b),
  );
  const number = new Map(order.map((old, place) => [old, place]));
  return { members: members.map((member) => number.get(member)!), centres: order.map((old) => centres[old]!) };
}

function placed(row: ClusterRow, directions: Directions, centres: Solution['centres']): Placement {
  const at = directions.project(row);
  const point = toLengthOne(at);
  const distances = centres.map((centre) => squared(point, centre));
  const cluster = distances.indexOf(Math.min(...distances));
  return { cluster, closeness: dot(point, toLengthOne(centres[cluster]!)), x: at[0] ?? 0, y: at[1] ?? 0 };
}

/**
 * Returns the terms with the greatest mutual information with the cluster, or the most frequent ones if there is
 * only one cluster.
 */
function characteristic(
  rows: readonly ClusterRow[],
  members: readonly number[],
  { cluster, names }: { readonly cluster: number; readonly names: readonly string[] },
): readonly string[] {
  const inside = new Float64Array(names.length);
  const all = new Float64Array(names.length);
  let inTopic = 0;
  rows.forEach(({ columns }, i) => {
    const own = members[i] === cluster ? 1 : 0;
    inTopic += own;
    for (const column of columns) {
      all[column]!++;
      inside[column]! += own;
    }
  });
  const documents = rows.length;
  const score = (column: number): number =>
    inTopic === documents
      ? all[column]!
      : mutualInformation({ documents, inTopic, withFeature: all[column]!, both: inside[column]! });
  return [...names.keys()]
    .filter((column) => inside[column]! > 0 && isTerm(names[column]!))
    .sort((a, b) => score(b) - score(a) || a - b)
    .slice(0, LABEL_TERMS)
    .map((column) => names[column]!);
}

function toLengthOne(point: readonly number[]): number[] {
  const length = Math.hypot(...point);
  return length > 0 ? point.map((x) => x / length) : [...point];
}

function squared(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return sum;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}
