import {
  type Config,
  type FeatureSpace,
  goodTopics,
  isGivenExample,
  isWithin,
  type TopicId,
  type TopicTree,
} from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import { type Bag, damp, type Rarity, type TrainingPage } from '../learn/index.ts';
import { precisionsOf } from './bayes-judge.ts';
import type { TrainedBayes } from './bayes-training.ts';
import { type DecisionClassifiers, spaceQuality } from './estimates.ts';
import type { PartWeights, SpaceData } from './joined-space.ts';
import type { Centroid, NodeBayes, SpaceModel, TopicModels, Vocabulary } from './models.ts';
import type { TrainedSpace } from './space-training.ts';
import { kernelModel, type Supports, supportFeatures, supportPages, supportsOf } from './supports.ts';
import { type HeardVoter, voterModels } from './voters.ts';

/** One decision with its classifiers. */
export interface TrainedDecision extends DecisionClassifiers {
  readonly voters: readonly HeardVoter[];
}

interface AssemblyInput {
  readonly tree: TopicTree;
  readonly pages: readonly TrainingPage[];
  readonly config: Config['learn'];
  readonly model: number;
}

/** Numbers of a space's features in its vocabulary, by number in the corpus; −1 for unused ones. */
interface Numbering {
  /** Index in `vocabularies`. */
  readonly vocabulary: number;
  readonly numbers: Int32Array;
}

/**
 * Converts trained classifiers into the plain form that classification reads, with features renumbered by vocabulary.
 */
export function assemble(
  { tree, config, model, pages }: AssemblyInput,
  spaces: ReadonlyMap<FeatureSpace, SpaceData>,
  decisions: readonly TrainedDecision[],
  bayes: readonly TrainedBayes[],
): TopicModels {
  const vocabularies: Vocabulary[] = [];
  const numberings = new Map<FeatureSpace, Numbering>();
  const all = decisions.flatMap((d) => d.spaces);
  const supports = supportsOf(all);
  for (const data of spaces.values()) {
    const used = Int32Array.from(new Set([...usedIn(all, data.space), ...supportFeatures(supports, data)]));
    const numbers = new Int32Array(data.corpus.names.length).fill(-1);
    used.forEach((id, number) => {
      numbers[id] = number;
    });
    numberings.set(data.space, { vocabulary: vocabularies.length, numbers });
    vocabularies.push(vocabularyOf(data, used));
  }
  const primary = primaryOf(spaces);
  const voters = decisions.flatMap(voterModels);
  return {
    model,
    calibrated: config.calibrated,
    acceptThreshold: config.acceptThreshold,
    topics: [...tree.nodes.values()].map(({ id, parent, good }) => ({ id, parent, good })),
    vocabularies,
    svms: decisions.flatMap((trained) =>
      trained.spaces.map((space) => spaceModel(trained, space, { config, numberings, supports })),
    ),
    bayes: bayes.map((trained) => {
      const precisions = config.classifier === 'bayes' ? precisionsOf(trained, decisions, config) : undefined;
      return { ...nodeBayes(trained, numberings.get(primary.space)!), ...(precisions && { precisions }) };
    }),
    centroids: goodTopics(tree).flatMap(
      ({ id }) => centroidOf(id, pages, primary, numberings.get(primary.space)!) ?? [],
    ),
    ...(voters.length > 0 && { voters }),
    ...(supports.size > 0 && { supports: supportPages(supports, spaces, numberings) }),
  };
}

function vocabularyOf({ space, corpus, rarity: { idf, unknown } }: SpaceData, used: Int32Array): Vocabulary {
  return {
    space,
    features: Array.from(used, (id) => corpus.names[id]!).join('\n'),
    idf: Float32Array.from(used, (id) => idf[id]!),
    unknownIdf: unknown,
  };
}

/** What is the same for all models of a training. */
interface ModelContext {
  readonly config: Config['learn'];
  readonly numberings: ReadonlyMap<FeatureSpace, Numbering>;
  readonly supports: Supports;
}

