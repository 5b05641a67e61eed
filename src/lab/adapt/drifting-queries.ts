import { type CanonicalUrl, UsageError } from '../../core/index.ts';
import { seededRandom } from '../../kit/index.ts';
import { isLabelled, type Labels } from '../tasks/labels.ts';

/** A query of the community, and the label of what it wants. */
export interface Asked {
  readonly query: string;
  readonly subject: string;
}

/** How the community's interest moves. */
export interface Drift {
  /** Labels, by day; one more than days. */
  readonly subjects: readonly string[];
  readonly days: number;
  /** Queries per day. */
  readonly queries: number;
  /** Share of queries on the subject of the next day, in [0,1]. */
  readonly next: number;
  readonly seed: number;
}

/**
 * Draws the queries of each day: titles of labelled pages, as their addresses have them.
 * @throws UsageError if a subject has no page, or there are too few subjects
 */
export function drawQueries(labels: Labels, drift: Drift): readonly (readonly Asked[])[] {
  const { subjects, days, queries, next, seed } = drift;
  if (subjects.length < days + 1)
    throw new UsageError(
      `${days} days need ${days + 1} subjects, got ${subjects.length}.`,
      'Name more: --subjects A,B,…',
    );
  const random = seededRandom(seed);
  const titles = subjects.map((subject) => titlesOf(labels, subject));
  const draw = (subject: number): Asked => {
    const of = titles[subject]!;
    return { query: of[Math.floor(random() * of.length)]!, subject: subjects[subject]! };
  };
  return Array.from({ length: days }, (_, day) =>
    Array.from({ length: queries }, () => draw(random() < next ? day + 1 : day)),
  );
}

function titlesOf(labels: Labels, subject: string): readonly string[] {
  const urls = [...labels].filter(([, paths]) => paths.some((path) => isLabelled(path, [subject]))).map(([url]) => url);
  const titles = urls.map(titleOf).filter((title) => title !== '');
  if (titles.length > 0) return titles;
  throw new UsageError(`No page has the label "${subject}".`, 'Name labels of the web: --subjects A,B,…');
}

/** Returns the title in an address: `/wp/b/Blue_Whale.htm` gives "Blue Whale". */
export function titleOf(url: CanonicalUrl): string {
  const [name = ''] = decoded(new URL(url).pathname).split('/').slice(-1);
  return name
    .replace(/\.\w{1,5}$/, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
