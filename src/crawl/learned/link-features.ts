import {
  BOILERPLATE,
  type CandidateId,
  type Candidates,
  COUNTS,
  CROWD,
  KEPT,
  LIST,
  NUMBERS,
  OFFERED,
  parentOf,
  RELEVANCE_MAX,
  RELEVANCE_SUM,
  SAME_HOST,
  stretchAt,
} from './candidates.ts';

/** Scores of a candidate by the text models. */
export interface TextScores {
  /** Score by the page model's weights. */
  zeroAnchor: number;
  zeroContext: number;
  zeroUrl: number;
  anchor: number;
  context: number;
  place: number;
  /** Score by the words of fetched pages, see `PageWords`. */
  pagesAnchor: number;
  pagesContext: number;
  pagesUrl: number;
}

export function noScores(): TextScores {
  const zero = { zeroAnchor: 0, zeroContext: 0, zeroUrl: 0 };
  return { ...zero, anchor: 0, context: 0, place: 0, pagesAnchor: 0, pagesContext: 0, pagesUrl: 0 };
}

/** Features of a link with their initial weights, set by hand. */
const START = {
  bias: -0.05,
  maxParent: 0.2,
  meanParent: 0.2,
  sumParents: 0.1,
  hubMax: 0.1,
  hubMean: 0.1,
  nearMax: 0.1,
  nearMean: 0.1,
  zeroAnchor: 0.12,
  zeroContext: 0.04,
  zeroUrl: 0.04,
  textAnchor: 0.5,
  textContext: 0.3,
  place: 0.4,
  pagesAnchor: 0,
  pagesContext: 0,
  pagesUrl: 0,
  offers: -0.03,
  boilerplate: -0.05,
  list: 0,
  crowd: 0,
  sameHost: 0,
} as const;

export const FEATURES: readonly string[] = Object.keys(START);
export const START_WEIGHTS: Readonly<Float64Array> = Float64Array.from(Object.values(START));

/** Number of unknown links added to the record of a page as a hub. */
const HUB_DOUBT = 2;

/** Fills `x` (length = `FEATURES.length`) with a candidate's features. Every feature is of the order of 1. */
export function fillFeatures(
  candidate: CandidateId,
  { numbers, counts, offers, first, parents }: Candidates,
  { texts, prior }: { readonly texts: TextScores; readonly prior: number },
  x: Float64Array,
): void {
  let hubMax = 0;
  let hubSum = 0;
  let nearMax = 0;
  let nearSum = 0;
  for (let offer = first[candidate]!; offer !== 0; offer = offers[2 * offer + 1]!) {
    const place = offers[2 * offer]!;
    const parent = parentOf(place);
    const hub = parents.hubRecord(parent, prior, HUB_DOUBT);
    const near = parents.nearRecord(parent, stretchAt(place), prior);
    hubMax = Math.max(hubMax, hub);
    hubSum += hub;
    nearMax = Math.max(nearMax, near);
    nearSum += near;
  }
  const c = COUNTS * candidate;
  const at = NUMBERS * candidate;
  const n = Math.max(1, counts[c + KEPT]!);
  const offered = Math.max(1, numbers[at + OFFERED]!);
  let i = 0;
  x[i++] = 1;
  x[i++] = numbers[at + RELEVANCE_MAX]!;
  x[i++] = numbers[at + RELEVANCE_SUM]! / offered;
  x[i++] = Math.log2(1 + numbers[at + RELEVANCE_SUM]!);
  x[i++] = hubMax;
  x[i++] = hubSum / n;
  x[i++] = nearMax;
  x[i++] = nearSum / n;
  x[i++] = texts.zeroAnchor;
  x[i++] = texts.zeroContext;
  x[i++] = texts.zeroUrl;
  x[i++] = texts.anchor;
  x[i++] = texts.context;
  x[i++] = texts.place;
  x[i++] = texts.pagesAnchor;
  x[i++] = texts.pagesContext;
  x[i++] = texts.pagesUrl;
  x[i++] = Math.log2(offered) / 4;
  x[i++] = counts[c + BOILERPLATE]! / n;
  x[i++] = counts[c + LIST]! / n;
  x[i++] = numbers[at + CROWD]! / n;
  x[i] = counts[c + SAME_HOST]! / n;
}
