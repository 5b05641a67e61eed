import { type Bibliography, type RankMeasure, readableUrl } from '../../core/index.ts';
import type { Result } from './local-search.ts';

/** Formats the number by which results are ordered: `[0.83]`. */
export function scoreText({ score }: Pick<Result, 'score'>): string {
  return `[${score.toFixed(2)}]`;
}

/** Formats the contribution of each measure: `[0.83] = 0.58 bm25 + 0.25 relevance`. */
export function scoreParts({ score, shares }: Pick<Result, 'score' | 'shares'>): string {
  const parts = (Object.entries(shares) as [RankMeasure, number][]).map(
    ([name, share]) => `${share.toFixed(2)} ${name}`,
  );
  return `${scoreText({ score })} = ${parts.join(' + ')}`;
}

const ENDS = {
  gone: 'gone since',
  moved: 'moved to another stored page,',
  same: 'same text as another page since',
  noindex: 'not to be listed since',
} as const;

/** Describes how a page ended: `gone since 2026-01-31`. */
export function endText({ end }: Pick<Result, 'end'>): string | undefined {
  if (end === undefined) return undefined;
  const where = end.target === '' ? '' : `: ${readableUrl(end.target)}`;
  return `${ENDS[end.ending]} ${new Date(end.at).toISOString().slice(0, 10)}${where}`;
}

/** Authors shown by name; more are *et al.* */
const NAMED_AUTHORS = 2;

/** Describes who published a page and when: `Ada Byron, 2026-11-27, Example News`; `''` if unknown. */
export function bylineText(bibliography: Bibliography | undefined): string {
  const { authors = [], published, journal, site } = bibliography ?? {};
  const named = authors.length > NAMED_AUTHORS ? [`${authors[0]} et al.`] : authors;
  return [named.join(' and '), published, journal ?? site].filter(Boolean).join(', ');
}
