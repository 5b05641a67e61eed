import type { Config } from '../core/index.ts';
import { calibrated } from '../learn/index.ts';
import type { TrainedBayes } from './bayes-training.ts';
import { type DecisionClassifiers, spaceQuality } from './estimates.ts';
import type { NodeBayes } from './models.ts';
import type { Vote } from './rules.ts';

/** Name of naive Bayes among the feature spaces that vote. */
export const BAYES_VOTE = 'naive-bayes';

/**
 * Puts the held-out evidence of naive Bayes in place of the scores of a decision's SVMs. The SVMs remain if the node
 * has nothing to compare the topic with.
 */
export function judgedByBayes<T extends DecisionClassifiers>(trained: T, bayes: readonly TrainedBayes[]): T {
  const { decision } = trained;
  const node = bayes.find((one) => one.node === decision.node);
  const c = node?.classes.indexOf(decision.topic) ?? -1;
  if (node === undefined || c < 0) return trained;
  const rows = new Map(node.documents.map((document, row) => [document, row]));
  const scores = node.heldOut[c];
  const heldOut = Float64Array.from([...decision.positives, ...decision.negatives], (document) => {
    return scores?.[rows.get(document) ?? -1] ?? Number.NaN;
  });
  const calibration = node.calibrations[c];
  return calibration === undefined ? trained : { ...trained, judge: { heldOut, calibration } };
}

/** Held-out precision of naive Bayes for each class of a node; NaN if unknown. */
export function precisionsOf(
  { classes }: TrainedBayes,
  decisions: readonly DecisionClassifiers[],
  config: Config['learn'],
): readonly number[] {
  return classes.map((topic) => {
    const trained = decisions.find(({ decision }) => decision.topic === topic);
    if (trained?.judge === undefined) return Number.NaN;
    return spaceQuality(trained.judge, trained.decision.positives.length, config).precision;
  });
}

/** How well a page's words fit one class of a node. */
export interface ClassEvidence {
  /** See `evidence` in `learn`. */
  readonly evidence: number;
  /** True if the page has a word that the node knows. */
  readonly isKnown: boolean;
}

/** A vote of naive Bayes, in the form of those of the SVMs. */
export interface BayesVote extends Vote {
  readonly space: string;
  readonly confidence: number;
  readonly calibrated: number;
  /** True if the page has no word that the node knows. */
  readonly isMute: boolean;
}

/** The vote of naive Bayes for class c of a node. A page without a known word is rejected, like an empty one. */
export function voteOfBayes(
  { calibrations, precisions = [] }: Pick<NodeBayes, 'calibrations' | 'precisions'>,
  c: number,
  { evidence, isKnown }: ClassEvidence,
  rule: { readonly calibrated: boolean; readonly acceptThreshold: number },
): BayesVote {
  const scale = calibrations[c] ?? { zero: 0, scale: 1 };
  const onScale = Math.min(calibrated(evidence, scale), isKnown ? Number.POSITIVE_INFINITY : 0);
  const moved = rule.calibrated ? scale.zero + rule.acceptThreshold * scale.scale : 0;
  const yes = isKnown && (rule.calibrated ? onScale > rule.acceptThreshold : evidence > 0);
  return {
    space: BAYES_VOTE,
    confidence: evidence - moved,
    calibrated: onScale,
    result: yes ? 1 : -1,
    precision: precisions[c] ?? Number.NaN,
    isMute: !isKnown,
  };
}
