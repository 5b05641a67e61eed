import type { TopicId } from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import {
  BAYES_CURVE,
  BAYES_SMOOTHING,
  type Bag,
  type BayesInput,
  type BayesModel,
  type Calibration,
  type Corpus,
  calibrate,
  evidence,
  type GivenRows,
  heldOutLikelihoods,
  logLikelihoods,
  rowsByFeature,
  type TrainingPage,
  trainBayes,
} from '../learn/index.ts';
import { givenAmong, type NodeClasses } from './decisions.ts';

/** Naive Bayes at one inner node, features by number in the corpus. */
export interface TrainedBayes {
  readonly node: TopicId;
  /** Children with training pages. OTHERS, if it has pages, is the class after the last. */
  readonly classes: readonly TopicId[];
  readonly model: BayesModel;
  /** One for each of `classes`. */
  readonly calibrations: readonly Calibration[];
  /** Position of each document of the node. */
  readonly documents: readonly number[];
  /** For each of `classes`: the evidence for it of each document, without that document; NaN if unknown. */
  readonly heldOut: readonly Float64Array[];
}

/**
 * Trains one node's classes on the features selected for its decisions.
 * @returns `undefined` if fewer than two classes have pages, or no class has a word
 */
export function trainNodeBayes(
  { node, children, others }: NodeClasses,
  { corpus, features, pages }: { corpus: Corpus; features: Int32Array; pages: readonly TrainingPage[] },
): TrainedBayes | undefined {
  const filled = children.filter((child) => child.documents.length > 0);
  const groups = [...filled.map((child) => child.documents), ...(others.length > 0 ? [others] : [])];
  if (groups.length < 2 || features.length === 0) return undefined;
  const classes = groups.map((documents) => documents.map((document) => corpus.bags[document]!));
  const input = { classes, features, size: corpus.names.length, smoothing: BAYES_SMOOTHING };
  const model = trainBayes(input);
  return {
    node,
    classes: filled.map((child) => child.topic),
    model,
    documents: groups.flat(),
    ...fittedScales(
      input,
      model,
      filled.map((child) => givenAmong(child.documents, pages)),
    ),
  };
}

/** Fits the scale of each class's evidence to leave-one-out scores, which cost one subtraction per count. */
function fittedScales(
  input: BayesInput,
  model: BayesModel,
  given: readonly (readonly GivenRows[])[],
): Pick<TrainedBayes, 'calibrations' | 'heldOut'> {
  const rows = rowsByFeature(input);
  const withoutIt = heldOutLikelihoods(input);
  const bags = input.classes.flatMap((members, own) => members.map((bag) => ({ own, bag })));
  const scores = given.map(() => new Float64Array(bags.length));
  const heldOut = given.map(() => new Float64Array(bags.length));
  bags.forEach(({ own, bag }, i) => {
    const words = wordsOf(bag);
    const full = evidence(logLikelihoods(model, bag, rows), words);
    const unseen = evidence(withoutIt(bag, own), words);
    for (let c = 0; c < given.length; c++) {
      scores[c]![i] = full[c]!;
      heldOut[c]![i] = finite(unseen[c]!);
    }
  });
  const calibrations = given.map((topics, c) => {
    const first = bags.findIndex(({ own }) => own === c);
    const rowsOf = (places: readonly number[]): number[] => places.map((place) => first + place);
    return calibrate({
      y: Int8Array.from(bags, ({ own }) => (own === c ? 1 : -1)),
      scores: scores[c]!,
      heldOut: heldOut[c]!,
      curves: [BAYES_CURVE],
      given: topics.map(({ named, marked }) => ({ named: rowsOf(named), marked: rowsOf(marked) })),
    });
  });
  freeBytes(rows, ...scores);
  return { calibrations, heldOut };
}

function wordsOf({ counts }: Bag): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function finite(score: number): number {
  return Number.isFinite(score) ? score : Number.NaN;
}
