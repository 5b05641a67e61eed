import {
  type AnalyzedDocument,
  type Assignment,
  assertNever,
  type CanonicalUrl,
  type Capture,
  captureFields,
  confidence,
  type FetchedPage,
  type FetchOutcome,
  goodTopics,
  type JournalRecord,
  LINKS_FOLLOWED,
  type OfKind,
  type Origin,
  type PageRecord,
  ROOT,
  type TopicScores,
  type TopicTree,
  type VisitRecord,
} from '../core/index.ts';
import { waitNote } from './fetching/host-history.ts';
import type { Analysis } from './ports.ts';
import type { Original } from './state/copies.ts';
import type { Pinned } from './state/jobs.ts';

/** A fetched page that is not stored, and why. */
interface Spent extends FetchedPage {
  readonly unusable?: Analysis | undefined;
  /** The stored page that it copies. */
  readonly original?: Original;
  /** Set if the page asks not to be stored. */
  readonly unwanted?: AnalyzedDocument;
  /** Set if the page is in a language that the user does not want. */
  readonly foreign?: { readonly language: string; readonly languages: readonly string[] };
}

/** A topic, or OTHERS below it. */
export type Place = Pick<Assignment, 'topic' | 'others'>;

/** A record before it is appended. */
export type Unnumbered<T extends JournalRecord> = T extends unknown ? Omit<T, 'sequence'> : never;

type NoPage = Exclude<FetchOutcome, FetchedPage> | Spent;

type VisitEnd = Pick<VisitRecord, 'result' | 'reason' | 'detail' | 'status' | 'target' | 'page' | 'links' | 'language'>;

/** Returns the record of a fetched and classified page. It gets its `sequence` when it is appended. */
export function pageRecord(
  job: Pinned,
  page: FetchedPage,
  { document, packed }: OfKind<Analysis, 'analyzed'>,
  assignment: Assignment,
): Omit<PageRecord, 'sequence'> {
  const { entry, role } = job;
  return {
    kind: 'page',
    url: entry.redirects[0] ?? entry.url,
    finalUrl: entry.url,
    redirects: entry.redirects,
    host: entry.host,
    role,
    origin: originOf(job),
    status: page.status,
    contentType: page.headers.contentType,
    fetchedAt: page.fetchedAt,
    bytes: page.body.byteLength,
    address: page.address,
    etag: page.headers.etag,
    lastModified: page.headers.lastModified,
    document: page.capture === undefined ? document : withCapture(document, page.capture),
    ...(packed === undefined ? {} : { packed }),
    assignment,
  };
}

function withCapture(document: AnalyzedDocument, capture: Capture): AnalyzedDocument {
  return { ...document, fields: { ...document.fields, ...captureFields(capture) } };
}

/** Returns the record of a page that turned out to be a copy of a stored one. */
export function copyVisit(page: PageRecord, original: Original): VisitRecord {
  const { sequence, finalUrl, origin, status, fetchedAt } = page;
  const end = duplicateEnd(original, status);
  return { kind: 'visit', sequence, url: finalUrl, origin, ...end, retried: false, fetchedAt };
}

/** Returns the record of a fetch without a page. */
export function visitRecord(job: Pinned, outcome: NoPage, retried: boolean): Omit<VisitRecord, 'sequence'> {
  const { url } = job.entry;
  return { kind: 'visit', url, origin: originOf(job), ...endOf(outcome), retried, fetchedAt: outcome.fetchedAt };
}

/**
 * Returns the verdict on a training page before a model exists: a page of its topic with relevance 1, or a page of
 * OTHERS with relevance 0.
 */
export function exampleAssignment({ role, entry }: Pinned, tree: TopicTree): Assignment {
  return givenAssignment({ topic: entry.topic, others: role !== 'example' }, tree);
}

/** Returns the verdict on a page that the user placed. */
export function givenAssignment({ topic, others }: Place, tree: TopicTree): Assignment {
  const scores = goodTopics(tree).map(({ id }): TopicScores => {
    const value = !others && id === topic ? 1 : 0;
    const sureness = confidence(value === 1 ? 1 : -1);
    const same = { bayes: value, bayesCalibrated: value, cosine: value, relevance: value };
    return { topic: id, confidence: sureness, calibrated: value, ...same };
  });
  const value = others ? 0 : 1;
  return { topic, others, confidence: confidence(others ? -1 : 1), relevance: value, scores, model: 0 };
}

/**
 * Returns the verdict on a page that asks not to be stored: rejected, with its expected relevance times `decay`. Its
 * content is not stored, so it must not affect the verdict: the journal is read again without it.
 */
export function unwantedAssignment({ entry: { topic, priority } }: Pinned, decay: number): Assignment {
  const relevance = decay * Math.min(1, Math.max(0, priority));
  const same = { calibrated: relevance, bayes: relevance, bayesCalibrated: relevance, cosine: relevance, relevance };
  const scores = [{ topic, confidence: confidence(-1), ...same }];
  return { topic: ROOT, others: true, confidence: confidence(-1), relevance, scores, model: 0 };
}

/** Returns the origin of a job for its record. */
export function originOf({ entry }: Pinned): Origin {
  const { via, from, topic, depth, tunnelDepth, priority } = entry;
  const redirected = entry.redirects.length > 0 && via === 'link' ? 'redirect' : via;
  return { via: redirected, from, topic, depth, tunnelDepth, priority };
}

function endOf(outcome: NoPage): VisitEnd {
  switch (outcome.kind) {
    case 'redirected':
      return end('redirected', outcome.permanent ? 'permanent' : 'temporary', '', outcome.status, outcome.target);
    case 'unchanged':
      return end('unchanged', 'not-modified', '', 304, '');
    case 'refused':
      return end('refused', outcome.reason, outcome.detail, 0, '');
    case 'failed':
      return end('failed', outcome.reason, outcome.detail + waitNote(outcome.retryAfterMs), outcome.status, '');
    case 'fetched':
      return spentEnd(outcome);
    default:
      return assertNever(outcome);
  }
}

const DUPLICATES = {
  'same-content': 'same text as another page',
  'near-duplicate': 'nearly the same text as another page',
  canonical: 'names another page as its original, with nearly the same text',
} as const;

function duplicateEnd({ page, how }: Original, status: number): VisitEnd {
  return { ...end('duplicate', how, DUPLICATES[how], status, ''), page };
}

function spentEnd(page: Spent): VisitEnd {
  if (page.foreign !== undefined) {
    const { language, languages } = page.foreign;
    return end(
      'refused',
      'language',
      `it is in ${language}, crawl.languages has ${languages.join(', ')}`,
      page.status,
      '',
    );
  }
  if (page.unwanted !== undefined) return unwantedEnd(page.unwanted, page.status);
  if (page.original !== undefined) return duplicateEnd(page.original, page.status);
  const why = page.unusable?.kind === 'unusable' ? page.unusable : { reason: 'unusable', detail: '' };
  return end('failed', why.reason, why.detail, page.status, '');
}

/**
 * Returns the end of a visit to a page that asks not to be stored. The page may allow its links to be followed: only
 * they are stored.
 */
export function unwantedEnd({ nofollow, links, language }: AnalyzedDocument, status: number): VisitEnd {
  const detail = 'the page asks not to be indexed';
  if (nofollow) return end('noindex', 'meta-robots', detail, status, '');
  return { ...end('noindex', LINKS_FOLLOWED, detail, status, ''), links, language };
}

function end(
  result: VisitRecord['result'],
  reason: string,
  detail: string,
  status: number,
  target: CanonicalUrl | string,
): VisitEnd {
  return { result, reason, detail, status, target, page: 0 };
}
