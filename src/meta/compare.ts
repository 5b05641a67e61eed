import type { DocumentFeatures, TopicId } from '../core/index.ts';
import { rankAbove } from '../learn/index.ts';
import { type Classifier, freeClassifier, prepareClassifier } from './classifier.ts';
import { childScores } from './classify.ts';
import type { TopicModels } from './models.ts';

/** A model, with the held-out scores of the pages that it learned from. */
export interface ComparedModel {
  readonly models: TopicModels;
  /** Calibrated confidence by training key; NaN if unknown. For a counter-example: the greatest below its node. */
  readonly heldOut: ReadonlyMap<string, number>;
}

/** An off-topic page that two models are compared on. */
export interface OffTopicPage {
  readonly key: string;
  readonly features: DocumentFeatures;
  /** The topic whose OTHERS it belongs to. */
  readonly node: TopicId;
}

export interface ComparisonInput {
  readonly before: ComparedModel;
  readonly after: ComparedModel;
  /** Examples that the user gave. */
  readonly examples: readonly { readonly key: string; readonly topic: TopicId }[];
  readonly offTopic: readonly OffTopicPage[];
}

/** How two models judge the same off-topic pages for one topic. */
export interface RankChange {
  readonly topic: TopicId;
  /** Rank of the examples among these pages: share of pairs in which the example scores higher, in [0,1]. */
  readonly was: number;
  readonly is: number;
  /** Share of these pages that the new model accepts and the earlier one rejects, in [0,1]. */
  readonly intruders: number;
}

/**
 * Compares two models on one set of pages: the examples and off-topic pages that both can score. Each model scores a
 * page that it learned from as held out. Ranks over different pages cannot be compared: later rounds have
 * nearer misses among their off-topic pages, and more pages with neighbours and anchors.
 * @returns topics with an example and an off-topic page that both models can score
 */
export function compareModels({ before, after, examples, offTopic }: ComparisonInput): RankChange[] {
  const [was, is] = [scorerOf(before, offTopic), scorerOf(after, offTopic)];
  const least = [before.models.acceptThreshold, after.models.acceptThreshold] as const;
  const changes = [...Map.groupBy(examples, ({ topic }) => topic)].flatMap(([topic, own]): RankChange[] => {
    const known = own.flatMap(({ key }) => bothOf(before.heldOut.get(key), after.heldOut.get(key)));
    const others = offTopic.flatMap((page, i) => bothOf(was.score(page, i, topic), is.score(page, i, topic)));
    if (known.length === 0 || others.length === 0) return [];
    const rank = (model: 0 | 1): number =>
      rankAbove(
        known.map((scores) => scores[model]),
        others.map((scores) => scores[model]),
      );
    const intruders = others.filter((scores) => scores[0] <= least[0] && scores[1] > least[1]).length;
    return [{ topic, was: rank(0), is: rank(1), intruders: intruders / others.length }];
  });
  was.free();
  is.free();
  return changes;
}

interface Scorer {
  readonly score: (page: OffTopicPage, index: number, topic: TopicId) => number | undefined;
  readonly free: () => void;
}

function scorerOf({ models, heldOut }: ComparedModel, pages: readonly OffTopicPage[]): Scorer {
  const classifier = prepareClassifier(models);
  const parents = parentsOf(classifier);
  const scores = pages.map(({ features }) => {
    return new Map([...childScores(classifier, features)].map(([topic, { calibrated }]) => [topic, calibrated]));
  });
  const score: Scorer['score'] = ({ key, node }, index, topic) =>
    heldOut.has(key) && parents.get(topic) === node ? heldOut.get(key) : scores[index]!.get(topic);
  return { score, free: () => freeClassifier(classifier) };
}

function parentsOf({ children }: Classifier): ReadonlyMap<TopicId, TopicId> {
  return new Map([...children].flatMap(([node, topics]) => topics.map(({ id }) => [id, node] as const)));
}

/** Returns the pair if both scores are known. */
function bothOf(was: number | undefined, is: number | undefined): (readonly [number, number])[] {
  return Number.isNaN(was ?? Number.NaN) || Number.isNaN(is ?? Number.NaN) ? [] : [[was!, is!]];
}
