import {
  type Assignment,
  type Confidence,
  confidence,
  type DocumentFeatures,
  type FeatureBlock,
  type FeatureSpace,
  type MetaRule,
  type PageVote,
  ROOT,
  type TopicId,
  type TopicScores,
} from '../core/index.ts';
import { BAYES_SHARE, calibrated, evidence, posteriors, relevanceOf } from '../learn/index.ts';
import { type BayesVote, voteOfBayes } from './bayes-judge.ts';
import { bestSvm, precisionOf } from './best-svm.ts';
import {
  type Classifier,
  type NumberedBag,
  type PageScores,
  type ScoredBayes,
  type ScoredSvm,
  type SpaceIndex,
  scorePage,
} from './classifier.ts';
import { kernelScore } from './kernel-decision.ts';
import type { TopicModels } from './models.ts';
import { bestVote, combineVotes, type MetaDecision, type Vote } from './rules.ts';
import { scaledVotes } from './voters.ts';

export { type Classifier, freeClassifier, prepareClassifier } from './classifier.ts';

/** Scores of a page by the classifiers of one topic, at the topic's own node. */
export interface ChildScore {
  readonly topic: TopicId;
  /** Mean decision value minus that of the accept threshold. With a single classifier, positive means accepted. */
  readonly confidence: number;
  /** Mean calibrated score of the votes. */
  readonly calibrated: number;
  /** Pr[topic | its parent, page] (Focus eq. 2). */
  readonly bayes: number;
  readonly bayesCalibrated: number;
  /** SVM and naive Bayes combined, on the calibrated scale. */
  readonly combined: number;
  readonly votes: readonly SpaceVote[];
}

/** The decision of one SVM, or of a page classifier of the user, on a page. */
export interface SpaceVote extends Vote {
  /** Feature space, or the name of the page classifier. */
  readonly space: string;
  readonly confidence: number;
  readonly calibrated: number;
}

/**
 * Classifies a page down the tree (BINGO! §2.4). Among the children of a node that the meta rule accepts the best one
 * wins, and its children are tried next. If all children say no, the page stays at the node: as a page of that topic
 * if it is good, else as one of its OTHERS. Deterministic; costs one look-up per distinct feature.
 * @param votes of page classifiers, with the topic names of the model
 */
export function classify(
  classifier: Classifier,
  features: DocumentFeatures,
  rule: MetaRule,
  votes: readonly PageVote[] = NO_VOTES,
): Assignment {
  return assignmentOf(classifier, pageScores(classifier, features, rule), { rule, votes });
}

/** Classifies pages of one block, whose distinct features are looked up in the vocabularies once for all of them. */
export function blockClassifier(
  classifier: Classifier,
  block: FeatureBlock,
  rule: MetaRule,
): (index: number) => Assignment {
  const numbers = classifier.spaces.map((space) => numbersOf(space, block));
  return (index) => {
    const bags = block.bagsOf(index);
    const numbered = usedSpaces(classifier, rule).map((space, v): NumberedBag | undefined => {
      const bag = space && bags[space];
      return bag && { ...bag, numbers: numbers[v]! };
    });
    return assignmentOf(classifier, scorePage(classifier, numbered), { rule, votes: NO_VOTES });
  };
}

function numbersOf({ numbers }: SpaceIndex, { hashes }: FeatureBlock): Int32Array {
  const found = new Int32Array(hashes.length / 2);
  numbers.findAll(hashes, found.length, found);
  return found;
}

function assignmentOf(
  classifier: Classifier,
  page: PageScores,
  ballot: Ballot & { readonly rule: MetaRule },
): Assignment {
  const scores = scoresOfPage(classifier, page, ballot);
  const end = descend(classifier, scores, ballot.rule);
  const topics = topicScores(classifier, page, scores);
  return {
    ...end,
    relevance: topics.reduce((greatest, { relevance }) => Math.max(greatest, relevance), 0),
    scores: topics,
    model: classifier.models.model,
  };
}

/** Scores of every topic that has a classifier, at its own node, by topic. */
export function childScores(
  classifier: Classifier,
  features: DocumentFeatures,
  votes: readonly PageVote[] = NO_VOTES,
): ReadonlyMap<TopicId, ChildScore> {
  return scoresOfPage(classifier, pageScores(classifier, features, undefined), { rule: undefined, votes });
}

const NO_VOTES: readonly PageVote[] = [];

/** How the votes on a page are combined, and those that come with the page. */
interface Ballot {
  readonly rule: MetaRule | undefined;
  readonly votes: readonly PageVote[];
}

function pageScores(classifier: Classifier, features: DocumentFeatures, rule: MetaRule | undefined): PageScores {
  return scorePage(
    classifier,
    usedSpaces(classifier, rule).map((space) => space && features[space]),
  );
}

