import type {
  Assignment,
  CanonicalUrl,
  DocumentFeatures,
  MetaRule,
  RecallEstimate,
  RoundRecord,
} from '../../core/index.ts';
import { classify, decodeModels, prepareClassifier } from '../../meta/index.ts';
import type { LinkGraph, Truth } from '../tasks/relevance.ts';
import type { Task } from '../tasks/task.ts';
import {
  CHECKPOINTS,
  type Checkpoint,
  type ClassifierQuality,
  classifierQuality,
  foundCurve,
  harvestRateAt,
  type Judgement,
  recallArea,
  recallAt,
  shareOnTopic,
} from './measures.ts';
import { oracleArea } from './oracle.ts';

/** Estimates of recall at checkpoints of the budget, by per cent. */
export type EstimatesAtCheckpoints = { readonly [At in Checkpoint]?: RecallEstimate };

/** A figure at each checkpoint of the budget, by per cent. */
export type AtCheckpoints = Readonly<Record<Checkpoint, number>>;

/** All measures of docs/lab.md#the-measures. NaN if a figure does not exist; `null` in JSON. */
export interface RunMeasures {
  /** Area under recall over fetches, divided by the oracle's. */
  readonly nAUC: number;
  readonly area: number;
  readonly oracleArea: number;
  readonly budget: number;
  /** Pages fetched, at most the budget. */
  readonly fetches: number;
  /** Relevant pages among them. */
  readonly found: number;
  /** All relevant pages. */
  readonly scored: number;
  readonly reachable: number;
  readonly recall: AtCheckpoints;
  readonly harvestRate: AtCheckpoints;
  /** The crawl's own estimates of its recall. Missing where it had too few pages, and in results of older versions. */
  readonly estimated?: EstimatesAtCheckpoints;
  /** The first and the last model on the labelled pages fetched. */
  readonly classifier: {
    readonly judged: number;
    readonly first: ClassifierQuality;
    readonly last: ClassifierQuality;
  };
  readonly archetypes: {
    readonly count: number;
    readonly judged: number;
    /** Share of the labelled ones. */
    readonly onTopic: number;
  };
}

/** A fetch that counted against the budget. */
export interface Found {
  readonly url: CanonicalUrl;
  readonly assignment: Assignment;
  /** Features at the time of classification. */
  readonly features: DocumentFeatures;
}

/** A page that a crawl made an archetype. */
export interface RunArchetype {
  readonly url: string;
  readonly topic: string;
  /** Number of the first model trained with it. */
  readonly round: number;
}

/** Results of a crawl. */
export interface Outcome {
  readonly found: readonly Found[];
  readonly archetypes: readonly RunArchetype[];
  readonly rounds: readonly RoundRecord[];
  readonly links: LinkGraph;
  readonly rule: MetaRule;
  /** Number of first fetches that came on top of the budget. */
  readonly extra: number;
  readonly estimated: EstimatesAtCheckpoints;
}

/** Scores a crawl against the labels. */
export function measureRun(task: Task, truth: Truth, outcome: Outcome): RunMeasures {
  const { budget, seeds } = task;
  const { relevant } = truth;
  const curve = foundCurve(relevantHits(task, truth, outcome)).subarray(outcome.extra);
  const area = recallArea(curve, relevant.size, budget);
  const best = task.oracleArea ?? oracleArea({ seeds, relevant, budget, links: outcome.links });
  return {
    nAUC: area / best,
    area,
    oracleArea: best,
    budget,
    fetches: curve.length - 1,
    found: curve.at(-1) ?? 0,
    scored: relevant.size,
    reachable: truth.reachable,
    recall: atCheckpoints((percent) => recallAt(curve, relevant.size, budget, percent)),
    harvestRate: atCheckpoints((percent) => harvestRateAt(curve, budget, percent)),
    estimated: outcome.estimated,
    classifier: measureClassifiers(truth, outcome),
    archetypes: measureArchetypes(truth, outcome.archetypes),
  };
}

/** Returns whether each fetch gave a relevant page: those on top of the budget, then those of the budget. */
export function relevantHits(
  task: Task,
  truth: Truth,
  { found, extra }: Pick<Outcome, 'found' | 'extra'>,
): readonly boolean[] {
  return found.slice(0, task.budget + extra).map(({ url }) => truth.relevant.has(url));
}

function atCheckpoints(figure: (percent: Checkpoint) => number): AtCheckpoints {
  return Object.fromEntries(CHECKPOINTS.map((percent) => [percent, figure(percent)])) as unknown as AtCheckpoints;
}

function measureClassifiers(truth: Truth, { found, rounds, rule }: Outcome): RunMeasures['classifier'] {
  const judged = found.filter(({ url }) => truth.topicsOf(url) !== undefined);
  const quality = (round: RoundRecord | undefined): ClassifierQuality => {
    if (round === undefined) return classifierQuality([]);
    const classifier = prepareClassifier(decodeModels(round.blob));
    const judgements = judged.map(
      ({ url, features }): Judgement => judgement(classify(classifier, features, rule), truth.topicsOf(url) ?? []),
    );
    return classifierQuality(judgements);
  };
  return { judged: judged.length, first: quality(rounds[0]), last: quality(rounds.at(-1)) };
}

/** Ranks pages by the unclipped score of their best topic, because relevance in [0,1] has ties at both ends. */
function judgement(assignment: Assignment, truth: readonly string[]): Judgement {
  const score = Math.max(...assignment.scores.map((s) => s.calibrated));
  return { truth, verdict: assignment.others ? null : assignment.topic, score };
}

function measureArchetypes(truth: Truth, archetypes: readonly RunArchetype[]): RunMeasures['archetypes'] {
  const onTopic = archetypes.map(({ url, topic }) => truth.topicsOf(url as CanonicalUrl)?.includes(topic));
  const judged = onTopic.filter((on) => on !== undefined).length;
  return { count: archetypes.length, judged, onTopic: shareOnTopic(onTopic) };
}
