import { type DocumentFeatures, type FeatureSpace, hashesOf, type TopicId } from '../core/index.ts';
import type { Classifier, ScoredBayes } from './classifier.ts';

/** A node where naive Bayes decides, with the number of the topic's class. */
interface DecidingBayes {
  readonly bayes: ScoredBayes;
  readonly own: number;
}

/** Returns the naive Bayes model that decides on a topic; `undefined` if SVMs do. */
export function decidingBayes({ topics, bayes }: Classifier, topic: TopicId): DecidingBayes | undefined {
  const parent = topics.get(topic)?.parent;
  const node = parent === undefined ? undefined : bayes.get(parent);
  const own = node?.model.precisions === undefined ? -1 : node.model.classes.indexOf(topic);
  return node === undefined || own < 0 ? undefined : { bayes: node, own };
}

/** A term with its share of the evidence; positive speaks for the topic. */
export interface EvidenceTerm {
  readonly space: FeatureSpace;
  readonly feature: string;
  readonly contribution: number;
}

/**
 * The contribution of each known term to the evidence for a topic: n(t) · ln(θ(topic,t) / θ(rival,t)) / words of the
 * page. The rival is the likeliest other class of the node. The contributions add up to the evidence.
 */
export function bayesContributions(
  { spaces }: Classifier,
  { bayes: { model }, own }: DecidingBayes,
  features: DocumentFeatures,
): EvidenceTerm[] {
  const { space, numbers, names } = spaces[model.vocabulary]!;
  const bag = features[space];
  if (bag === undefined) return [];
  const rows = new Map([...model.features].map((feature, row) => [feature, row]));
  const hashes = hashesOf(bag);
  const counts = [...bag.counts];
  const words = counts.reduce((sum, n) => sum + n, 0);
  const known = counts.flatMap((n, k) => {
    const feature = numbers.find(hashes[2 * k]!, hashes[2 * k + 1]!);
    const row = rows.get(feature);
    return row === undefined ? [] : [{ feature, n, logs: logsOf(model, row) }];
  });
  const totals = known.reduce(
    (sums, { n, logs }) => sums.map((sum, c) => sum + n * logs[c]!),
    new Float64Array(model.logUnseen.length),
  );
  const others = [...totals.keys()].filter((c) => c !== own);
  const rival = others.reduce((best, c) => (totals[c]! > totals[best]! ? c : best), others[0]!);
  return known.map(({ feature, n, logs }) => {
    return { space, feature: names[feature]!, contribution: (n * (logs[own]! - logs[rival]!)) / words };
  });
}

/** log θ(c,t) of the feature in one row, for each class c. */
function logsOf({ logUnseen, starts, holders, excess }: ScoredBayes['model'], row: number): Float64Array {
  const logs = Float64Array.from(logUnseen);
  for (let entry = starts[row]!; entry < starts[row + 1]!; entry++) logs[holders[entry]!]! += excess[entry]!;
  return logs;
}
