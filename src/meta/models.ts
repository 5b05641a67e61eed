import type { FeatureSpace, TopicId } from '../core/index.ts';
import type { Calibration, ClassNumbers, CurvedKernel } from '../learn/index.ts';

/**
 * Everything that classification needs, plain and structured-cloneable: strings, numbers, typed arrays. Features are
 * numbers into a vocabulary. Each feature space has one vocabulary, shared by all models.
 */
export interface TopicModels {
  /** Model number that assignments carry. */
  readonly model: number;
  /** False: pages are accepted at decision value 0, as in the paper. */
  readonly calibrated: boolean;
  /** Calibrated score above which a page is accepted. */
  readonly acceptThreshold: number;
  /** The tree, root first, parents before children. */
  readonly topics: readonly ModelTopic[];
  readonly vocabularies: readonly Vocabulary[];
  readonly svms: readonly SpaceModel[];
  readonly bayes: readonly NodeBayes[];
  readonly centroids: readonly Centroid[];
  /** Page classifiers of the user that voted on training pages; absent without any. */
  readonly voters?: readonly Voter[];
  /** Training pages that kernels compare a page with, for each space of a kernel SVM; absent without any. */
  readonly supports?: readonly SupportPages[];
}

/** Vectors of training pages in one space. */
export interface SupportPages {
  /** As in {@link SpaceModel}. */
  readonly space: string;
  /** One item per part of the space. */
  readonly parts: readonly SupportPart[];
  /** Squared length of each page. */
  readonly squares: Float64Array;
}

/** Entries of support page i: those from `starts[i]` to `starts[i + 1] − 1`. */
export interface SupportPart extends Weights {
  readonly starts: Int32Array;
}

/** A kernel SVM. Decision value of page x: Σ `coefficients[i]` · K(page `pages[i]`, x) + `bias`. */
export interface KernelModel {
  readonly kernel: CurvedKernel;
  /** Numbers of support pages of the model's space. */
  readonly pages: Int32Array;
  readonly coefficients: Float64Array;
  readonly bias: number;
  readonly calibration: Calibration;
}

/** How good a page classifier of the user is at one topic. */
export interface Voter {
  /** Name of the extension. */
  readonly voter: string;
  readonly topic: TopicId;
  /** Of its votes for the topic, the share that is right on the training pages; NaN if it never voted for it. */
  readonly precision: number;
}

export interface ModelTopic {
  readonly id: TopicId;
  /** `undefined` only for the root. */
  readonly parent: TopicId | undefined;
  readonly good: boolean;
}

/** The features of one space that any model uses. */
export interface Vocabulary {
  readonly space: FeatureSpace;
  /** Joined by `\n`, in order of their numbers. */
  readonly features: string;
  readonly idf: Float32Array;
  /** idf of any feature outside the vocabulary, as if no counted document had it. */
  readonly unknownIdf: number;
}

/** Weights for some features of a vocabulary. */
export interface Weights {
  /** Index of the vocabulary in `vocabularies`. */
  readonly vocabulary: number;
  readonly indices: Int32Array;
  readonly values: Float32Array;
}

/** One topic's SVM against its siblings and OTHERS, in one feature space or a combination. */
export interface SpaceModel {
  readonly topic: TopicId;
  /** Feature space, or several joined by `+`. */
  readonly space: string;
  /**
   * One item per part of the space. A combination's vector is its parts' unit vectors, concatenated and scaled to
   * length 1.
   */
  readonly parts: readonly Weights[];
  /** Features selected by mutual information; absent in models of older versions. */
  readonly selected?: number;
  readonly bias: number;
  readonly calibration: Calibration;
  /**
   * Decides in place of `parts`, `bias` and `calibration`, which still explain verdicts and rate links. Absent if the
   * linear SVM decides.
   */
  readonly kernel?: KernelModel;
  /** Estimates of the SVM that decides; NaN if undefined. */
  readonly xiAlphaPrecision: number;
  readonly heldOutPrecision: number;
  readonly heldOutAuc: number;
}

/** Naive Bayes at one inner node. */
export interface NodeBayes {
  readonly node: TopicId;
  /** Children with training pages. OTHERS, if it has pages, is the class after the last. */
  readonly classes: readonly TopicId[];
  readonly vocabulary: number;
  /** F(c₀): features by number. */
  readonly features: Int32Array;
  readonly logPrior: Float64Array;
  readonly logUnseen: Float64Array;
  /** See `BayesModel`. */
  readonly starts: Int32Array;
  readonly holders: ClassNumbers;
  readonly excess: Float32Array;
  /** One for each of `classes`. */
  readonly calibrations: readonly Calibration[];
  /** Held-out precision for each of `classes`, if naive Bayes decides. Absent if it is a second opinion. */
  readonly precisions?: readonly number[];
}

/** Mean direction of a good topic's user examples, of length 1 over all their features. */
export interface Centroid {
  readonly topic: TopicId;
  readonly weights: Weights;
}
