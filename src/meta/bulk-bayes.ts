import type { FeatureSpace, TopicId } from '../core/index.ts';
import type { NodeBayes, TopicModels } from './models.ts';

/** Naive Bayes at one inner node in the form a database can store: features by name, classes by topic. */
export interface SpelledBayes {
  readonly node: TopicId;
  readonly space: FeatureSpace;
  readonly features: readonly string[];
  readonly classes: readonly SpelledClass[];
}

export interface SpelledClass {
  /** `undefined`: OTHERS of the node. */
  readonly topic: TopicId | undefined;
  readonly logPrior: number;
  /** log θ of a feature that the class never holds. */
  readonly logDefault: number;
  /** log θ of each feature. Length = features. */
  readonly logLikelihoods: Float64Array;
}

/** The verdict of naive Bayes alone on a page. */
export interface BayesVerdict {
  readonly topic: TopicId;
  readonly others: boolean;
  /** Pr[topic|d]: the product over the steps down the tree. */
  readonly probability: number;
}

/** The naive Bayes taxonomy of a model, parents before children. */
export function spellBayes({ bayes, vocabularies, topics }: TopicModels): SpelledBayes[] {
  const place = new Map(topics.map(({ id }, i) => [id, i]));
  return [...bayes]
    .sort((a, b) => place.get(a.node)! - place.get(b.node)!)
    .map((model) => {
      const { space, features } = vocabularies[model.vocabulary]!;
      const names = features.split('\n');
      return {
        node: model.node,
        space,
        features: Array.from(model.features, (id) => names[id]!),
        classes: Array.from(model.logPrior, (_, c) => spellClass(model, c)),
      };
    });
}

function spellClass(model: NodeBayes, c: number): SpelledClass {
  const { classes, features, logPrior, logUnseen, starts, holders, excess } = model;
  const logDefault = logUnseen[c]!;
  const logLikelihoods = new Float64Array(features.length).fill(logDefault);
  for (let row = 0; row < features.length; row++)
    for (let entry = starts[row]!; entry < starts[row + 1]!; entry++)
      if (holders[entry] === c) logLikelihoods[row] = logDefault + excess[entry]!;
  return {
    topic: classes[c],
    logPrior: logPrior[c]!,
    logDefault,
    logLikelihoods,
  };
}

/**
 * Follows the likeliest class of each node down from the root (Focus §2.1.2, hard focus). The page stays at a node if
 * that class is OTHERS or the node has no model: as a page of that topic if it is good, else as one of its OTHERS, as
 * in `classify`.
 * @param posteriors of the classes of each node, by index of the node
 */
export function bayesVerdict(
  { topics }: Pick<TopicModels, 'topics'>,
  nodes: readonly Pick<SpelledBayes, 'node' | 'classes'>[],
  posteriors: readonly Float64Array[],
): BayesVerdict {
  const places = new Map(nodes.map(({ node }, i) => [node, i]));
  const good = new Set(topics.filter((topic) => topic.good).map(({ id }) => id));
  let topic = topics[0]!.id;
  let probability = 1;
  for (;;) {
    const place = places.get(topic);
    if (place === undefined) break;
    const best = likeliest(posteriors[place]!);
    probability *= posteriors[place]![best]!;
    const next = nodes[place]!.classes[best]!.topic;
    if (next === undefined) break;
    topic = next;
  }
  return { topic, others: !good.has(topic), probability };
}

function likeliest(posteriors: Float64Array): number {
  let best = 0;
  for (let c = 1; c < posteriors.length; c++) if (posteriors[c]! > posteriors[best]!) best = c;
  return best;
}
