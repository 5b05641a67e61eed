import {
  type BlockBag,
  type FeatureSpace,
  hashesOf,
  spaceParts,
  type TermCounts,
  type TopicId,
} from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import { damp } from '../learn/index.ts';
import { bestSvm } from './best-svm.ts';
import { FeatureTable } from './feature-table.ts';
import { partLengths } from './joined-space.ts';
import type { ModelTopic, NodeBayes, SpaceModel, SupportPages, TopicModels, Weights } from './models.ts';

/**
 * Models prepared for pages: every feature has one row of entries. An entry says which score the feature adds to and
 * how much. So a page costs one look-up per distinct feature, however many topics there are.
 *
 *     feature ─table→ number ─starts→ [score, weight] [score, weight] …     scores: SVM, SVM, …, centroid, …
 */
export interface Classifier {
  readonly models: TopicModels;
  readonly topics: ReadonlyMap<TopicId, PlacedTopic>;
  readonly children: ReadonlyMap<TopicId, readonly ModelTopic[]>;
  readonly svms: ReadonlyMap<TopicId, readonly ScoredSvm[]>;
  readonly bayes: ReadonlyMap<TopicId, ScoredBayes>;
  /** Score number of each good topic's centroid. */
  readonly centroids: ReadonlyMap<TopicId, number>;
  /** Support pages of each space that has kernel SVMs. */
  readonly supports: ReadonlyMap<string, ScoredSupports>;
  readonly spaces: readonly SpaceIndex[];
  /** Indices in `spaces` of those that the best classifier of each topic, naive Bayes and the centroids need. */
  readonly fewest: ReadonlySet<number>;
  /** Number of scores. */
  readonly size: number;
}

/** A topic preceded by its ancestors below the root, topmost first. */
export interface PlacedTopic extends ModelTopic {
  readonly path: readonly TopicId[];
}

export interface ScoredSvm {
  readonly model: SpaceModel;
  readonly score: number;
}

/** The inner products of a page with the support pages are the scores from `first`. */
export interface ScoredSupports extends SupportPages {
  readonly first: number;
}

/** Likelihoods of a node's classes are the scores from `first`; `first + classes` counts the words in F(c₀). */
export interface ScoredBayes {
  readonly model: NodeBayes;
  readonly first: number;
}

/** One vocabulary with its entries. */
export interface SpaceIndex {
  readonly space: FeatureSpace;
  readonly numbers: FeatureTable;
  /** Built on demand: pages do not need them. */
  readonly names: readonly string[];
  readonly idf: Float32Array;
  readonly unknownIdf: number;
  readonly entries: Entries;
}

/**
 * Entries of feature i: those in `starts[2i] … starts[2i+1] − 1` use its part of the unit tf·idf vector, those up to
 * `starts[2i+2] − 1` its bare count. All entries of a feature are adjacent, because rows far apart cost time.
 */
export interface Entries {
  readonly starts: Int32Array;
  /** Two views of one memory: entry e adds to score `scores[2e]` with the weight `weights[2e + 1]`. */
  readonly scores: Int32Array;
  readonly weights: Float32Array;
}

/** Builds the look-up tables, once per thread and model. */
export function prepareClassifier(models: TopicModels): Classifier {
  const plan = scorePlan(models);
  let names: ReturnType<typeof featureNames> | undefined;
  return {
    models,
    topics: placedTopics(models),
    children: childrenOf(models),
    ...plan,
    fewest: fewestSpaces(models, plan),
    spaces: models.vocabularies.map(({ space, features, idf, unknownIdf }, v) => ({
      space,
      numbers: new FeatureTable(features, idf.length),
      get names() {
        names ??= featureNames(models);
        return names[v]!;
      },
      idf,
      unknownIdf,
      entries: entriesOf(models, plan, v),
    })),
  };
}

/** Frees the memory of the look-up tables. The classifier is not usable afterwards. */
export function freeClassifier({ spaces }: Classifier): void {
  for (const { numbers, entries } of spaces) {
    numbers.free();
    freeBytes(entries.starts, entries.scores);
  }
}

type Plan = Pick<Classifier, 'svms' | 'bayes' | 'centroids' | 'supports' | 'size'>;

