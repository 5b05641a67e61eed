import {
  type CanonicalUrl,
  type FetchedPage,
  type FetchOutcome,
  hostOf,
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

/** There is a new version to store. */
export interface NewVersion {
  readonly kind: 'version';
  readonly page: FetchedPage;
  readonly analysis: Analysis & { readonly kind: 'analyzed' };
}

/** What became of one look at a stored page. */
export type RecheckAnswer =
  /** The trouble may pass, or a redirect lead back: this is asked next. */
  | { readonly kind: 'again'; readonly job: RecheckJob }
  | NewVersion
  | {
      readonly kind: 'visit';
      readonly record: Omit<VisitRecord, 'sequence'>;
      readonly end: RecheckEnd | undefined;
      /** It moved: this is to be fetched in its place. */
      readonly next?: RecheckJob;
    };

/** What the crawl knows that the answer depends on. */
export interface RecheckWorld {
  readonly rules: RecheckRules;
  readonly maxTries: number;
  readonly maxRedirects: number;
  readonly isBad: (host: string) => boolean;
  /** A rule on addresses says not to ask for it. */
  readonly isKeptOut: (url: CanonicalUrl) => boolean;
  /** The stored page that a URL leads to, if any. */
  readonly pageOf: (url: CanonicalUrl) => number | undefined;
  /** The stored page with this text, if any. */
  readonly duplicateOf: (contentHash: string) => number | undefined;
  readonly hasNewLinks: (document: PageRecord['document']) => boolean;
  /** Where a redirect for the time being to this address ended in this recheck. */
  readonly deadEnd: (url: CanonicalUrl) => DeadEnd | undefined;
}

/** The end of redirects for the time being, and what is there. */
export interface DeadEnd {
  readonly at: CanonicalUrl;
  /** `other`: something else than the page; `unknown`: nobody answered, or it is not to be asked for. */
  readonly what: 'other' | 'unknown';
}

/** So many redirects for the time being are followed, in case they set a cookie and lead back to the page. */
const MAX_DETOURS = 8;

/** 410 says what 404 leaves open. */
const GONE = 410;

type End = Pick<VisitRecord, 'result' | 'reason'> &
  Partial<Pick<VisitRecord, 'url' | 'detail' | 'status' | 'target' | 'page' | 'links' | 'language' | 'version'>>;

/** Judges the outcome of a recheck. Pure. A trouble that may pass never says anything about the page. */
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

/** What there is at the address to which a redirect for the time being led: a mirror of the page is no other. */
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
 * It did not get back from where a redirect for the time being led. Where that is another site, which answers with something else, the
 * page is not there: its domain was sold, say. Within its own site it is hidden, behind a log-in or a page of maintenance.
 */
function awayAnswer(job: RecheckJob, { at, what }: DeadEnd, { rules }: RecheckWorld, visit: Visit): RecheckAnswer {
  const homes = [job.recheck.finalUrl, job.detour?.from.url ?? job.entry.url].map(siteOfUrl);
  if (what === 'unknown' || homes.includes(siteOfUrl(at)))
    return visit({ result: 'redirected', reason: 'temporary', target: at }, 'failed');
  return missing(job, { reason: 'elsewhere', detail: `it leads to ${at}` }, rules, visit);
}

/** Another page moved to the same address, and was stored there while this one waited for it. */
function hasCome(job: RecheckJob, { pageOf }: RecheckWorld): boolean {
  return job.entry.url !== job.recheck.finalUrl && !isAway(job) && isOfAnother(pageOf(job.entry.url), job);
}

function isOfAnother(page: number | undefined, { recheck }: RecheckJob): boolean {
  return page !== undefined && page > 0 && page !== recheck.sequence;
}

/** A redirect for the time being (a page of maintenance, a login) is followed to its end: it may come back to the page. */
function movedAnswer(
  job: RecheckJob,
  { target, status, permanent }: FetchOutcome & { kind: 'redirected' },
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
 * One step further on the way that may lead back; `undefined`: whoever is sent away once more from the page will not get in. Unless that
 * sets a cookie first, on its own site, and then leads to another: a domain that was sold, say.
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
  outcome: FetchOutcome & { kind: 'failed' },
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
  // Some servers send a part unasked.
  if (status === PART_STATUS)
    return visit({ result: 'failed', reason: 'part', detail: 'the server sent a part of it alone', status }, 'failed');
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
    // Whose look it was, its URL tells; the page may have moved meanwhile.
    return visit({ ...end, url: recheck.finalUrl, page: other }, 'gone');
  }
  return { kind: 'version', page, analysis };
}

/** What a 304 says of the version (RFC 9111 §4.3.4). A strong ETag that is not the one asked for is of another version. */
function toldAgain(job: RecheckJob, { etag = '', lastModified = '' }: Partial<PageVersion>): Pick<End, 'version'> {
  const known = job.recheck.etag;
  const isOfAnother = etag !== '' && !etag.startsWith('W/') && known !== '' && etag !== known;
  return isOfAnother
    ? {}
    : renamed(job, { etag: etag || known, lastModified: lastModified || job.recheck.lastModified });
}

/** The next recheck asks for the version by its newest name. */
function renamed({ recheck }: RecheckJob, { etag, lastModified }: PageVersion): Pick<End, 'version'> {
  return etag === recheck.etag && lastModified === recheck.lastModified ? {} : { version: { etag, lastModified } };
}

function visitOf(job: RecheckJob, fetchedAt: number, end: End): Omit<VisitRecord, 'sequence'> {
  const rest = { detail: '', status: 0, target: '', page: job.recheck.sequence, retried: false };
  const url = isAway(job) ? job.recheck.finalUrl : job.entry.url;
  return { kind: 'visit', url, origin: originOf(job), ...rest, ...end, fetchedAt };
}
