import type { Assignment, Confidence, Parcel, SentEntry, SentPage, TopicScores } from '../../core/index.ts';
import { packBytes, unpackBytes } from './codec.ts';

/** Packs a parcel as compressed JSON. Numbers that are not finite become null, as in all tables. */
export function packParcel(parcel: Parcel): Buffer {
  return packBytes(Buffer.from(JSON.stringify(parcel)));
}

export function unpackParcel(data: Uint8Array): Parcel {
  const { pages, redirects } = JSON.parse(unpackBytes(data).toString()) as Parcel;
  return { pages: pages.map(revivedPage), redirects: redirects.map(revivedEntry) };
}

/** Joins parcels for the same shard, in order. */
export function joinParcels(parcels: readonly Parcel[]): Parcel {
  return { pages: parcels.flatMap(({ pages }) => pages), redirects: parcels.flatMap(({ redirects }) => redirects) };
}

function revivedPage(page: SentPage): SentPage {
  return { ...page, assignment: revivedAssignment(page.assignment), entry: page.entry && revivedEntry(page.entry) };
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