function scorePlan({ svms, bayes, centroids, supports = [] }: TopicModels): Plan {
  let size = 0;
  const byTopic = new Map<TopicId, ScoredSvm[]>();
  for (const model of svms) {
    const known = byTopic.get(model.topic) ?? [];
    byTopic.set(model.topic, [...known, { model, score: size++ }]);
  }
  const centroidScores = new Map(centroids.map(({ topic }) => [topic, size++]));
  const byNode = new Map<TopicId, ScoredBayes>();
  for (const model of bayes) {
    byNode.set(model.node, { model, first: size });
    size += model.logUnseen.length + 1;
  }
  const bySpace = new Map<string, ScoredSupports>();
  for (const pages of supports) {
    bySpace.set(pages.space, { ...pages, first: size });
    size += pages.squares.length;
  }
  return { svms: byTopic, bayes: byNode, centroids: centroidScores, supports: bySpace, size };
}

function fewestSpaces(models: TopicModels, { svms }: Plan): ReadonlySet<number> {
  const best = [...svms.values()].flatMap((own) => bestSvm(models, own).model.parts);
  const used = [...best, ...models.bayes, ...models.centroids.map(({ weights }) => weights)];
  return new Set(used.map(({ vocabulary }) => vocabulary));
}

/** Features of each vocabulary by number. */
function featureNames({ vocabularies }: TopicModels): readonly (readonly string[])[] {
  return vocabularies.map(({ features }) => (features === '' ? [] : features.split('\n')));
}

/** Topics with their paths, by id. */
export function placedTopics({ topics }: TopicModels): ReadonlyMap<TopicId, PlacedTopic> {
  const placed = new Map<TopicId, PlacedTopic>();
  for (const topic of topics) {
    const above = topic.parent === undefined ? [] : placed.get(topic.parent)!.path;
    placed.set(topic.id, { ...topic, path: topic.parent === undefined ? [] : [...above, topic.id] });
  }
  return placed;
}

function childrenOf({ topics }: TopicModels): ReadonlyMap<TopicId, readonly ModelTopic[]> {
  const children = new Map<TopicId, ModelTopic[]>(topics.map(({ id }) => [id, []]));
  for (const topic of topics) if (topic.parent !== undefined) children.get(topic.parent)!.push(topic);
  return children;
}

/** Lengths of the parts of a page's vector in one classifier. */
export function modelLengths({ vocabularies }: TopicModels, { parts }: SpaceModel): readonly number[] {
  return partLengths(parts.map(({ vocabulary }) => vocabularies[vocabulary]!.space));
}

/** Receives each entry: its feature, its score, its weight. */
type Tell = (feature: number, score: number, weight: number) => void;

/** Entries that use a feature's part of the unit vector. */
function tellLinear(models: TopicModels, plan: Plan, vocabulary: number, tell: Tell): void {
  const tellWeights = (part: Weights, score: number, factor: number): void => {
    if (part.vocabulary !== vocabulary) return;
    for (const [k, feature] of part.indices.entries()) tell(feature, score, part.values[k]! * factor);
  };
  for (const { model, score } of [...plan.svms.values()].flat()) {
    const lengths = modelLengths(models, model);
    for (const [k, part] of model.parts.entries()) tellWeights(part, score, lengths[k]!);
  }
  for (const { topic, weights } of models.centroids) tellWeights(weights, plan.centroids.get(topic)!, 1);
  for (const supports of plan.supports.values()) tellSupports(supports, vocabulary, tell);
}

/** Entries of support pages, whose values are scaled like those of the page. */
function tellSupports({ space, parts, first }: ScoredSupports, vocabulary: number, tell: Tell): void {
  const lengths = partLengths(spaceParts(space) ?? []);
  for (const [k, part] of parts.entries()) {
    if (part.vocabulary !== vocabulary) continue;
    for (let page = 0; page + 1 < part.starts.length; page++)
      for (let at = part.starts[page]!; at < part.starts[page + 1]!; at++)
        tell(part.indices[at]!, first + page, part.values[at]! * lengths[k]!);
  }
}

/** Passes the entries of naive Bayes, which are multiplied by the plain count of a feature. */
function tellCounting({ bayes }: Plan, vocabulary: number, tell: Tell): void {
  for (const { model, first } of bayes.values()) {
    if (model.vocabulary !== vocabulary) continue;
    const { starts, holders, excess, logUnseen } = model;
    model.features.forEach((feature, row) => {
      for (let entry = starts[row]!; entry < starts[row + 1]!; entry++)
        tell(feature, first + holders[entry]!, excess[entry]!);
      tell(feature, first + logUnseen.length, 1);
    });
  }
}

/**
 * Sorts entries by feature (a counting sort), linear ones first. The entries are generated twice, to count and to
 * place them. As lists they would take ten times the memory.
 */