/** Returns the space of each vocabulary. With the rule `best` only the spaces of the best classifiers are used. */
function usedSpaces({ spaces, fewest }: Classifier, rule: MetaRule | undefined): readonly (FeatureSpace | undefined)[] {
  return spaces.map(({ space }, v) => (rule === 'best' && !fewest.has(v) ? undefined : space));
}

function scoresOfPage(classifier: Classifier, page: PageScores, ballot: Ballot): ReadonlyMap<TopicId, ChildScore> {
  const scores = new Map<TopicId, ChildScore>();
  for (const [node, children] of classifier.children) {
    const likelihoods = nodeLikelihoods(classifier.bayes.get(node), page);
    for (const { id } of children) {
      const svms = classifier.svms.get(id);
      if (svms !== undefined) scores.set(id, childScore({ classifier, page, ballot }, svms, likelihoods));
    }
  }
  return scores;
}

/** Naive Bayes at one node: the log-likelihoods of its classes, and the page's length. */
interface NodeLikelihoods {
  readonly scored: ScoredBayes;
  readonly posteriors: Float64Array;
  readonly evidence: Float64Array;
  readonly words: number;
  /** Number of the page's words that the node knows. */
  readonly known: number;
}

function nodeLikelihoods(scored: ScoredBayes | undefined, page: PageScores): NodeLikelihoods | undefined {
  if (scored === undefined) return undefined;
  const { model, first } = scored;
  const k = model.logUnseen.length;
  const known = page.values[first + k]!;
  const logs = model.logUnseen.map((unseen, c) => known * unseen + page.values[first + c]!);
  const words = page.words[model.vocabulary]!;
  return { scored, posteriors: posteriors(logs, model.logPrior), evidence: evidence(logs, words), words, known };
}

function childScore(
  { classifier, page, ballot }: { classifier: Classifier; page: PageScores; ballot: Ballot },
  svms: readonly ScoredSvm[],
  bayes: NodeLikelihoods | undefined,
): ChildScore {
  const { topic } = svms[0]!.model;
  const c = bayes?.scored.model.classes.indexOf(topic) ?? -1;
  const judge = bayes && c >= 0 ? deciding(classifier.models, bayes, c) : undefined;
  const votes =
    judge === undefined
      ? votesOf(classifier, page, { svms, ballot })
      : votesWith(judge, topic, { models: classifier.models, ballot });
  const mean = (value: (vote: SpaceVote) => number): number =>
    votes.reduce((sum, vote) => sum + value(vote), 0) / votes.length;
  const voted = mean((vote) => vote.calibrated);
  // Without a naive Bayes model, or without a known word, the votes decide alone.
  const bayesCalibrated =
    bayes === undefined || c < 0 || bayes.words === 0
      ? voted
      : calibrated(bayes.evidence[c]!, bayes.scored.model.calibrations[c]!);
  return {
    topic,
    confidence: mean((vote) => vote.confidence),
    calibrated: voted,
    bayes: bayes === undefined || c < 0 ? relevanceOf(voted) : bayes.posteriors[c]!,
    bayesCalibrated,
    combined: judge === undefined ? (1 - BAYES_SHARE) * voted + BAYES_SHARE * bayesCalibrated : voted,
    votes,
  };
}

/** The vote of naive Bayes on class c, if it decides at its node. */
function deciding(models: TopicModels, { scored, evidence, known }: NodeLikelihoods, c: number): BayesVote | undefined {
  if (scored.model.precisions === undefined) return undefined;
  return voteOfBayes(scored.model, c, { evidence: evidence[c]!, isKnown: known > 0 }, models);
}

/** The votes of the SVMs and of page classifiers. With the rule `best` only the best of them votes. */
function votesOf(
  classifier: Classifier,
  page: PageScores,
  { svms, ballot }: { readonly svms: readonly ScoredSvm[]; readonly ballot: Ballot },
): readonly SpaceVote[] {
  const { models } = classifier;
  const asked = ballot.rule === 'best' ? [bestSvm(models, svms)] : svms;
  if (ballot.votes.length === 0) return svmVotes(classifier, page, asked);
  const heard = scaledVotes(models, svms[0]!.model.topic, ballot.votes);
  // An SVM without a known word does not outvote a page classifier.
  const isMute = heard.length > 0 && asked.every((svm) => isEmpty(svm, page));
  return withHeard(isMute ? [] : svmVotes(classifier, page, asked), heard, ballot);
}

