export {
  type ArchetypeCandidate,
  type ArchetypeChoice,
  type ArchetypeInput,
  archetypeGate,
  isUnlike,
  rankAbove,
  roundIsWorse,
  selectArchetypes,
} from './archetypes.ts';
export {
  BAYES_CURVE,
  type Calibration,
  type CalibrationInput,
  calibrate,
  calibrated,
  type GivenRows,
  heldOutShortfall,
  type LearningCurve,
  relevanceOf,
  SVM_CURVES,
} from './calibration.ts';
export {
  ARCHETYPE_TRUST,
  BAYES_SHARE,
  BAYES_SMOOTHING,
  FETCHED_DOUBT,
  FETCHED_POWER,
  FETCHED_STRENGTH,
  GIVEN_SHARE,
  LEAVE_ONE_OUT_ROWS,
} from './constants.ts';
export { type Bag, type Corpus, corpusOf, documentFrequencies, FeatureNames, KeptBag } from './corpus.ts';
export { type HeldOut, type HeldOutMethod, heldOutScores, stratifiedFolds } from './held-out.ts';
export {
  type CurvedKernel,
  KERNEL_ROWS,
  type KernelProblem,
  type KernelSvm,
  kernelDecision,
  kernelHeldOut,
  kernelMatrix,
  kernelValue,
  squareOf,
  trainKernelSvm,
} from './kernel-svm.ts';
export {
  type FeatureCounts,
  mutualInformation,
  type SelectedFeature,
  type SelectionInput,
  selectBothSides,
  selectFeatures,
} from './mutual-information.ts';
export {
  type BayesInput,
  type BayesModel,
  type ClassNumbers,
  evidence,
  heldOutLikelihoods,
  logLikelihoods,
  posteriors,
  rowsByFeature,
  trainBayes,
} from './naive-bayes.ts';
export { meanOfNearest, type Nearest, nearestVectors } from './nearest.ts';
export { type FindFigures, LEAST_FINDS, LEAST_PAGES, recallEstimate } from './recall-estimate.ts';
export { addVector, dot, freeMatrix, rowDot, type SparseMatrix, type SparseVector, sparseMatrix } from './sparse.ts';
export { type SparseRidge, sparseRidge } from './sparse-ridge.ts';
export { type SvmProblem, type SvmSolution, trainSvm } from './svm.ts';
export { columnsOf, damp, type Rarity, rarity, vectorize, writeVector } from './tf-idf.ts';
export type { TrainingPage } from './training-page.ts';
export { wilsonInterval } from './wilson.ts';
export { type XiAlpha, xiAlpha } from './xi-alpha.ts';
