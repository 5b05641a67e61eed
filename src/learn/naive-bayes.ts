import type { Bag } from './corpus.ts';

/** The classes of one inner node with their documents, as bags over one numbering of features. */
export interface BayesInput {
  /** Bags of each class. A class may be empty; it then has no prior and is never chosen. */
  readonly classes: readonly (readonly Bag[])[];
  /** F(c₀): numbers of the features that count; occurrences of others are as if not there. */
  readonly features: Int32Array;
  /** Number of feature ids. */
  readonly size: number;
  /** λ, added to every count; > 0. 1 is Laplace's rule as in Focus eq. (1). */
  readonly smoothing: number;
}

/**
 * Multinomial model of one inner node: θ(c,t) = (λ + n(c,t)) / (λ·|F| + n(c)), n(c) counted within F, so that they sum to 1 over F. (Focus eq. 1
 * has λ = 1, and sums over all terms, selected or not.) Stored is only what differs from the value of an unseen feature: log θ(c,t) = logUnseen[c] + excess, with excess 0 for features a class never holds.
 */
export interface BayesModel {
  /** F(c₀), as given. */
  readonly features: Int32Array;
  /** log Pr[c|c₀], the class's share of the documents; −Infinity for an empty class. */
  readonly logPrior: Float64Array;
  /** log θ(c,t) of a feature that the class never holds. */
  readonly logUnseen: Float64Array;
  /** Row i belongs to `features[i]`, column c to class c: log(1 + n(c,t)/λ). Length = features × classes. */
  readonly excess: Float32Array;
}

/** Estimates θ for every class of a node. */
export function trainBayes(input: BayesInput): BayesModel {
  const { features, smoothing, classes } = input;
  const { counts, totals } = countOccurrences(input);
  const documents = classes.reduce((sum, bags) => sum + bags.length, 0);
  return {
    features,
    logPrior: Float64Array.from(classes, (bags) => Math.log(bags.length / documents)),
    logUnseen: Float64Array.from(totals, (total) => logUnseenOf(total, features.length, smoothing)),
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
 * Length-normalised evidence for class c: how much better than its best competitor it explains a word of the page on
 * average, in nats. Unlike the posterior it does not run to 0 and 1 on long pages.
 * @param words occurrences on the page in all, those outside F(c₀) too
 */
export function evidence(logLikelihoods: ArrayLike<number>, c: number, words: number): number {
  let rival = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logLikelihoods.length; i++) {
    if (i !== c && logLikelihoods[i]! > rival) rival = logLikelihoods[i]!;
  }
  if (words === 0 || rival === Number.NEGATIVE_INFINITY) return 0;
  return (logLikelihoods[c]! - rival) / words;
}

/** log Pr[d|c] of a bag for each class, constant factors left out. */
export function logLikelihoods(model: BayesModel, bag: Bag, rows: Int32Array): Float64Array {
  const k = model.logPrior.length;
  const likelihoods = new Float64Array(k);
  bag.ids.forEach((id, at) => {
    const row = rows[id]!;
    if (row < 0) return;
    for (let c = 0; c < k; c++) likelihoods[c]! += bag.counts[at]! * (model.logUnseen[c]! + model.excess[row * k + c]!);
  });
  return likelihoods;
}

/** Counts below this, as most are, have their logarithms worked out once. */
const COMMON_COUNTS = 1024;

/** log Pr[d|c] of each training bag under the model trained without that bag; `[class][bag][class]`. */
export function heldOutLikelihoods(input: BayesInput): Float64Array[][] {
  const { features, smoothing, classes } = input;
  const rows = rowsByFeature(input);
  const { counts, totals } = countOccurrences(input);
  const k = classes.length;
  const logs = Float64Array.from({ length: COMMON_COUNTS }, (_, count) => Math.log1p(count / smoothing));
  return classes.map((bags, own) =>
    bags.map((bag) => {
      const length = lengthWithin(bag, rows);
      const known = logUnknownFree(totals, { own, length, size: features.length, smoothing });
      const likelihoods = Float64Array.from(classes, (members, c) =>
        isLeft(members, c, own) ? known[c]! * length : Number.NEGATIVE_INFINITY,
      );
      for (let at = 0; at < bag.ids.length; at++) {
        const row = rows[bag.ids[at]!]!;
        if (row < 0) continue;
        const n = bag.counts[at]!;
        for (let c = 0; c < k; c++) {
          const count = counts[row * k + c]! - (c === own ? n : 0);
          likelihoods[c]! += n * (count < logs.length ? logs[count]! : Math.log1p(count / smoothing));
        }
      }
      return likelihoods;
    }),
  );
}

/** A class of one bag holds nothing once that bag is left out. */
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

/** Row in `excess` by feature number, −1 for features outside F(c₀). Length = `size`. */
export function rowsByFeature({ features, size }: Pick<BayesInput, 'features' | 'size'>): Int32Array {
  const rows = new Int32Array(size).fill(-1);
  features.forEach((id, row) => {
    rows[id] = row;
  });
  return rows;
}

function countOccurrences(input: BayesInput): { counts: Float64Array; totals: Float64Array } {
  const rows = rowsByFeature(input);
  const k = input.classes.length;
  const counts = new Float64Array(input.features.length * k);
  const totals = new Float64Array(k);
  input.classes.forEach((bags, c) => {
    for (const { ids, counts: n } of bags)
      for (let at = 0; at < ids.length; at++) {
        const row = rows[ids[at]!]!;
        if (row < 0) continue;
        counts[row * k + c]! += n[at]!;
        totals[c]! += n[at]!;
      }
  });
  return { counts, totals };
}
