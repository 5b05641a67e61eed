import {
  type CanonicalUrl,
  type FetchedPage,
  type FetchOutcome,
  hostOf,
  type OfKind,
  PART_STATUS,
  type PageRecord,
  type PageVersion,
  siteOfUrl,
  type VisitRecord,
} from '../../core/index.ts';
import type { Analysis } from '../ports.ts';
import { originOf, unwantedEnd } from '../records.ts';
import { isAway, type RecheckJob } from '../state/jobs.ts';
import { isNearlySame, type RecheckRules } from './recheck.ts';
import type { RecheckEnd } from './recheck-queue.ts';

/** A new version to store. */
export interface NewVersion {
  readonly kind: 'version';
  readonly page: FetchedPage;
  readonly analysis: OfKind<Analysis, 'analyzed'>;
}

/** Result of one fetch of a stored page. */
export type RecheckAnswer =
  /** The failure may be temporary, or a redirect may lead back: this job is fetched next. */
  | { readonly kind: 'again'; readonly job: RecheckJob }
  | NewVersion
  | {
      readonly kind: 'visit';
      readonly record: Omit<VisitRecord, 'sequence'>;
      readonly end: RecheckEnd | undefined;
      /** Set if the page moved: this job is fetched instead. */
      readonly next?: RecheckJob;
    };

/** What the crawl knows that affects the answer. */
export interface RecheckWorld {
  readonly rules: RecheckRules;
  readonly maxTries: number;
  readonly maxRedirects: number;
  readonly isBad: (host: string) => boolean;
  /** True if the user's address rules exclude the URL. */
  readonly isKeptOut: (url: CanonicalUrl) => boolean;
  /** Returns the stored page that a URL leads to, if any. */
  readonly pageOf: (url: CanonicalUrl) => number | undefined;
  /** Returns the stored page with this text, if any. */
  readonly duplicateOf: (contentHash: string) => number | undefined;
  readonly hasNewLinks: (document: PageRecord['document']) => boolean;
  /** Returns where a temporary redirect to this address ended during this recheck. */
  readonly deadEnd: (url: CanonicalUrl) => DeadEnd | undefined;
}

/** The end of a chain of temporary redirects, and what is there. */
export interface DeadEnd {
  readonly at: CanonicalUrl;
  /** `other`: not the page; `unknown`: no answer, or the address may not be fetched. */
  readonly what: 'other' | 'unknown';
}

/** Maximum number of temporary redirects to follow: they may set a cookie and lead back to the page. */
const MAX_DETOURS = 8;

/** 410 means permanently gone; 404 leaves that open. */
const GONE = 410;

type End = Pick<VisitRecord, 'result' | 'reason'> &
  Partial<Pick<VisitRecord, 'url' | 'detail' | 'status' | 'target' | 'page' | 'links' | 'language' | 'version'>>;

/** Interprets the outcome of a recheck. Pure. A temporary failure never counts against the page. */
export function recheckAnswer(
  job: RecheckJob,
  outcome: FetchOutcome,
  analysis: Analysis | undefined,
  world: RecheckWorld,
): RecheckAnswer {
  const visit = (end: End, what: RecheckEnd | undefined, next?: RecheckJob): RecheckAnswer => ({
    kind: 'visit',
    record: visitOf(job, outcome.fetchedAt, end),
    end: what,
    ...(next && { next }),
  });
  if (isAway(job) && outcome.kind !== 'redirected')
    return awayAnswer(job, deadEndOf(job, outcome, analysis), world, visit);
  if (hasCome(job, world))
    return visit({ url: job.recheck.finalUrl, result: 'redirected', reason: 'merged', target: job.entry.url }, 'moved');
  switch (outcome.kind) {
    case 'unchanged':
      return visit(
        { result: 'unchanged', reason: 'not-modified', status: 304, ...toldAgain(job, outcome) },
        'unchanged',
      );
    case 'refused':
      return visit({ result: 'refused', reason: outcome.reason, detail: outcome.detail }, 'failed');
    case 'redirected':
      return movedAnswer(job, outcome, world, visit);
    case 'failed':
      return failedAnswer(job, outcome, world, visit);
    case 'fetched':
      return fetchedAnswer(job, outcome, analysis, { world, visit });
  }
}