/** The vote of naive Bayes with those of page classifiers. */
function votesWith(
  judge: BayesVote,
  topic: TopicId,
  { models, ballot }: { readonly models: TopicModels; readonly ballot: Ballot },
): readonly SpaceVote[] {
  const heard = scaledVotes(models, topic, ballot.votes);
  return withHeard(judge.isMute && heard.length > 0 ? [] : [judge], heard, ballot);
}

function withHeard(own: readonly SpaceVote[], heard: readonly SpaceVote[], { rule }: Ballot): readonly SpaceVote[] {
  const all = [...own, ...heard];
  return rule === 'best' ? [bestVote(all)] : all;
}

/** True if no feature of the page is in the classifier's space. */
function isEmpty({ model }: ScoredSvm, page: PageScores): boolean {
  return model.parts.every((part) => page.words[part.vocabulary]! === 0);
}

/**
 * A classifier whose space is empty on this page has no vote. If all of them are empty, the page counts as a mean
 * negative and is rejected, whatever the hyperplane's offset.
 */
function svmVotes(classifier: Classifier, page: PageScores, svms: readonly ScoredSvm[]): SpaceVote[] {
  const heard = svms.filter((svm) => !isEmpty(svm, page));
  return (heard.length > 0 ? heard : svms).map(({ model, score }) => {
    const { kernel } = model;
    const { calibration } = kernel ?? model;
    const value =
      kernel === undefined ? page.values[score]! + model.bias : kernelScore(classifier, { model, kernel }, page);
    const bound = heard.length === 0 ? 0 : boundOf(value - model.bias);
    const onScale = Math.min(calibrated(value, calibration), bound);
    const { calibrated: byScale, acceptThreshold } = classifier.models;
    const yes = heard.length > 0 && (byScale ? onScale > acceptThreshold : value > 0);
    const precision = precisionOf(classifier.models, model);
    // Calibration moves the hyperplane to the accept threshold; the confidence is the distance to that.
    const { zero, scale } = calibration;
    const moved = byScale ? zero + acceptThreshold * scale : 0;
    const confidence = byScale ? Math.min(value - moved, (bound - acceptThreshold) * scale) : value;
    return { space: model.space, confidence, calibrated: onScale, result: yes ? 1 : -1, precision };
  });
}

/** Returns the upper bound on the scale for a page whose words have this weight in sum. Words without any weight say as little as no words. */
function boundOf(weight: number): number {
  return Math.abs(weight) < NO_WEIGHT ? 0 : Number.POSITIVE_INFINITY;
}

const NO_WEIGHT = 1e-9;

/** The meta decision on one topic. */
function decisionOf(score: ChildScore, rule: MetaRule): MetaDecision {
  return combineVotes(score.votes, rule);
}

function descend(
  classifier: Classifier,
  scores: ReadonlyMap<TopicId, ChildScore>,
  rule: MetaRule,
): { readonly topic: TopicId; readonly others: boolean; readonly confidence: Confidence } {
  const strength = (score: ChildScore): number => (classifier.models.calibrated ? score.combined : score.confidence);
  let node = ROOT;
  let reached = confidence(0);
  for (;;) {
    const children = (classifier.children.get(node) ?? []).flatMap(({ id }) => scores.get(id) ?? []);
    const best = strongest(children, strength);
    const accepted = strongest(
      children.filter((child) => decisionOf(child, rule) === 1),
      strength,
    );
    if (accepted === undefined) {
      if (classifier.topics.get(node)?.good) return { topic: node, others: false, confidence: reached };
      return { topic: node, others: true, confidence: confidence(best?.confidence ?? reached) };
    }
    node = accepted.topic;
    reached = confidence(accepted.confidence);
  }
}

function strongest(children: readonly ChildScore[], strength: (score: ChildScore) => number): ChildScore | undefined {
  let best: ChildScore | undefined;
  for (const child of children) if (best === undefined || strength(child) > strength(best)) best = child;
  return best;
}

function topicScores(
  classifier: Classifier,
  page: PageScores,
  scores: ReadonlyMap<TopicId, ChildScore>,
): TopicScores[] {
  const good = [...classifier.topics.values()].filter((topic) => topic.good);
  return good.map(({ id, path }) => {
    const own = scores.get(id);
    const steps = path.map((topic) => scores.get(topic));
    const centroid = classifier.centroids.get(id);
    return {
      topic: id,
      confidence: confidence(own?.confidence ?? 0),
      calibrated: own?.calibrated ?? 0,
      bayes: steps.reduce((product, step) => product * (step?.bayes ?? 0), 1),
      bayesCalibrated: own?.bayesCalibrated ?? 0,
      cosine: centroid === undefined ? 0 : Math.min(1, page.values[centroid]!),
      relevance: steps.reduce((least, step) => Math.min(least, relevanceOf(step?.combined ?? 0)), 1),
    };
  });
}