function spaceModel(
  { decision }: TrainedDecision,
  trained: TrainedSpace,
  { config, numberings, supports }: ModelContext,
): SpaceModel {
  const quality = spaceQuality(trained, decision.positives.length, config);
  const kernel = kernelModel(trained.space, trained, supports);
  return {
    topic: decision.topic,
    space: trained.space,
    parts: trained.parts.map(({ space, weighted, weights }) => {
      const { vocabulary, numbers } = numberings.get(space)!;
      return { vocabulary, indices: weighted.map((id) => numbers[id]!), values: weights };
    }),
    selected: trained.parts.reduce((sum, { selected }) => sum + selected.length, 0),
    bias: trained.bias,
    calibration: trained.kernel?.linear ?? trained.calibration,
    ...(kernel && { kernel }),
    xiAlphaPrecision: trained.xiAlpha.precision,
    heldOutPrecision: quality.precision,
    heldOutAuc: quality.auc,
  };
}

function nodeBayes(
  { node, classes, model, calibrations }: TrainedBayes,
  { vocabulary, numbers }: Numbering,
): NodeBayes {
  const features = model.features.map((id) => numbers[id]!);
  return { node, classes, vocabulary, ...model, features, calibrations };
}

/** The space of naive Bayes and the centroids: the page's own terms, if they are in use. */
export function primaryOf(spaces: ReadonlyMap<FeatureSpace, SpaceData>): SpaceData {
  return spaces.get('terms') ?? [...spaces.values()][0]!;
}

/** Features that some classifiers selected in one space, by number in its corpus. */
export function selectedIn(spaces: readonly TrainedSpace[], space: FeatureSpace): Set<number> {
  const features = new Set<number>();
  for (const { selected } of partsIn(spaces, space)) for (const id of selected) features.add(id);
  return features;
}

/** The selected features, followed by all others with a weight. */
function usedIn(spaces: readonly TrainedSpace[], space: FeatureSpace): Set<number> {
  const features = selectedIn(spaces, space);
  for (const { weighted } of partsIn(spaces, space)) for (const id of weighted) features.add(id);
  return features;
}

function partsIn(spaces: readonly TrainedSpace[], space: FeatureSpace): PartWeights[] {
  return spaces.flatMap(({ parts }) => parts.filter((part) => part.space === space));
}

/** Direction of the topic's own user examples; of all examples in its subtree if it has none of its own. */
function centroidOf(
  topic: TopicId,
  pages: readonly TrainingPage[],
  { corpus, rarity: weights }: SpaceData,
  { vocabulary, numbers }: Numbering,
): Centroid | undefined {
  const within = [...pages.keys()].filter((i) => !pages[i]!.others && isWithin(pages[i]!.topic, topic));
  const own = within.filter((i) => isGivenExample(pages[i]!) && pages[i]!.topic === topic);
  const examples = own.length > 0 ? own : within;
  if (examples.length === 0) return undefined;
  const mean = new Float64Array(corpus.names.length);
  for (const i of examples) addUnit(corpus.bags[i]!, weights, mean);
  const length = Math.sqrt(mean.reduce((square, value) => square + value * value, 0)) || 1;
  const kept: number[] = [];
  for (let id = 0; id < mean.length; id++) if (mean[id]! > 0 && numbers[id]! >= 0) kept.push(id);
  const values = Float32Array.from(kept, (id) => mean[id]! / length);
  freeBytes(mean);
  return { topic, weights: { vocabulary, indices: Int32Array.from(kept, (id) => numbers[id]!), values } };
}

function addUnit({ ids, counts }: Bag, { idf }: Rarity, sum: Float64Array): void {
  const values = Float64Array.from(ids, (id, k) => damp(counts[k]!) * idf[id]!);
  const length = Math.sqrt(values.reduce((square, value) => square + value * value, 0)) || 1;
  ids.forEach((id, k) => {
    sum[id]! += values[k]! / length;
  });
}
