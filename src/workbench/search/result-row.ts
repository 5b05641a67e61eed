import type { Bibliography, Ending, RankMeasure } from '../../core/index.ts';
import type { Result } from './local-search.ts';

/** A search result as plain data. */
export interface ResultRow {
  /** From 1. */
  readonly rank: number;
  readonly title: string;
  readonly url: string;
  /** `null` if no topic accepted the page. */
  readonly topic: string | null;
  /** The weighted sum of the measures, which decides the order. */
  readonly score: number;
  /** What each measure contributes to the score. */
  readonly shares: Readonly<Partial<Record<RankMeasure, number>>>;
  readonly cosine: number;
  readonly bm25: number;
  readonly confidence: number;
  /** In [0,1]. */
  readonly relevance: number;
  readonly authority: number;
  /** Importance by backlinks, PageRank and location; `null` before the end of a crawl. */
  readonly ib: number | null;
  readonly ir: number | null;
  readonly il: number | null;
  /** A passage that contains the words. */
  readonly snippet: string;
  readonly sequence: number;
  /** ISO 8601, UTC. */
  readonly fetchedAt: string;
  readonly contentType: string;
  /** Near duplicates. */
  readonly alike: readonly string[];
  /** How the page ended; `null` if it still exists. */
  readonly ending: Ending | null;
  readonly endedAt: string | null;
  readonly language: string | null;
  /** What the page says about itself as a publication; absent if nothing. */
  readonly bibliography?: Bibliography;
}

/** Converts a result to plain data. */
export function resultRow(result: Result, index: number): ResultRow {
  const { title, url, topic, others, score, shares, confidence, relevance, cosine, bm25, authority } = result;
  const place = { rank: index + 1, title, url, topic: others ? null : topic, score: round(score) };
  const measures = { cosine: round(cosine), bm25: round(bm25), confidence, relevance, authority: round(authority) };
  const parts = Object.fromEntries(Object.entries(shares).map(([measure, share]) => [measure, round(share)]));
  const { sequence, fetchedAt, contentType, alike } = result;
  return {
    ...place,
    shares: parts,
    ...measures,
    ...{ ib: known(result.ib), ir: known(result.ir), il: known(result.il) },
    snippet: result.snippet.text,
    sequence,
    fetchedAt: new Date(fetchedAt).toISOString(),
    contentType,
    alike: alike.map((page) => page.url),
    ending: result.end?.ending ?? null,
    endedAt: result.end === undefined ? null : new Date(result.end.at).toISOString(),
    language: result.language === '' ? null : result.language,
    ...(result.bibliography && { bibliography: result.bibliography }),
  };
}

function known(x: number): number | null {
  return Number.isNaN(x) ? null : round(x);
}

function round(x: number): number {
  return Math.round(x * 1e6) / 1e6;
}
