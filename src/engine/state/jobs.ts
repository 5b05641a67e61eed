import {
  type CanonicalUrl,
  canonicalize,
  hostOf,
  type PageHistory,
  type PageRecord,
  type PageRole,
  registeredDomain,
  type TopicId,
  type TopicTree,
  type VisitRecord,
} from '../../core/index.ts';
import type { FrontierEntry } from '../../crawl/index.ts';

/** An entry that is fetched ahead of the frontier: a training page, a seed, or what one of them redirects to. */
export interface Pinned {
  readonly entry: FrontierEntry;
  readonly role: PageRole;
}

/** A stored page to be fetched again. */
export interface RecheckJob extends Pinned {
  readonly recheck: PageHistory;
  /**
   * Temporary redirects are followed because they may lead back: the entry where they started, their number, and
   * whether one led to another site.
   */
  readonly detour?: { readonly from: FrontierEntry; readonly steps: number; readonly isAbroad: boolean };
}

export function isRecheck(job: Pinned): job is RecheckJob {
  return 'recheck' in job;
}

/** True if the job is at another address than the page's, after a temporary redirect. */
export function isAway({ entry, detour }: Pick<RecheckJob, 'entry' | 'detour'>): boolean {
  return detour !== undefined && entry.url !== detour.from.url;
}

/** Returns the entry of a seed. Its priority is that of a page like the examples, on the calibrated scale. */
export function seedEntry(url: CanonicalUrl, topic: TopicId): FrontierEntry {
  return {
    url,
    host: hostOf(url),
    topic,
    priority: 1,
    depth: 0,
    tunnelDepth: 0,
    via: 'seed',
    from: '',
    tries: 0,
    redirects: [],
  };
}

/**
 * Returns training pages to fetch, examples first, in tree order. A URL named twice is fetched for its first mention.
 */
export function trainingJobs(tree: TopicTree): readonly Pinned[] {
  const jobs = new Map<CanonicalUrl, Pinned>();
  const add = (text: string, topic: TopicId, role: PageRole): void => {
    const url = canonicalize(text);
    if (url !== undefined && !jobs.has(url)) jobs.set(url, { entry: seedEntry(url, topic), role });
  };
  for (const node of tree.nodes.values())
    for (const example of node.examples) if (example.kind === 'url') add(example.url, node.id, 'example');
  for (const node of tree.nodes.values())
    for (const other of node.others) if (other.kind === 'url') add(other.url, node.id, 'others');
  return [...jobs.values()];
}

/** Returns seeds that are not examples: fetched like any page of the crawl, but first. */
export function seedJobs(tree: TopicTree): readonly Pinned[] {
  const jobs = new Map<CanonicalUrl, Pinned>();
  for (const node of tree.nodes.values())
    for (const seed of node.seeds) {
      const url = canonicalize(seed);
      if (url !== undefined && !jobs.has(url)) jobs.set(url, { entry: seedEntry(url, node.id), role: 'crawled' });
    }
  return [...jobs.values()];
}

/** Returns the registered domains of examples and seeds. */
export function seedDomains(tree: TopicTree): ReadonlySet<string> {
  const jobs = [...trainingJobs(tree).filter((job) => job.role === 'example'), ...seedJobs(tree)];
  return new Set(jobs.map((job) => registeredDomain(job.entry.host)));
}

/** True for jobs that count against budgets: new pages found by the crawl. */
export function isBudgeted({ role, entry }: Pinned): boolean {
  return role === 'crawled' && entry.via !== 'seed' && entry.via !== 'recheck' && entry.via !== 'sitemap';
}

/** True if a journal record can be the result of a pinned job; a page found by the crawl is not a training page. */
export function isAnswer(record: PageRecord | VisitRecord, job: Pinned): boolean {
  if (record.kind === 'page') return (record.role === 'crawled') === (job.role === 'crawled');
  return job.role === 'crawled' || record.origin.via === 'seed';
}

/** Returns the job of a record whose entry no longer waits, rebuilt from the record. */
export function lostJob(record: PageRecord | VisitRecord, url: CanonicalUrl): Pinned {
  const { via, from, topic, depth, tunnelDepth, priority } = record.origin;
  const entry = { url, host: hostOf(url), tries: 0, redirects: [], topic, depth, tunnelDepth, priority, via, from };
  return { entry, role: record.kind === 'page' ? record.role : 'crawled' };
}

/** True for training pages that are not fetched yet. */
export function isTraining({ role, entry }: Pinned): boolean {
  return role !== 'crawled' && entry.via !== 'recheck';
}
