import {
  baseSpaces,
  type Config,
  type DocumentFeatures,
  type FeatureSpace,
  goodTopics,
  type PageVote,
  ROOT,
  type SpaceName,
  spaceParts,
  type TopicEstimate,
  type TopicTree,
} from '../core/index.ts';
import { freeBytes, type Random } from '../kit/index.ts';
import { corpusOf, type FeatureNames, rarity, type TrainingPage } from '../learn/index.ts';
import { assemble, primaryOf, selectedIn, type TrainedDecision } from './assemble.ts';
import { judgedByBayes } from './bayes-judge.ts';
import { type TrainedBayes, trainNodeBayes } from './bayes-training.ts';
import { childScores, freeClassifier, prepareClassifier } from './classify.ts';
import {
  type Decision,
  decisionsOf,
  isFound,
  type NodeClasses,
  nodeClasses,
  type TrainingWarning,
  warningsOf,
} from './decisions.ts';
import { emptyEstimate, estimateOf, meanHeldOut } from './estimates.ts';
import { FetchedPages, type JoinedSpace, joinedSpace, type SpaceData } from './joined-space.ts';
import { withKernel } from './kernel-training.ts';
import type { TopicModels } from './models.ts';
import { trainSpace } from './space-training.ts';
import { votersOf } from './voters.ts';

export type { TrainingWarning } from './decisions.ts';

/** Input of a training round. */
export interface TrainingInput {
  readonly tree: TopicTree;
  readonly pages: readonly TrainingPage[];
  /** Off-topic pages for idf. They stand in for OTHERS if the tree has none. */
  readonly background: readonly DocumentFeatures[];
  /** The surest accepted pages outside `pages`. With the background they teach what the examples lack. */
  readonly accepted?: readonly DocumentFeatures[];
  /**
   * Votes of page classifiers, with the topic names of the tree: by position in `pages`, then in `background`.
   * `undefined` if unknown.
   */
  readonly votes?: readonly (readonly PageVote[] | undefined)[];
  readonly config: Config['learn'];
  /** Number of the new model. */
  readonly model: number;
  readonly random: Random;
  /** By space, kept from round to round: documents in them are not read again. The result does not depend on them. */
  readonly names?: ReadonlyMap<FeatureSpace, FeatureNames>;
}

/** The result of training. */
export interface TrainedTopics {
  readonly models: TopicModels;
  /** One for each topic with a decision, and for each good topic without examples. */
  readonly estimates: readonly TopicEstimate[];
  /**
   * Held-out confidence by training key, on the calibrated scale where 1 is the mean of a topic's pages. For an
   * OTHERS page it is the greatest over the children that it was a negative of. NaN if unknown.
   */
  readonly heldOut: ReadonlyMap<string, number>;
  /**
   * Likeness of an archetype to the user's examples of its topic, by training key, see {@link TrainedSpace.likeness}.
   */
  readonly likeness: ReadonlyMap<string, number>;
  readonly warnings: readonly TrainingWarning[];
}

/** With fewer off-topic pages than this, idf is counted over all pages: so few do not show which words are common. */
const MIN_OFF_TOPIC = 10;

/**
 * With this many OTHERS, they alone show which words are common and what the topic is not. With fewer, rejected pages
 * count like them. At a limit of 10, ten OTHERS made a worse model than five (docs/quality.md, "A few OTHERS").
 */
const ENOUGH_OTHERS = 40;

/**
 * With this many rejected pages, a topic has enough negatives. With fewer, the background stands in for OTHERS as
 * well.
 */
const LEAST_STAND_INS = 5;

/** Number of off-topic pages among which the examples are ranked. The background is in random order. */
const RANKED = 200;

/**
 * Trains every classifier of the tree: one SVM per feature space for each child of each inner node, naive Bayes for
 * each inner node, and the centroids of the user's examples (docs/methods.md#counts-become-a-classifier).
 */
