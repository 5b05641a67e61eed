import {
  type CanonicalUrl,
  LINKS_FOLLOWED,
  type PageRecord,
  type TrainingOrigin,
  type VisitRecord,
} from '../../core/index.ts';
import type { Store, UrlFacts } from '../../store/index.ts';
import type { IdleNote } from './idle-links.ts';
import type { RuleNote } from './rule-notes.ts';

/** What is known about a URL without reading the pages that link to it. */
export interface Notes extends RuleNote {
  readonly idle: IdleNote;
}

/** How a duplicate was recognised, as the beginning of a sentence. */
const LIKENESS: Readonly<Record<string, string>> = {
  'near-duplicate': 'It has nearly the same content as',
  canonical: 'It calls another page its original, and has nearly the same content:',
};

/** Explains what happened to the URL. If it redirects and has no page, explains the target of the redirect. */
export async function wholeReason(
  store: Store,
  url: CanonicalUrl,
  facts: UrlFacts,
  notesOn: (url: CanonicalUrl) => Notes,
): Promise<string> {
  const chain: string[] = [url];
  let last = facts;
  for (let target = targetOf(last); target !== undefined; target = targetOf(last)) {
    if (chain.includes(target)) return `It redirects in a circle, first to ${chain[1] ?? target}.`;
    chain.push(target);
    last = await store.lookup(target as CanonicalUrl);
  }
  if (chain.length === 1) {
    const own = await withLooks(store, url, facts);
    return reasonOf(own, notesOn(url), await originOf(store, own));
  }
  const way = `It redirects to ${chain[1]}${chain.length > 2 ? `, and in the end to ${chain.at(-1)}` : ''}.`;
  const note = notesOn(chain.at(-1) as CanonicalUrl);
  if (last.page !== undefined || last.visits.length > 0)
    return `${way} There: ${reasonOf(last, note, await originOf(store, last))}`;
  return `${way} There: It was not asked for: ${note.keptOut || note.limit || NOT_ASKED}`;
}

/** Adds later visits: a page is visited again at the target of its redirects. */
async function withLooks(store: Store, url: CanonicalUrl, facts: UrlFacts): Promise<UrlFacts> {
  const { page, as } = facts;
  if (page === undefined || as === 'duplicate') return facts;
  if (page.finalUrl === url) return { ...facts, as: 'page' };
  return as === 'page' ? { ...facts, visits: (await store.lookup(page.finalUrl)).visits } : facts;
}

const NOT_ASKED =
  'too many redirects, a blocked or paused host, a site or topic that has reached its page limit, or a trap.';

/** The redirect target, unless a page is stored for the URL. */
function targetOf({ page, visits }: UrlFacts): string | undefined {
  const last = visits.at(-1);
  return page === undefined && last?.result === 'redirected' && last.target !== '' ? last.target : undefined;
}

/** Explains in one sentence what happened to the URL. */
function reasonOf(facts: UrlFacts, { keptOut, order, limit, idle }: Notes, origin?: TrainingOrigin): string {
  const { page, as, visits, linkedFrom } = facts;
  const isNew = page === undefined && visits.length === 0;
  if (keptOut === '') {
    if (isNew && limit !== '')
      return linkedFrom.length > 0
        ? `It was not fetched: ${limit}`
        : `${reasonWithoutRules(facts, origin, idle)} Besides, ${limit}`;
    const mayWait = page === undefined && (isNew ? linkedFrom.some(isFollowed) : visits.at(-1)?.retried === true);
    return `${reasonWithoutRules(facts, origin, idle)}${mayWait && order !== '' ? ` ${order}` : ''}`;
  }
  if (isNew && linkedFrom.length > 0) return `It was not fetched: ${keptOut}`;
  // A duplicate's URL or a redirecting URL is not fetched again in any case.
  if (page !== undefined && (as !== 'page' || page.role !== 'crawled')) return reasonWithoutRules(facts, origin, idle);
  const further = isNew ? 'Besides, ' : 'It is not fetched again: ';
  return `${reasonWithoutRules(facts, origin, idle)} ${further}${keptOut}`;
}

