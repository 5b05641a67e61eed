import {
  type Config,
  type DocumentFeatures,
  isOthersOrigin,
  type TopicId,
  type TopicTree,
  type TrainingEntry,
} from '../core/index.ts';
import { corpusOf, selectFeatures } from '../learn/index.ts';
import { decisionsOf, nodeClasses } from './decisions.ts';

/** A term of a topic with its mutual information. */
export interface RankedFeature {
  /** From 1. */
  readonly rank: number;
  readonly feature: string;
  /** MI(X, V) in nats (BINGO! §2.3, eq. 1). */
  readonly information: number;
}

/** What a ranking needs. */
export interface RankingInput {
  readonly tree: TopicTree;
  /** Training pages of a round, with their features. */
  readonly pages: readonly (TrainingEntry & { readonly features: DocumentFeatures })[];
  readonly config: Pick<Config['learn'], 'candidates' | 'features'>;
}

/**
 * Returns the terms that select a topic against its siblings and OTHERS, by mutual information, best first.
 * @returns empty for a topic without training pages
 */
export function rankFeatures(topic: TopicId, { tree, pages, config }: RankingInput): readonly RankedFeature[] {
  const training = pages.map((page) => ({ ...page, others: isOthersOrigin(page.origin) }));
  const decisions = decisionsOf(nodeClasses(tree, training, []), training, { hasOthers: true, tree });
  const decision = decisions.find((one) => one.topic === topic);
  if (decision === undefined) return [];
  const corpus = corpusOf(training.map(({ features }) => features.terms));
  const features = config.features === 'auto' ? config.candidates : config.features;
  return selectFeatures({ corpus, ...decision, candidates: config.candidates, features }).map(
    ({ id, information }, i) => ({ rank: i + 1, feature: corpus.names[id]!, information }),
  );
}
