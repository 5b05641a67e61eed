import type { Assignment, Confidence, TopicId, TopicScores } from '../../core/index.ts';

/** Verdicts on many pages as numbers: an object per page and topic would take longer to send than to compute. */
export interface PackedAssignments {
  /** Every topic in a verdict. */
  readonly topics: readonly TopicId[];
  readonly model: number;
  /** Topics with scores. */
  readonly scored: readonly TopicId[];
  /** Rows of four numbers for the page and six for each scored topic; NaN in front if there is no verdict. */
  readonly numbers: Float64Array<ArrayBuffer>;
}

const PAGE_NUMBERS = 4;
const TOPIC_NUMBERS = 6;

/** Packs verdicts of one model. */
export function packAssignments(assignments: readonly (Assignment | undefined)[]): PackedAssignments {
  const first = assignments.find((assignment) => assignment !== undefined);
  const scored = first?.scores.map(({ topic }) => topic) ?? [];
  const topics = new Map<TopicId, number>();
  const width = PAGE_NUMBERS + TOPIC_NUMBERS * scored.length;
  const numbers = new Float64Array(width * assignments.length);
  for (const [i, assignment] of assignments.entries()) {
    let at = i * width;
    if (assignment === undefined) {
      numbers[at] = Number.NaN;
      continue;
    }
    const { topic, others, confidence, relevance, scores } = assignment;
    if (!topics.has(topic)) topics.set(topic, topics.size);
    for (const number of [topics.get(topic)!, others ? 1 : 0, confidence, relevance]) numbers[at++] = number;
    for (const { confidence, calibrated, bayes, bayesCalibrated, cosine, relevance } of scores) {
      numbers[at++] = confidence;
      numbers[at++] = calibrated;
      numbers[at++] = bayes;
      numbers[at++] = bayesCalibrated;
      numbers[at++] = cosine;
      numbers[at++] = relevance;
    }
  }
  return { topics: [...topics.keys()], model: first?.model ?? 0, scored, numbers };
}

/** Restores the verdicts. */
export function unpackAssignments({
  topics,
  model,
  scored,
  numbers,
}: PackedAssignments): readonly (Assignment | undefined)[] {
  const width = PAGE_NUMBERS + TOPIC_NUMBERS * scored.length;
  return Array.from({ length: numbers.length / width }, (_, i) => {
    const at = i * width;
    const topic = topics[numbers[at]!];
    if (topic === undefined) return undefined;
    return {
      topic,
      others: numbers[at + 1] === 1,
      confidence: numbers[at + 2] as Confidence,
      relevance: numbers[at + 3]!,
      scores: scored.map((name, t) => scoresAt(name, numbers, at + PAGE_NUMBERS + TOPIC_NUMBERS * t)),
      model,
    };
  });
}

function scoresAt(topic: TopicId, numbers: Float64Array, at: number): TopicScores {
  return {
    topic,
    confidence: numbers[at] as Confidence,
    calibrated: numbers[at + 1]!,
    bayes: numbers[at + 2]!,
    bayesCalibrated: numbers[at + 3]!,
    cosine: numbers[at + 4]!,
    relevance: numbers[at + 5]!,
  };
}
