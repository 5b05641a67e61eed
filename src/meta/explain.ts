import {
  type DocumentFeatures,
  type FeatureSpace,
  hashesOf,
  type PageVote,
  type TopicId,
  type WordWeights,
} from '../core/index.ts';
import { type CurvedKernel, damp } from '../learn/index.ts';
import { BAYES_VOTE } from './bayes-judge.ts';
import { type Classifier, modelLengths, placedTopics, type ScoredSvm, type SpaceIndex } from './classifier.ts';
import { type ChildScore, childScores } from './classify.ts';
import { bayesContributions, decidingBayes } from './explain-bayes.ts';
import type { SpaceModel, TopicModels, Weights } from './models.ts';

/** A feature with its contribution to the decision value, or its possible contribution by weight. */
export interface TermContribution {
  readonly space: FeatureSpace;
  readonly feature: string;
  /** Share of the confidence; positive speaks for the topic. */
  readonly contribution: number;
}

/** One classifier's vote on one page. */
export interface ClassifierVote {
  /** Feature space, name of a page classifier, or `naive-bayes`. */
  readonly space: string;
  /** Decision value; for naive Bayes Pr[topic | page]. */
  readonly confidence: number;
  readonly calibrated: number;
  readonly accepts: boolean;
  /** Estimated precision, its weight in the weighted rule; NaN if unknown or without a vote. */
  readonly precision: number;
}

/** Why a page was accepted into a topic or rejected. */
export interface Explanation {
  readonly topic: TopicId;
  /** Strongest first. */
  readonly for: readonly TermContribution[];
  readonly against: readonly TermContribution[];
  readonly votes: readonly ClassifierVote[];
  /** A kernel that decided. It has no term weights: the terms are those of the linear SVM trained beside it. */
  readonly kernel?: CurvedKernel;
  /** True if naive Bayes decided: the terms are those of its evidence. Else absent. */
  readonly byBayes?: true;
  /** Calibrated score above which a page is accepted. */
  readonly threshold: number;
}

/**
 * Explains a verdict: the strongest terms of a page for and against a topic, and the vote of each classifier.
 * Contributions of one space and its bias, minus the calibrated offset of the hyperplane, add up to that space's
 * confidence. With several spaces, it is their mean. With a kernel they are contributions to the linear SVM beside it.
 * If naive Bayes decides, they add up to its evidence.
 * @param limit maximum number of terms on each side
 * @param votes of page classifiers on the page
 * @returns `undefined` for a topic without a classifier
 */
export function explain(
  classifier: Classifier,
  features: DocumentFeatures,
  topic: TopicId,
  limit: number,
  votes: readonly PageVote[] = [],
): Explanation | undefined {
  const score = childScores(classifier, features, votes).get(topic);
  const svms = classifier.svms.get(topic);
  if (score === undefined || svms === undefined) return undefined;
  // Classifiers whose space is empty on this page do not count in the mean.
  const share = 1 / score.votes.length;
  const kernel = svms.find(({ model }) => model.kernel !== undefined)?.model.kernel?.kernel;
  const bayes = decidingBayes(classifier, topic);
  const terms = bayes
    ? bayesContributions(classifier, bayes, features)
    : svms.flatMap((svm) => contributions(classifier, svm, { features, share }));
  return {
    topic,
    ...strongest(summed(terms), limit),
    votes: [...score.votes.map(asVote), ...(bayes ? [] : [bayesVote(classifier, score)])],
    ...(bayes && { byBayes: true }),
    ...(kernel && !bayes && { kernel }),
    threshold: classifier.models.calibrated ? classifier.models.acceptThreshold : 0,
  };
}

/**
 * A topic's strongest features for and against it, idf included, as a rare word's single occurrence would count; the
 * mean over its classifiers.
 */
export function topicTerms(
  classifier: Classifier,
  topic: TopicId,
  limit: number,
): { readonly for: readonly TermContribution[]; readonly against: readonly TermContribution[] } {
  const svms = classifier.svms.get(topic) ?? [];
  const terms = svms.flatMap(({ model }) => {
    const lengths = modelLengths(classifier.models, model);
    return model.parts.flatMap(({ vocabulary, indices, values }, part) => {
      const { space, names, idf } = classifier.spaces[vocabulary]!;
      return [...indices].map((feature, k) => {
        const contribution = (values[k]! * idf[feature]! * lengths[part]!) / svms.length;
        return { space, feature: names[feature]!, contribution };
      });
    });
  });
  return strongest(summed(terms), limit);
}

/**
 * The page model's word weights, with idf, on the slope of the calibrated scale: what the words of a short text
 * predict about an unseen page. A word has the weight of the topic that it favours most. Down a topic's path it is
 * the mean over the nodes, since a page must pass each. Bias and length are left out. Empty for unknown topics. Words
 * are identified by vocabulary numbers: tens of thousands of strings, with a map per topic, would take megabytes in
 * the main thread.
 */