export function trainTopicModels(input: TrainingInput): TrainedTopics {
  const { tree, pages, config, background, accepted = [], votes = [] } = input;
  const documents = [...pages.map((page) => page.features), ...background, ...accepted];
  const offTopic = background.map((_, i) => pages.length + i);
  const hasOthers = givenOthers(pages).filter((i) => pages[i]!.topic === ROOT).length >= ENOUGH_OTHERS;
  // The background holds near misses: as OTHERS they would exclude more with each round.
  const classes = nodeClasses(tree, pages, hasOthers || hasStandIns(pages) ? [] : offTopic);
  const spaces = spaceData(documents, pages, input);
  const joined = joinedSpaces(documents, pages);
  const planes = decisionsOf(classes, pages, { hasOthers, tree }).map((decision): TrainedDecision => {
    const views = informedSpaces(config.spaces, spaces, decision);
    return {
      decision,
      voters: votersOf(decision, votes, config.acceptThreshold),
      spaces: views.map((parts) => {
        const { space, fetched } = joined.of(parts);
        return withKernel(trainSpace(decision, space, { ...input, fetched }), decision, { ...input, space });
      }),
    };
  });
  joined.free();
  const bayes = trainAllBayes(classes, planes, { primary: primaryOf(spaces), pages });
  const decisions = config.classifier === 'bayes' ? planes.map((plane) => judgedByBayes(plane, bayes)) : planes;
  const models = assemble(input, spaces, decisions, bayes);
  const trained = {
    models,
    estimates: estimatesOf(input, decisions, models),
    heldOut: heldOutByKey(pages, decisions),
    likeness: likenessByKey(pages, decisions),
    warnings: warningsOf(
      tree,
      decisions.map(({ decision }) => decision),
    ),
  };
  // The weights are kept: they are in the models.
  freeBytes(...bayes.flatMap(({ heldOut }) => heldOut));
  for (const { heldOut, parts } of decisions.flatMap((one) => one.spaces))
    freeBytes(heldOut, ...parts.flatMap(({ selected, weighted }) => [selected, weighted]));
  return trained;
}

/**
 * The spaces in which one decision can be learned, as their parts. At the start of a crawl the anchors and neighbours
 * of its examples are unknown. A space, or a part of a joined one, is left out while more than half of the pages of
 * the topic or of its competitors are empty there; otherwise emptiness would mark the topic. One space always stays,
 * and a combination that reduces to an existing space gets no second vote.
 */
function informedSpaces(
  names: readonly SpaceName[],
  spaces: ReadonlyMap<FeatureSpace, SpaceData>,
  { positives, negatives }: Decision,
): SpaceData[][] {
  const isFilled = ({ corpus }: SpaceData, documents: readonly number[]): boolean =>
    2 * documents.filter((document) => corpus.bags[document]!.ids.length > 0).length >= documents.length;
  const whole = names.map((name) => (spaceParts(name) ?? []).map((part) => spaces.get(part)!));
  const informed = whole
    .map((parts) => parts.filter((part) => isFilled(part, positives) && isFilled(part, negatives)))
    .filter((parts) => parts.length > 0);
  const labels = informed.map((parts) => parts.map(({ space }) => space).join('+'));
  return informed.length > 0 ? informed.filter((_, i) => labels.indexOf(labels[i]!) === i) : whole.slice(0, 1);
}

function spaceData(
  documents: readonly DocumentFeatures[],
  pages: readonly TrainingPage[],
  { config, names, background }: Pick<TrainingInput, 'config' | 'names' | 'background'>,
): ReadonlyMap<FeatureSpace, SpaceData> {
  const counted = commonWordsOf(pages, background.length);
  return new Map(
    baseSpaces(config.spaces).map((space) => {
      const corpus = corpusOf(
        documents.map((features) => features[space]),
        names?.get(space),
      );
      const counts = counted.map((i) => corpus.bags[i]!);
      return [space, { space, corpus, rarity: rarity(counts, corpus.names.length) }];
    }),
  );
}

/** A space with the vectors of fetched pages that the user did not judge. */
interface FetchedIn {
  readonly space: JoinedSpace;
  readonly fetched: FetchedPages;
}

/** Joins parts of spaces once, for all decisions. */
function joinedSpaces(
  documents: readonly DocumentFeatures[],
  pages: readonly TrainingPage[],
): { readonly of: (parts: readonly SpaceData[]) => FetchedIn; readonly free: () => void } {
  const positions = [...documents.keys()].filter((i) => i >= pages.length || isFound(pages[i]));
  const known = new Map<string, FetchedIn>();
  const join = (parts: readonly SpaceData[]): FetchedIn => {
    const space = joinedSpace(parts);
    return { space, fetched: new FetchedPages(space, positions) };
  };
  const of = (parts: readonly SpaceData[]): FetchedIn => {
    const name = parts.map(({ space }) => space).join('+');
    const found = known.get(name) ?? join(parts);
    known.set(name, found);
    return found;
  };
  const free = (): void => {
    for (const { space } of known.values()) space.free();
  };
  return { of, free };
}