function reasonWithoutRules(
  { page, as, visits, linkedFrom, hostTrouble }: UrlFacts,
  origin: TrainingOrigin | undefined,
  idle: IdleNote,
): string {
  if (page !== undefined) {
    if (as === 'duplicate')
      return `${LIKENESS[visits.at(-1)?.reason ?? ''] ?? 'It has the same content as'} ${page.finalUrl}, which is stored.`;
    if (as === 'redirect') return `It redirects to ${page.finalUrl}, which is stored.`;
    const judged = judgedReason(page, origin);
    const look = visits.filter(({ origin, sequence }) => origin.via === 'recheck' && sequence > page.sequence).at(-1);
    return look === undefined || look.result === 'unchanged' ? judged : `${judged} ${describeVisit(look)}`;
  }
  const last = visits.at(-1);
  if (last !== undefined) return describeVisit(last);
  if (linkedFrom.length === 0) return 'No stored page links to it. At most a page that must not be stored names it.';
  // A page may link to it more than once.
  const isOne = new Set(linkedFrom.map(({ sequence }) => sequence)).size === 1;
  if (linkedFrom.every(({ nofollow }) => nofollow))
    return `It was not fetched: ${isOne ? 'the one stored page that links to it asks' : 'the stored pages that link to it ask'} not to follow the link (nofollow).`;
  const followed = linkedFrom.filter(isFollowed);
  if (followed.length === 0) {
    const asks = linkedFrom.some(({ role }) => role !== 'others') ? ', or ask not to follow the link (nofollow)' : '';
    return `It was not fetched: ${isOne ? 'the one stored page that links to it is one' : 'the stored pages that link to it are'} of OTHERS, whose links are never followed${asks}.`;
  }
  if (hostTrouble !== undefined) return `It was not fetched. ${describeTrouble(hostTrouble)}`;
  const isOfExamples = idle.startsAtSeeds && followed.every(({ role }) => role === 'example');
  const seeded = isOfExamples ? ['the topic that the page exemplifies starts at its seeds alone'] : [];
  const ways = [idle.waits, ...seeded, ...idle.ways].filter((way) => way !== '');
  return `It was not fetched: ${isOne ? 'a stored page links' : 'stored pages link'} to it, but ${ways.join(', or ')}.`;
}

/** Whether a crawl may follow the link. */
function isFollowed({ nofollow, role }: UrlFacts['linkedFrom'][number]): boolean {
  return !nofollow && role !== 'others';
}

/** The topic of a stored page, and whether the user or a model put it there. */
function judgedReason({ assignment, role }: PageRecord, origin: TrainingOrigin | undefined): string {
  const { topic, others } = assignment;
  const place = others ? 'rejected as off topic' : `accepted into ${topic}`;
  switch (origin) {
    case 'user':
      return others ? 'It is an example; no crawl has judged it yet.' : `It is an example of ${topic}.`;
    case 'feedback':
      return others
        ? 'A person marked it as an example; it is not judged again yet.'
        : `A person marked it as an example of ${topic}.`;
    case 'reader':
      return others
        ? 'The reader marked it as an example; it is not judged again yet.'
        : `The reader marked it as an example of ${topic}.`;
    case 'others':
      return 'It is a training page of OTHERS.';
    case 'feedback-others':
      return 'A person marked it as a page of OTHERS.';
    case 'reader-others':
      return 'The reader marked it as a page of OTHERS.';
    default:
      return role === 'crawled'
        ? `It was fetched and ${place}.`
        : `It was fetched as a training page, is not one any more, and ${place}.`;
  }
}

/**
 * How the last round used a stored page. A page that was fetched for training and not yet judged waits for the next
 * round.
 */
async function originOf(store: Store, { page, as }: UrlFacts): Promise<TrainingOrigin | undefined> {
  if (page === undefined || as !== 'page') return undefined;
  const urls: readonly string[] = [page.url, ...page.redirects, page.finalUrl];
  const used = (await store.training()).find(({ key }) => urls.includes(key));
  if (used !== undefined || page.role === 'crawled' || page.assignment.model > 0) return used?.origin;
  return page.assignment.others ? 'others' : 'user';
}

/** Why a link may wait: the trouble with its host, and when it is retried. */
function describeTrouble({ url, reason, status, detail }: VisitRecord): string {
  const code = status > 0 ? `, HTTP ${status}` : '';
  const more = detail === '' ? '' : `: ${detail.replace(/\.+$/, '')}`;
  return (
    `Its host failed at the last request, for ${url} (${reason}${code})${more}. After several failures in a row, or if it asks for a ` +
    'long pause, a host is skipped. A later run tries it again after that pause, or after an hour.'
  );
}

function describeVisit({ result, reason, detail, status, target, retried, origin }: VisitRecord): string {
  const more = detail === '' ? '' : `: ${detail.replace(/\.+$/, '')}`;
  const notThere = status > 0 ? `(${reason}, HTTP ${status})` : `(${reason})${more}`;
  switch (result) {
    case 'redirected':
      return `It redirects to ${target}.`;
    case 'duplicate':
      return `${LIKENESS[reason] ?? 'It has the same content as'} ${target}.`;
    case 'refused':
      return `It was not fetched (${reason})${more}.`;
    case 'failed': {
      const code = status > 0 ? `, HTTP ${status}` : '';
      return `Fetching it failed (${reason}${code})${more}.${retried ? ' It will be tried again, unless similar addresses have led to copies and errors since (traps).' : ''}`;
    }
    case 'noindex':
      return `It asks not to be stored (noindex, none, or an unavailable_after that has passed).${linksNote(reason, origin)}`;
    case 'unchanged':
      return 'It has not changed since the last fetch.';
    case 'missing':
      return `A recheck did not find it ${notThere}.`;
    case 'gone':
      return `It is gone ${notThere}.`;
  }
}

/** Notes that the page was stored before, so its links were followed then. */
function linksNote(reason: string, { via }: VisitRecord['origin']): string {
  if (reason === LINKS_FOLLOWED) return ' Its links are followed all the same.';
  return via === 'recheck' ? '' : ' Its links are not followed.';
}
