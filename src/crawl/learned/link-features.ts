import { LINK_FLAG } from '../../core/index.ts';
import type { Words } from './link-words.ts';

/** Stretches of a page in which its links' outcomes are counted. */
const STRETCHES = 32;

/** What an outcome says of links two stretches before it, one before, … two after: about exp(−distance). */
const NEARNESS = Float64Array.of(0.14, 0.37, 1, 0.37, 0.14);
const REACH = 2;

/** A fetched page as the parent of links: what it is, and what its links turned out to be. */
export class Parent {
  readonly relevance: number;
  readonly host: string;
  /** How many links it has, on a logarithmic scale: 1 is 255. */
  readonly crowd: number;
  /** Known children and the sum of their relevance, by stretch; made when the first is known. */
  #outcomes: Float32Array | undefined;
  #count = 0;
  #sum = 0;

  constructor(relevance: number, host: string, links: number) {
    this.relevance = relevance;
    this.host = host;
    this.crowd = Math.log2(1 + links) / 8;
  }

  /** One of its links led to a page of this relevance. */
  learn(position: number, relevance: number): void {
    this.#outcomes ??= new Float32Array(2 * STRETCHES);
    const at = stretchOf(position);
    this.#outcomes[at]! += 1;
    this.#outcomes[STRETCHES + at]! += relevance;
    this.#count++;
    this.#sum += relevance;
  }

  /** Mean relevance of its known children, shrunken to `prior` as if `strength` of them were unknown. */
  hubRecord(prior: number, strength: number): number {
    return (this.#sum + strength * prior) / (this.#count + strength);
  }

  /** The same for the neighbourhood of a place on the page, shrunken to the page's own record. */
  nearRecord(position: number, prior: number, strength: number): number {
    const record = this.hubRecord(prior, strength);
    if (this.#outcomes === undefined) return record;
    const outcomes = this.#outcomes;
    const at = stretchOf(position);
    const last = Math.min(STRETCHES - 1, at + REACH);
    let weight = strength;
    let sum = strength * record;
    for (let stretch = Math.max(0, at - REACH); stretch <= last; stretch++) {
      const nearness = NEARNESS[stretch - at + REACH]!;
      weight += nearness * outcomes[stretch]!;
      sum += nearness * outcomes[STRETCHES + stretch]!;
    }
    return sum / weight;
  }
}

function stretchOf(position: number): number {
  return Math.min(STRETCHES - 1, Math.max(0, Math.floor(position * STRETCHES)));
}

/** One offer of a URL: from which page, where on it. */
export interface Offer {
  readonly parent: Parent;
  readonly position: number;
  readonly flags: number;
}

/** A URL of the frontier with all that is known of it. */
export interface Candidate {
  readonly host: string;
  /** The first ones. */
  readonly offers: Offer[];
  offered: number;
  relevanceSum: number;
  relevanceMax: number;
  /** See `placeOf`; the others are words of the text. */
  anchorWords: Words;
  contextWords: Words;
  readonly urlWords: Words;
  places: Words;
  /** What the page model's weights say of anchor, context and URL, and the model that said so. */
  zeroAnchor: number;
  zeroContext: number;
  zeroUrl: number;
  zeroModel: number;
  /** As of its last scoring. */
  score: number;
}

/** Offers of one URL that are kept one by one; of later ones the sums alone. */
export const MAX_OFFERS = 16;

/** What the text models say of a candidate. */
export interface TextScores {
  anchor: number;
  context: number;
  place: number;
  /** By the words of fetched pages, see `PageWords`. */
  pagesAnchor: number;
  pagesContext: number;
  pagesUrl: number;
}

/** Features of a link with the weights that hand-set judgement starts from, before anything was learned. */
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

/** Fills `x` (length = `FEATURES.length`) with a candidate's features; every feature is of the order of 1. */
export function fillFeatures(candidate: Candidate, texts: TextScores, prior: number, x: Float64Array): void {
  const { offers } = candidate;
  let hubMax = 0;
  let hubSum = 0;
  let nearMax = 0;
  let nearSum = 0;
  let boilerplate = 0;
  let list = 0;
  let crowd = 0;
  let sameHost = 0;
  for (const { parent, position, flags } of offers) {
    const hub = parent.hubRecord(prior, 2);
    const near = parent.nearRecord(position, prior, 1);
    hubMax = Math.max(hubMax, hub);
    hubSum += hub;
    nearMax = Math.max(nearMax, near);
    nearSum += near;
    if (flags & LINK_FLAG.boilerplate) boilerplate++;
    if (flags & LINK_FLAG.list) list++;
    crowd += parent.crowd;
    if (parent.host === candidate.host) sameHost++;
  }
  const n = Math.max(1, offers.length);
  let i = 0;
  x[i++] = 1;
  x[i++] = candidate.relevanceMax;
  x[i++] = candidate.relevanceSum / Math.max(1, candidate.offered);
  x[i++] = Math.log2(1 + candidate.relevanceSum);
  x[i++] = hubMax;
  x[i++] = hubSum / n;
  x[i++] = nearMax;
  x[i++] = nearSum / n;
  x[i++] = candidate.zeroAnchor;
  x[i++] = candidate.zeroContext;
  x[i++] = candidate.zeroUrl;
  x[i++] = texts.anchor;
  x[i++] = texts.context;
  x[i++] = texts.place;
  x[i++] = texts.pagesAnchor;
  x[i++] = texts.pagesContext;
  x[i++] = texts.pagesUrl;
  x[i++] = Math.log2(Math.max(1, candidate.offered)) / 4;
  x[i++] = boilerplate / n;
  x[i++] = list / n;
  x[i++] = crowd / n;
  x[i] = sameHost / n;
}
