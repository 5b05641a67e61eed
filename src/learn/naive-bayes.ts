import { freeBytes } from '../kit/index.ts';
import type { Bag } from './corpus.ts';

/** The classes of one inner node with their documents, as bags over one numbering of features. */
export interface BayesInput {
  /** Bags of each class. An empty class has no prior and is never chosen. */
  readonly classes: readonly (readonly Bag[])[];
  /** F(c₀): numbers of the selected features. Occurrences of other features are ignored. */
  readonly features: Int32Array;
  /** Number of feature ids. */
  readonly size: number;
  /** λ, added to every count; > 0. 1 is Laplace's rule as in Focus eq. (1). */
  readonly smoothing: number;
}

/**
 * Multinomial model of one inner node: θ(c,t) = (λ + n(c,t)) / (λ·|F| + n(c)), with n(c) counted within F, so that
 * the sum over F is 1. (Focus eq. 1 has λ = 1 and sums over all terms.) Only the difference to the value of an unseen
 * feature is stored: log θ(c,t) = logUnseen[c] + excess. The excess is 0 for features that a class never holds. Few
 * of hundreds of classes hold a feature.
 *
 *     feature i ─starts→ [holder, excess] [holder, excess] …
 */
export interface BayesModel {
  /** F(c₀), as given. */
  readonly features: Int32Array;
  /** log Pr[c|c₀], the class's share of the documents; −Infinity for an empty class. */
  readonly logPrior: Float64Array;
  /** log θ(c,t) of a feature that the class never holds. */
  readonly logUnseen: Float64Array;
  /** The entries of `features[i]` are `starts[i] … starts[i+1] − 1`. Length = features + 1. */
  readonly starts: Int32Array;
  /** Numbers of the classes that hold the feature, in their order. */
  readonly holders: ClassNumbers;
  /** log(1 + n(c,t)/λ), one per holder. */
  readonly excess: Float32Array;
}

/** Class numbers, of two bytes if there are few classes. */
export type ClassNumbers = Int32Array | Uint16Array;

/** Estimates θ for every class of a node. */
export function trainBayes(input: BayesInput): BayesModel {
  const { features, smoothing, classes } = input;
  const { starts, holders, counts, totals } = countOccurrences(input);
  const documents = classes.reduce((sum, bags) => sum + bags.length, 0);
  return {
    features,
    logPrior: Float64Array.from(classes, (bags) => Math.log(bags.length / documents)),
    logUnseen: Float64Array.from(totals, (total) => logUnseenOf(total, features.length, smoothing)),
    starts,
    holders,
    excess: Float32Array.from(counts, (n) => Math.log1p(n / smoothing)),
  };
}

/** Pr[cᵢ|c₀,d] for each class, from its log Pr[d|cᵢ] (Focus eq. 2). Sums to 1. */
export function posteriors(logLikelihoods: ArrayLike<number>, logPrior: ArrayLike<number>): Float64Array {
  const joint = Float64Array.from(logLikelihoods, (l, c) => l + logPrior[c]!);
  const greatest = joint.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const shares = joint.map((value) => Math.exp(value - greatest));
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => share / sum);
}

/**
 * Length-normalised evidence for each class: how much better than its best competitor it explains an average word of
 * the page, in nats. Unlike the posterior it does not saturate at 0 and 1 on long pages.
 * @param words occurrences on the page, including those outside F(c₀)
 */
export function evidence(logLikelihoods: Float64Array, words: number): Float64Array {
  let best = -1;
  let greatest = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < logLikelihoods.length; c++) {
    const log = logLikelihoods[c]!;
    if (log > greatest) {
      second = greatest;
      greatest = log;
      best = c;
    } else if (log > second) second = log;
  }
  return logLikelihoods.map((log, c) => {
    const rival = c === best ? second : greatest;
    return words === 0 || rival === Number.NEGATIVE_INFINITY ? 0 : (log - rival) / words;
  });
}

/** log Pr[d|c] of a bag for each class, without constant factors. */
export function logLikelihoods(model: BayesModel, bag: Bag, rows: Int32Array): Float64Array {
  const { logUnseen, starts, holders, excess } = model;
  const k = logUnseen.length;
  const likelihoods = new Float64Array(k);
  bag.ids.forEach((id, at) => {
    const row = rows[id]!;
    if (row < 0) return;
    const n = bag.counts[at]!;
    const end = starts[row + 1]!;
    let entry = starts[row]!;
    for (let c = 0; c < k; c++)
      likelihoods[c]! += n * (logUnseen[c]! + (entry < end && holders[entry] === c ? excess[entry++]! : 0));
  });
  return likelihoods;
}