function entriesOf(models: TopicModels, plan: Plan, vocabulary: number): Entries {
  const size = models.vocabularies[vocabulary]!.idf.length;
  const starts = new Int32Array(2 * size + 1);
  tellLinear(models, plan, vocabulary, (feature) => starts[2 * feature + 1]!++);
  tellCounting(plan, vocabulary, (feature) => starts[2 * feature + 2]!++);
  for (let i = 0; i < 2 * size; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice(0, -1);
  const scores = new Int32Array(2 * starts[2 * size]! + 2);
  const weights = new Float32Array(scores.buffer);
  const place = (row: number, score: number, weight: number): void => {
    const at = next[row]!++;
    scores[2 * at] = score;
    weights[2 * at + 1] = weight;
  };
  tellLinear(models, plan, vocabulary, (feature, score, weight) => place(2 * feature, score, weight));
  tellCounting(plan, vocabulary, (feature, score, weight) => place(2 * feature + 1, score, weight));
  freeBytes(next);
  return { starts, scores, weights };
}

/** Raw scores of one page. */
export interface PageScores {
  /** Length = `classifier.size`. Biases are not yet added. */
  readonly values: Float64Array;
  /** By vocabulary: occurrences on the page; 0 if it has no feature of that space. */
  readonly words: readonly number[];
}

/** `damp` of every usual count. */
const DAMPED: Float64Array = Float64Array.from({ length: 256 }, (_, count) => damp(count));

/** Features of a page whose numbers in the vocabulary are looked up in a table, because many pages share them. */
export interface NumberedBag extends BlockBag {
  /** Number of each feature of the block in the vocabulary; −1 if it is not in it. */
  readonly numbers: Int32Array;
}

/** The features of a page in one space. */
export type ScoredBag = TermCounts | NumberedBag;

/** Scores a page: one pass over its distinct features per space. */
export function scorePage(classifier: Classifier, bags: readonly (ScoredBag | undefined)[]): PageScores {
  const values = new Float64Array(classifier.size);
  const words = classifier.spaces.map((space, v) => {
    const bag = bags[v];
    return bag === undefined || bag.counts.length === 0 ? 0 : scoreSpace(space, bag, values);
  });
  return { values, words };
}

/** Buffers for numbers and values of the page's features, reused for the next page. */
let found = new Int32Array(1 << 11);
let weighed = new Float64Array(1 << 11);

function scoreSpace({ numbers, idf, unknownIdf, entries }: SpaceIndex, bag: ScoredBag, values: Float64Array): number {
  const { starts, scores, weights } = entries;
  const { counts } = bag;
  reserve(counts.length + 1);
  if ('numbers' in bag) takeNumbers(bag, found);
  else numbers.findAll(hashesOf(bag), counts.length, found);
  let square = 0;
  let words = 0;
  for (let k = 0; k < counts.length; k++) {
    const count = counts[k]!;
    const feature = found[k]!;
    const value = (count < DAMPED.length ? DAMPED[count]! : damp(count)) * (feature < 0 ? unknownIdf : idf[feature]!);
    words += count;
    square += value * value;
    weighed[k] = value;
  }
  // The first entry of each feature is read ahead: many memory reads run at once, and none is waited for.
  let fetched = 0;
  for (let k = 0; k < counts.length; k++) fetched ^= scores[2 * starts[2 * Math.max(0, found[k]!)]!]!;
  found[counts.length] = fetched;
  const sums = new Float64Array(values.length);
  for (let k = 0; k < counts.length; k++) {
    const feature = found[k]!;
    if (feature < 0) continue;
    const value = weighed[k]!;
    const count = counts[k]!;
    const counting = starts[2 * feature + 1]!;
    const end = starts[2 * feature + 2]!;
    let at = starts[2 * feature]!;
    for (; at < counting; at++) sums[scores[2 * at]!]! += value * weights[2 * at + 1]!;
    for (; at < end; at++) values[scores[2 * at]!]! += count * weights[2 * at + 1]!;
  }
  const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
  for (let score = 0; score < sums.length; score++) values[score]! += sums[score]! * scale;
  return words;
}

function takeNumbers({ ids, numbers }: NumberedBag, found: Int32Array): void {
  for (let k = 0; k < ids.length; k++) found[k] = numbers[ids[k]!]!;
}

function reserve(features: number): void {
  if (features <= found.length) return;
  found = new Int32Array(2 * features);
  weighed = new Float64Array(2 * features);
}
