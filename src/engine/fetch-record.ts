import { BingoError, type PageRecord, type VisitRecord } from '../core/index.ts';
import type { JobAnswer } from './fetching/job-fetcher.ts';
import { exampleAssignment, pageRecord, visitRecord } from './records.ts';
import type { CrawlState } from './state/crawl-state.ts';
import type { Pinned } from './state/jobs.ts';
import { sitemapAssignment } from './state/sitemaps.ts';

/** What a conclusion depends on beside the state. */
export interface ConclusionOptions {
  /** The failure may be temporary: the job is fetched again. */
  readonly isTriedAgain: boolean;
  /** See `crawl.languages`. */
  readonly languages: readonly string[];
}

type Conclusion = Omit<PageRecord, 'sequence'> | Omit<VisitRecord, 'sequence'>;

/**
 * Returns the record of a finished fetch: a page, or a visit with the reason why no page was stored. For rechecked
 * pages see `recheckAnswer`.
 * @throws BingoError `NO_MODEL` if a page must be judged before anything was learned
 */
export function conclusion(
  job: Pinned,
  { outcome, analysis }: JobAnswer,
  state: CrawlState,
  { isTriedAgain, languages }: ConclusionOptions,
): Conclusion {
  if (outcome.kind !== 'fetched') return visitRecord(job, outcome, isTriedAgain);
  if (analysis === undefined || analysis.kind === 'unusable')
    return visitRecord(job, { ...outcome, unusable: analysis }, false);
  const { document } = analysis;
  const { url, via } = job.entry;
  const original = job.role === 'crawled' ? state.copies.originalOf(document, url, via) : undefined;
  if (original?.how === 'same-content') return visitRecord(job, { ...outcome, original }, false);
  // A start page chosen by the user always counts, whatever its content.
  const isSitemap = via === 'sitemap';
  const isFound = job.role === 'crawled' && via !== 'seed' && !isSitemap;
  const { language } = document;
  if (isFound && language !== '' && languages.length > 0 && !languages.includes(language))
    return visitRecord(job, { ...outcome, foreign: { language, languages } }, false);
  if (original !== undefined) return visitRecord(job, { ...outcome, original }, false);
  if (document.noindex && job.role === 'crawled') return visitRecord(job, { ...outcome, unwanted: document }, false);
  const given = isSitemap ? sitemapAssignment(job, state.tree) : undefined;
  const trainingRole = job.role === 'crawled' ? given : exampleAssignment(job, state.tree);
  // Until the first round of a run, the model may know topics that bingo.yaml no longer has.
  const assignment =
    trainingRole ?? (analysis.assignment && state.names.assignment(analysis.assignment, state.round?.sequence));
  if (assignment === undefined)
    throw new BingoError({
      code: 'NO_MODEL',
      message: `The page ${job.entry.url} was fetched before a model existed.`,
    });
  return pageRecord(job, outcome, analysis, assignment);
}