type Visit = (end: End, what: RecheckEnd | undefined, next?: RecheckJob) => RecheckAnswer;

/** Returns what is at the target of a temporary redirect. A mirror of the page counts as the page. */
export function deadEndOf(job: RecheckJob, outcome: FetchOutcome, analysis: Analysis | undefined): DeadEnd {
  return { at: job.entry.url, what: isOther(job, outcome, analysis) ? 'other' : 'unknown' };
}

function isOther({ recheck }: RecheckJob, outcome: FetchOutcome, analysis: Analysis | undefined): boolean {
  if (outcome.kind === 'failed') return outcome.retry === 'never';
  const document = analysis?.kind === 'analyzed' ? analysis.document : undefined;
  const isMirror = document?.contentHash === recheck.contentHash || isNear(document, recheck);
  return outcome.kind === 'fetched' && !isMirror;
}

function isNear(document: PageRecord['document'] | undefined, { simhash }: RecheckJob['recheck']): boolean {
  return document !== undefined && isNearlySame(document.simhash, simhash);
}

/**
 * Decides about a page whose temporary redirect did not lead back. If it ends on another site with different content,
 * the page is gone: perhaps its domain was sold. Within its own site the page is hidden, for example behind a login
 * or a maintenance page.
 */
function awayAnswer(job: RecheckJob, { at, what }: DeadEnd, { rules }: RecheckWorld, visit: Visit): RecheckAnswer {
  const homes = [job.recheck.finalUrl, job.detour?.from.url ?? job.entry.url].map(siteOfUrl);
  if (what === 'unknown' || homes.includes(siteOfUrl(at)))
    return visit({ result: 'redirected', reason: 'temporary', target: at }, 'failed');
  return missing(job, { reason: 'elsewhere', detail: `it leads to ${at}` }, rules, visit);
}

/** True if another page moved to the same address and was stored there while this one waited for it. */
function hasCome(job: RecheckJob, { pageOf }: RecheckWorld): boolean {
  return job.entry.url !== job.recheck.finalUrl && !isAway(job) && isOfAnother(pageOf(job.entry.url), job);
}

function isOfAnother(page: number | undefined, { recheck }: RecheckJob): boolean {
  return page !== undefined && page > 0 && page !== recheck.sequence;
}

/** Follows a temporary redirect (maintenance page, login) to its end: it may lead back to the page. */
function movedAnswer(
  job: RecheckJob,
  { target, status, permanent }: OfKind<FetchOutcome, 'redirected'>,
  world: RecheckWorld,
  visit: Visit,
): RecheckAnswer {
  const end = { result: 'redirected', status, target } as const;
  const redirects = [...job.entry.redirects, job.entry.url];
  if (world.isKeptOut(target)) return visit({ ...end, reason: 'temporary' }, 'failed');
  if (!permanent || job.detour !== undefined) {
    const known = world.deadEnd(target);
    if (known !== undefined) return awayAnswer(job, known, world, visit);
    const detour = detourOf(job, target);
    return detour === undefined ? visit({ ...end, reason: 'temporary' }, 'failed') : { kind: 'again', job: detour };
  }
  if (redirects.length > world.maxRedirects) return visit({ ...end, reason: 'temporary' }, 'failed');
  if (isOfAnother(world.pageOf(target), job)) return visit({ ...end, reason: 'merged' }, 'moved');
  const entry = { ...job.entry, url: target, host: hostOf(target), redirects, tries: 0 };
  return visit({ ...end, reason: 'permanent' }, undefined, { ...job, entry });
}

/**
 * Returns the next step of a redirect chain that may lead back. Returns `undefined` if the page redirects again after
 * the chain led back: the crawl will not get in. Exception: the chain first sets a cookie on its own site and then
 * leads to another site, for example after a domain sale.
 */
function detourOf(job: RecheckJob, target: CanonicalUrl): RecheckJob | undefined {
  const { entry, detour } = job;
  const isBack = detour !== undefined && !isAway(job);
  const { from, steps, isAbroad } = detour ?? { from: entry, steps: 0, isAbroad: false };
  const leadsAbroad = siteOfUrl(target) !== siteOfUrl(from.url);
  if ((isBack && (isAbroad || !leadsAbroad)) || steps >= MAX_DETOURS) return undefined;
  return {
    ...job,
    detour: { from, steps: steps + 1, isAbroad: isAbroad || leadsAbroad },
    entry: { ...entry, url: target, host: hostOf(target), redirects: from.redirects, tries: 0 },
  };
}

