import {
  type Config,
  isArchetype,
  isOthersOrigin,
  type TopicId,
  type TrainingEntry,
  type TrainingOrigin,
} from '../core/index.ts';

/** A stored page that may become a training page, with the origin by which it qualifies. */
export interface ArchetypeCandidate {
  readonly key: string;
  readonly title: string;
  readonly topic: TopicId;
  /** Calibrated confidence for the topic, by a model that was not trained on it. */
  readonly calibrated: number;
  /** Authority score in the topic's base set, in [0,1]; 0 if it is not an authority. */
  readonly authority: number;
  /** Score of naive Bayes, on the same scale, by the same model. */
  readonly bayesCalibrated: number;
  /** Number of other accepted pages of the topic that link to it. */
  readonly citations: number;
  readonly origin: TrainingOrigin;
}

/** Input of the selection for one topic. */
export interface ArchetypeInput {
  readonly topic: TopicId;
  readonly candidates: readonly Omit<ArchetypeCandidate, 'origin'>[];
  /** All training pages of the current model. Pages of other topics and OTHERS are ignored. */
  readonly training: readonly TrainingEntry[];
  readonly config: Pick<
    Config['learn'],
    | 'authorityArchetypes'
    | 'confidenceArchetypes'
    | 'maxArchetypesPerRound'
    | 'maxArchetypes'
    | 'acceptThreshold'
    | 'archetypeGate'
    | 'calibrated'
  >;
}

/** What a round changes in the training set. */
export interface ArchetypeChoice {
  /** Best first. */
  readonly admitted: readonly ArchetypeCandidate[];
  /** Archetypes that weakened. Examples of the user are never dropped. */
  readonly dropped: readonly { readonly key: string; readonly topic: TopicId }[];
}

/**
 * The mean positive by definition of the calibrated scale. Two or three held-out scores can be far below it by
 * chance.
 */
const MEAN_POSITIVE = 1;

/** Number of archetypes that a topic gets on weaker evidence. */
const FEW = 3;

/**
 * Chooses new archetypes (BINGO! §3.2). Candidates are the best authorities and the most confident pages. A candidate
 * is admitted if its confidence exceeds the mean held-out confidence of the topic's training pages. At most
 * min{N_auth, N_conf} and `maxArchetypesPerRound` are admitted per round, `maxArchetypes` in all. Archetypes whose
 * own held-out confidence fell below the accept threshold are dropped. The paper compares with the training pages'
 * own scores, which no new page can reach. Without `archetypeGate` the accept threshold is enough. With it and the
 * calibrated scale, a candidate needs further evidence, see {@link withEvidence}.
 */
export function selectArchetypes(input: ArchetypeInput): ArchetypeChoice {
  const { topic, training, config } = input;
  const own = training.filter((entry) => entry.topic === topic && !isOthersOrigin(entry.origin));
  const found = own.filter((entry) => isArchetype(entry.origin));
  const least = config.calibrated ? config.acceptThreshold : 0;
  const weakened = found.filter(({ confidence }) => confidence < least);
  const room = Math.max(0, config.maxArchetypes - (found.length - weakened.length));
  const perRound = Math.min(config.authorityArchetypes, config.confidenceArchetypes, config.maxArchetypesPerRound);
  const gate = config.archetypeGate ? archetypeGate(own) : least;
  const known = new Set(own.map((entry) => entry.key));
  const likely = nominate(input).filter(({ key, calibrated }) => calibrated > gate && !known.has(key));
  const isExact = config.calibrated && config.archetypeGate;
  const witnessed = isExact ? withEvidence(likely, found.length - weakened.length) : likely;
  const admitted = witnessed.slice(0, Math.min(perRound, room));
  return { admitted, dropped: weakened.map(({ key }) => ({ key, topic })) };
}

/**
 * Returns the calibrated confidence that a new archetype must exceed: the mean held-out confidence of a topic's
 * training pages, at least 1.
 */
export function archetypeGate(entries: readonly Pick<TrainingEntry, 'confidence'>[]): number {
  const known = entries.map((entry) => entry.confidence).filter((confidence) => !Number.isNaN(confidence));
  if (known.length === 0) return MEAN_POSITIVE;
  return Math.max(MEAN_POSITIVE, known.reduce((sum, c) => sum + c, 0) / known.length);
}

/**
 * The drift guard (docs/methods.md#the-drift-guard): true if the user's held-out examples rank lower among off-topic
 * pages than before.
 * @param before rank figures of one topic, in [0,1]; NaN if unknown, which never makes a round worse
 * @param tolerance loss that is accepted; >= 0
 */
export function roundIsWorse(before: number, after: number, tolerance: number): boolean {
  return after < before - tolerance;
}

/**
 * The other half of the drift guard: true if an archetype is less like the user's examples than they are like each
 * other. Of
 * 194 archetypes of the frozen webs' tasks 11 were, none of them on topic.
 * @param likeness calibrated score by the classifier of the examples alone; `undefined` if unknown
 */
export function isUnlike(likeness: number | undefined): boolean {
  return likeness !== undefined && likeness < MEAN_POSITIVE;
}

type Numbers = readonly number[] | Float64Array;

/**
 * Returns the rank of held-out examples among off-topic pages: the share of pairs in which the example scores higher,
 * ties half.
 * @returns in [0,1]; NaN if either side is empty
 */
export function rankAbove(examples: Numbers, offTopic: Numbers): number {
  let won = 0;
  for (const example of examples)
    for (const other of offTopic) won += example > other ? 1 : example === other ? 0.5 : 0;
  return won / (examples.length * offTopic.length);
}

/**
 * Returns the candidates that naive Bayes finds as typical as the mean page of the topic, and that another accepted
 * page links to. Among pages above the gate, more confidence of the SVM does not mean a better archetype; these two
 * do (docs/quality.md#archetypes). A topic with few archetypes also gets candidates with one of the two.
 * @param kept number of archetypes that the topic keeps
 */
function withEvidence(likely: readonly ArchetypeCandidate[], kept: number): ArchetypeCandidate[] {
  const isTypical = ({ bayesCalibrated }: ArchetypeCandidate): boolean => bayesCalibrated >= MEAN_POSITIVE;
  const isCited = ({ citations }: ArchetypeCandidate): boolean => citations > 0;
  const sure = likely.filter((candidate) => isTypical(candidate) && isCited(candidate));
  const half = likely.filter((candidate) => isTypical(candidate) !== isCited(candidate));
  return [...sure, ...half.slice(0, Math.max(0, FEW - kept - sure.length))];
}

function nominate({ candidates, topic, config }: ArchetypeInput): ArchetypeCandidate[] {
  const ours = candidates.filter((candidate) => candidate.topic === topic);
  const authorities = [...ours]
    .filter(({ authority }) => authority > 0)
    .sort((a, b) => b.authority - a.authority || byKey(a, b))
    .slice(0, config.authorityArchetypes)
    .map((candidate): ArchetypeCandidate => ({ ...candidate, origin: 'archetype-by-authority' }));
  const chosen = new Set(authorities.map(({ key }) => key));
  const confident = [...ours]
    .sort((a, b) => b.calibrated - a.calibrated || byKey(a, b))
    .slice(0, config.confidenceArchetypes)
    .filter(({ key }) => !chosen.has(key))
    .map((candidate): ArchetypeCandidate => ({ ...candidate, origin: 'archetype-by-confidence' }));
  return [...authorities, ...confident].sort((a, b) => b.calibrated - a.calibrated || byKey(a, b));
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