/**
 * The documents that show how common a word is: OTHERS that the user gave. Rejected pages are near the topic and hold
 * its words, so these would look common (.04 of average precision less on tasks of wikispeedia). They count only if
 * there are too few OTHERS: first the stand-ins, else all rejected pages. @returns positions
 */
function commonWordsOf(pages: readonly TrainingPage[], background: number): readonly number[] {
  const all = Array.from({ length: pages.length + background }, (_, i) => i);
  const offTopic = all.filter((i) => i >= pages.length || pages[i]!.others);
  const others = offTopic.filter((i) => i < pages.length);
  if (givenOthers(pages).length >= ENOUGH_OTHERS) return givenOthers(pages);
  if (hasStandIns(pages) && others.length >= MIN_OFF_TOPIC) return others;
  return offTopic.length >= MIN_OFF_TOPIC ? offTopic : all;
}

/** True if pages of the crawl stand in for OTHERS. */
function hasStandIns(pages: readonly TrainingPage[]): boolean {
  return pages.filter(({ origin }) => origin === 'rejected').length >= LEAST_STAND_INS;
}

/** Positions of the OTHERS that the user gave. */
function givenOthers(pages: readonly TrainingPage[]): readonly number[] {
  return [...pages.keys()].filter((i) => pages[i]!.others && pages[i]!.origin !== 'rejected');
}

function trainAllBayes(
  classes: readonly NodeClasses[],
  decisions: readonly TrainedDecision[],
  { primary, pages }: { readonly primary: SpaceData; readonly pages: readonly TrainingPage[] },
): TrainedBayes[] {
  return classes.flatMap((node) => {
    const own = decisions.filter(({ decision }) => decision.node === node.node);
    const features = selectedIn(
      own.flatMap(({ spaces }) => spaces),
      primary.space,
    );
    const input = { corpus: primary.corpus, features: Int32Array.from(features), pages };
    return trainNodeBayes(node, input) ?? [];
  });
}

function estimatesOf(
  { tree, pages, background, config, votes = [] }: TrainingInput,
  decisions: readonly TrainedDecision[],
  models: TopicModels,
): TopicEstimate[] {
  const classifier = prepareClassifier(models);
  const scores = background.slice(0, RANKED).map((features, i) => {
    const byTopic = childScores(classifier, features, votes[pages.length + i]);
    return new Map([...byTopic].map(([topic, { calibrated }]) => [topic, calibrated]));
  });
  freeClassifier(classifier);
  const decided = new Set(decisions.map(({ decision }) => decision.topic));
  const empty = goodTopics(tree).filter(({ id }) => !decided.has(id));
  return [
    ...decisions.map((trained) => {
      const { decision } = trained;
      const unseen = scores.filter((_, i) => !decision.negatives.includes(pages.length + i));
      const offTopic = unseen.map((score) => score.get(decision.topic)!);
      return estimateOf(trained, { config, background: offTopic });
    }),
    ...empty.map(({ id }) => emptyEstimate(id)),
  ];
}

function heldOutByKey(pages: readonly TrainingPage[], decisions: readonly TrainedDecision[]): Map<string, number> {
  const heldOut = new Map<string, number>();
  for (const trained of decisions) {
    const { decision } = trained;
    const scores = meanHeldOut(trained, true);
    decision.negatives.forEach((document, i) => {
      const page = pages[document];
      if (page === undefined || !page.others || page.topic !== decision.node) return;
      const score = scores[decision.positives.length + i]!;
      const known = heldOut.get(page.key);
      heldOut.set(page.key, known === undefined || Number.isNaN(known) ? score : Math.max(known, score));
    });
  }
  for (const trained of decisions) {
    const { decision } = trained;
    const scores = meanHeldOut(trained, true);
    decision.positives.forEach((document, row) => {
      const page = pages[document]!;
      if (page.topic === decision.topic) heldOut.set(page.key, scores[row]!);
    });
  }
  return heldOut;
}

function likenessByKey(
  pages: readonly TrainingPage[],
  decisions: readonly TrainedDecision[],
): ReadonlyMap<string, number> {
  const likeness = new Map<string, number>();
  for (const { decision, spaces } of decisions) {
    const known = spaces.flatMap((space) => space.likeness ?? []);
    if (known.length === 0) continue;
    decision.archetypes.forEach((row, i) => {
      const page = pages[decision.positives[row]!]!;
      if (page.topic !== decision.topic) return;
      likeness.set(page.key, known.reduce((sum, scores) => sum + scores[i]!, 0) / known.length);
    });
  }
  return likeness;
}
