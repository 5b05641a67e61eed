import type { Assignment, Confidence, Lesson, Parcel, SentEntry, SentPage, TopicScores } from '../../core/index.ts';
import { packBytes, unpackBytes } from './codec.ts';

/** A page of a parcel of a version that sent no lessons. */
type OlderPage = Omit<SentPage, 'whole'> & Partial<Pick<SentPage, 'whole'>>;
interface OlderParcel extends Omit<Parcel, 'pages' | 'lessons'> {
  readonly pages: readonly OlderPage[];
  readonly lessons?: readonly Lesson[];
}

/** Packs a parcel as compressed JSON. Numbers that are not finite become null, as in all tables. */
export function packParcel(parcel: Parcel): Buffer {
  return packBytes(Buffer.from(JSON.stringify({ ...parcel, lessons: parcel.lessons.map(packedLesson) })));
}

export function unpackParcel(data: Uint8Array): Parcel {
  const { pages, redirects, lessons = [] } = JSON.parse(unpackBytes(data).toString()) as OlderParcel;
  return { pages: pages.map(revivedPage), redirects: redirects.map(revivedEntry), lessons: lessons.map(revivedLesson) };
}

function revivedPage({ assignment, entry, ...page }: OlderPage): SentPage {
  const { whole = { links: page.links.length, known: [] } } = page;
  return { ...page, assignment: revivedAssignment(assignment), entry: entry && revivedEntry(entry), whole };
}

/** Returns the lesson with the distances between its words: smaller numbers pack better. */
function packedLesson(lesson: Lesson): Lesson {
  return { ...lesson, words: lesson.words.map((word, i, words) => word - (words[i - 1] ?? 0)) };
}

function revivedLesson(lesson: Lesson): Lesson {
  let word = 0;
  const words = lesson.words.map((distance) => (word += distance));
  return { ...lesson, relevance: number(lesson.relevance), words };
}

function revivedEntry(entry: SentEntry): SentEntry {
  return { ...entry, priority: number(entry.priority) };
}

function revivedAssignment(assignment: Assignment): Assignment {
  const { confidence, relevance, scores } = assignment;
  return {
    ...assignment,
    confidence: number(confidence) as Confidence,
    relevance: number(relevance),
    scores: scores.map(
      (score): TopicScores => ({
        topic: score.topic,
        confidence: number(score.confidence) as Confidence,
        calibrated: number(score.calibrated),
        bayes: number(score.bayes),
        bayesCalibrated: number(score.bayesCalibrated),
        cosine: number(score.cosine),
        relevance: number(score.relevance),
      }),
    ),
  };
}

function number(x: number | null): number {
  return x ?? Number.NaN;
}