function failedAnswer(
  job: RecheckJob,
  outcome: OfKind<FetchOutcome, 'failed'>,
  { rules, maxTries, isBad }: RecheckWorld,
  visit: Visit,
): RecheckAnswer {
  const { retry, reason, detail, status } = outcome;
  if (retry === 'never') return missing(job, { reason, detail, status }, rules, visit);
  const tries = job.entry.tries + 1;
  if (tries < maxTries && !isBad(job.entry.host))
    return { kind: 'again', job: { ...job, entry: { ...job.entry, tries } } };
  return visit({ result: 'failed', reason, detail, status }, 'failed');
}

function missing(job: RecheckJob, why: Omit<End, 'result'>, rules: RecheckRules, visit: Visit): RecheckAnswer {
  const isGone = why.status === GONE || job.recheck.missing + 1 >= rules.goneAfter;
  return visit({ result: isGone ? 'gone' : 'missing', ...why }, isGone ? 'gone' : 'failed');
}

function fetchedAnswer(
  job: RecheckJob,
  page: FetchedPage,
  analysis: Analysis | undefined,
  { world, visit }: { readonly world: RecheckWorld; readonly visit: Visit },
): RecheckAnswer {
  const { status } = page;
  // Some servers send partial content without being asked for it.
  if (status === PART_STATUS)
    return visit({ result: 'failed', reason: 'part', detail: 'the server sent only a part of it', status }, 'failed');
  if (analysis === undefined || analysis.kind === 'unusable') {
    const { reason, detail } = analysis ?? { reason: 'unusable', detail: '' };
    return missing(job, { reason, detail, status }, world.rules, visit);
  }
  const { document } = analysis;
  if (document.noindex && job.role === 'crawled')
    return visit({ ...unwantedEnd(document, status), page: job.recheck.sequence }, 'gone');
  const { recheck, entry } = job;
  const isSamePlace = entry.url === recheck.finalUrl;
  if (isSamePlace && document.contentHash === recheck.contentHash)
    return visit({ result: 'unchanged', reason: 'same-content', status, ...renamed(job, page.headers) }, 'unchanged');
  if (isSamePlace && isNear(document, recheck) && !world.hasNewLinks(document))
    return visit(
      { result: 'unchanged', reason: 'nearly-same-content', status, ...renamed(job, page.headers) },
      'unchanged',
    );
  const other = world.duplicateOf(document.contentHash);
  if (other !== undefined && other !== recheck.sequence && job.role === 'crawled') {
    const end = { result: 'duplicate', reason: 'same-content', detail: 'same text as another page', status } as const;
    // The URL identifies the rechecked page, which may have moved meanwhile.
    return visit({ ...end, url: recheck.finalUrl, page: other }, 'gone');
  }
  return { kind: 'version', page, analysis };
}

/**
 * Returns what a 304 says about the version (RFC 9111 §4.3.4). A strong ETag that differs from the requested one
 * belongs to another version.
 */
function toldAgain(job: RecheckJob, { etag = '', lastModified = '' }: Partial<PageVersion>): Pick<End, 'version'> {
  const known = job.recheck.etag;
  const isOfAnother = etag !== '' && !etag.startsWith('W/') && known !== '' && etag !== known;
  return isOfAnother
    ? {}
    : renamed(job, { etag: etag || known, lastModified: lastModified || job.recheck.lastModified });
}

/** Makes the next recheck ask for the version by its newest ETag and date. */
function renamed({ recheck }: RecheckJob, { etag, lastModified }: PageVersion): Pick<End, 'version'> {
  return etag === recheck.etag && lastModified === recheck.lastModified ? {} : { version: { etag, lastModified } };
}

function visitOf(job: RecheckJob, fetchedAt: number, end: End): Omit<VisitRecord, 'sequence'> {
  const rest = { detail: '', status: 0, target: '', page: job.recheck.sequence, retried: false };
  const url = isAway(job) ? job.recheck.finalUrl : job.entry.url;
  return { kind: 'visit', url, origin: originOf(job), ...rest, ...end, fetchedAt };
}