export function linkWeights(models: TopicModels, topics: readonly TopicId[]): WordWeights {
  const vocabulary = models.vocabularies.findIndex(({ space }) => space === 'terms');
  if (vocabulary < 0) return { topics, hashes: new Uint32Array(0), weights: new Float64Array(0) };
  // No classifier is prepared: no page is scored.
  const placed = placedTopics(models);
  const { features, idf } = models.vocabularies[vocabulary]!;
  const best = new Float64Array(idf.length).fill(Number.NaN);
  const met = new Int32Array(idf.length);
  let size = 0;
  const weights = new Float64Array(idf.length);
  for (const topic of topics) {
    const parts = partsDown(models, placed.get(topic)?.path ?? [], vocabulary);
    weigh(parts, idf, weights);
    for (const { indices } of parts) {
      for (let k = 0; k < indices.length; k++) {
        const feature = indices[k]!;
        const isNew = Number.isNaN(best[feature]!);
        if (isNew) met[size++] = feature;
        best[feature] = isNew ? weights[feature]! : Math.max(weights[feature]!, best[feature]!);
      }
    }
  }
  const all = hashesOf({ features, counts: new Uint16Array(idf.length) });
  const found = { topics, hashes: new Uint32Array(size), weights: new Float64Array(size) };
  for (let i = 0; i < size; i++) {
    found.hashes[i] = all[2 * met[i]!]!;
    found.weights[i] = best[met[i]!]!;
  }
  return found;
}

/**
 * Feature weights by number in a vocabulary; contributions are divided by `scale`, which includes the share of the
 * part in its space.
 */
interface ScaledPart extends Weights {
  readonly scale: number;
}

/** The parts of the classifiers down a path that weight features of a vocabulary. */
function partsDown(models: TopicModels, path: readonly TopicId[], vocabulary: number): readonly ScaledPart[] {
  const svms = path.flatMap((step) => termsModel(models, step) ?? []);
  return svms.flatMap((model) => {
    const lengths = modelLengths(models, model);
    const scale = model.calibration.scale * svms.length;
    return model.parts
      .map((part, k) => ({ ...part, scale: scale / lengths[k]! }))
      .filter((part) => part.vocabulary === vocabulary);
  });
}

/** Adds up the contributions of the parts per feature; all other weights are unchanged. */
function weigh(parts: readonly ScaledPart[], idf: Float32Array, weights: Float64Array): void {
  for (const { indices } of parts) for (let k = 0; k < indices.length; k++) weights[indices[k]!] = 0;
  for (const { indices, values, scale } of parts)
    for (let k = 0; k < indices.length; k++) weights[indices[k]!]! += (values[k]! * idf[indices[k]!]!) / scale;
}

/** The classifier in terms alone, else the first one that has terms as a part. */
function termsModel({ svms, vocabularies }: TopicModels, topic: TopicId): SpaceModel | undefined {
  const own = svms.filter((svm) => svm.topic === topic);
  const hasTerms = ({ parts }: SpaceModel): boolean =>
    parts.some((part) => vocabularies[part.vocabulary]!.space === 'terms');
  return own.find(({ space }) => space === 'terms') ?? own.find(hasTerms);
}

function contributions(
  { spaces, models }: Classifier,
  { model }: ScoredSvm,
  { features, share }: { readonly features: DocumentFeatures; readonly share: number },
): TermContribution[] {
  const lengths = modelLengths(models, model);
  return model.parts.flatMap(({ vocabulary, indices, values }, part) => {
    const space = spaces[vocabulary]!;
    const weights = new Map([...indices].map((feature, k) => [feature, values[k]!]));
    return unitVector(space, features).flatMap(({ feature, value }) => {
      const weight = weights.get(feature);
      if (weight === undefined) return [];
      const contribution = share * weight * value * lengths[part]!;
      return [{ space: space.space, feature: space.names[feature]!, contribution }];
    });
  });
}

/** Known features of the page with their parts of its unit vector. */
function unitVector(
  { space, numbers, idf, unknownIdf }: SpaceIndex,
  features: DocumentFeatures,
): { readonly feature: number; readonly value: number }[] {
  const bag = features[space];
  if (bag === undefined || bag.counts.length === 0) return [];
  let square = 0;
  const hashes = hashesOf(bag);
  const known = [...bag.counts].flatMap((count, k) => {
    const feature = numbers.find(hashes[2 * k]!, hashes[2 * k + 1]!);
    const value = damp(count) * (feature < 0 ? unknownIdf : idf[feature]!);
    square += value * value;
    return feature < 0 ? [] : [{ feature, value }];
  });
  return known.map(({ feature, value }) => ({ feature, value: value / Math.sqrt(square) }));
}

/**
 * One contribution per feature of a space; several classifiers may weight it. A word of the lead is also one of the
 * terms: people see it once.
 */
function summed(terms: readonly TermContribution[]): TermContribution[] {
  const sums = new Map<string, TermContribution>();
  for (const term of terms) {
    const space = term.space === 'lead' ? 'terms' : term.space;
    const key = `${space} ${term.feature}`;
    const known = sums.get(key)?.contribution ?? 0;
    sums.set(key, { ...term, space, contribution: known + term.contribution });
  }
  return [...sums.values()];
}

function strongest(
  terms: readonly TermContribution[],
  limit: number,
): { readonly for: TermContribution[]; readonly against: TermContribution[] } {
  const sorted = [...terms].sort(
    (a, b) => b.contribution - a.contribution || (a.feature < b.feature ? -1 : a.feature > b.feature ? 1 : 0),
  );
  return {
    for: sorted.filter(({ contribution }) => contribution > 0).slice(0, limit),
    against: sorted
      .filter(({ contribution }) => contribution < 0)
      .reverse()
      .slice(0, limit),
  };
}

function asVote({ space, confidence, calibrated, result, precision }: ChildScore['votes'][number]): ClassifierVote {
  return { space, confidence, calibrated, accepts: result > 0, precision };
}

function bayesVote({ models }: Classifier, { bayes, bayesCalibrated }: ChildScore): ClassifierVote {
  const accepts = models.calibrated ? bayesCalibrated > models.acceptThreshold : bayes > 0.5;
  return { space: BAYES_VOTE, confidence: bayes, calibrated: bayesCalibrated, accepts, precision: Number.NaN };
}