/** Logarithms of counts below this, the common ones, are computed once. */
const COMMON_COUNTS = 1024;

/** log Pr[d|c] of a training bag of class `own` for each class, by the model trained without that bag. */
export type HeldOutLikelihoods = (bag: Bag, own: number) => Float64Array;

/** Counts once for all bags. */
export function heldOutLikelihoods(input: BayesInput): HeldOutLikelihoods {
  const { features, smoothing, classes } = input;
  const rows = rowsByFeature(input);
  const { starts, holders, counts, totals } = countOccurrences(input);
  const logs = Float64Array.from({ length: COMMON_COUNTS }, (_, count) => Math.log1p(count / smoothing));
  return (bag, own) => {
    const length = lengthWithin(bag, rows);
    const known = logUnknownFree(totals, { own, length, size: features.length, smoothing });
    const likelihoods = Float64Array.from(classes, (members, c) =>
      isLeft(members, c, own) ? known[c]! * length : Number.NEGATIVE_INFINITY,
    );
    for (let at = 0; at < bag.ids.length; at++) {
      const row = rows[bag.ids[at]!]!;
      if (row < 0) continue;
      const n = bag.counts[at]!;
      for (let entry = starts[row]!, end = starts[row + 1]!; entry < end; entry++) {
        const c = holders[entry]!;
        const count = counts[entry]! - (c === own ? n : 0);
        likelihoods[c]! += n * (count < logs.length ? logs[count]! : Math.log1p(count / smoothing));
      }
    }
    return likelihoods;
  };
}

/** True for a class of one bag: it is empty once that bag is left out. */
function isLeft(members: readonly Bag[], c: number, own: number): boolean {
  return members.length > (c === own ? 1 : 0);
}

function logUnknownFree(
  totals: Float64Array,
  { own, length, size, smoothing }: { own: number; length: number; size: number; smoothing: number },
): Float64Array {
  return totals.map((total, c) => logUnseenOf(c === own ? total - length : total, size, smoothing));
}

function logUnseenOf(total: number, size: number, smoothing: number): number {
  return Math.log(smoothing / (smoothing * size + total));
}

function lengthWithin(bag: Bag, rows: Int32Array): number {
  let length = 0;
  bag.ids.forEach((id, at) => {
    if (rows[id]! >= 0) length += bag.counts[at]!;
  });
  return length;
}

/** Row in `excess` by feature number; −1 for features outside F(c₀). Length = `size`. */
export function rowsByFeature({ features, size }: Pick<BayesInput, 'features' | 'size'>): Int32Array {
  const rows = new Int32Array(size).fill(-1);
  features.forEach((id, row) => {
    rows[id] = row;
  });
  return rows;
}

/** How often each class holds each feature, laid out as in {@link BayesModel}, and how often it holds any. */
interface Occurrences extends Pick<BayesModel, 'starts' | 'holders'> {
  readonly counts: Float64Array;
  readonly totals: Float64Array;
}

/** Below this number of classes, a class number has two bytes. */
const FEW = 1 << 16;

/** Reads the bags twice: first it counts the entries, then it fills them. */
function countOccurrences(input: BayesInput): Occurrences {
  const { classes, features } = input;
  const rows = rowsByFeature(input);
  const starts = new Int32Array(features.length + 1);
  const entries = holderCounts(input, rows, starts);
  const holders = classes.length > FEW ? new Int32Array(entries) : new Uint16Array(entries);
  const counts = new Float64Array(entries);
  const totals = new Float64Array(classes.length);
  const next = starts.slice(0, -1);
  classes.forEach((bags, c) => {
    for (const { ids, counts: n } of bags)
      for (let at = 0; at < ids.length; at++) {
        const row = rows[ids[at]!]!;
        if (row < 0) continue;
        const last = next[row]! - 1;
        const entry = last >= starts[row]! && holders[last] === c ? last : next[row]!++;
        holders[entry] = c;
        counts[entry]! += n[at]!;
        totals[c]! += n[at]!;
      }
  });
  freeBytes(rows, next);
  return { starts, holders, counts, totals };
}

/** Writes where the entries of each feature begin. @returns the number of entries */
function holderCounts({ classes }: BayesInput, rows: Int32Array, starts: Int32Array): number {
  const last = new Int32Array(starts.length - 1).fill(-1);
  classes.forEach((bags, c) => {
    for (const { ids } of bags)
      for (let at = 0; at < ids.length; at++) {
        const row = rows[ids[at]!]!;
        if (row < 0 || last[row] === c) continue;
        last[row] = c;
        starts[row + 1]!++;
      }
  });
  for (let row = 0; row < last.length; row++) starts[row + 1]! += starts[row]!;
  freeBytes(last);
  return starts.at(-1)!;
}
