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

/** A stored page to be looked at again. */
export interface RecheckJob extends Pinned {
  readonly recheck: PageHistory;
  /**
   * Redirects for the time being are followed, in case they lead back: the entry at which they began, how many there were, and whether
   * one led to another site.
   */
  readonly detour?: { readonly from: FrontierEntry; readonly steps: number; readonly isAbroad: boolean };
}

export function isRecheck(job: Pinned): job is RecheckJob {
  return 'recheck' in job;
}

/** True while it is at another address than the page's, where a redirect for the time being led. */
export function isAway({ entry, detour }: Pick<RecheckJob, 'entry' | 'detour'>): boolean {
  return detour !== undefined && entry.url !== detour.from.url;
}

/** The entry of a seed. Its priority is that of a page like the examples on the calibrated scale. */
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

/** Training pages that must be fetched, examples first, in tree order; a URL named twice is fetched for the first. */
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

/** Seeds that are not examples: fetched like any page of the crawl, before everything else. */
export function seedJobs(tree: TopicTree): readonly Pinned[] {
  const jobs = new Map<CanonicalUrl, Pinned>();
  for (const node of tree.nodes.values())
    for (const seed of node.seeds) {
      const url = canonicalize(seed);
      if (url !== undefined && !jobs.has(url)) jobs.set(url, { entry: seedEntry(url, node.id), role: 'crawled' });
    }
  return [...jobs.values()];
}

/** Registered domains of examples and seeds. */
export function seedDomains(tree: TopicTree): ReadonlySet<string> {
  const jobs = [...trainingJobs(tree).filter((job) => job.role === 'example'), ...seedJobs(tree)];
  return new Set(jobs.map((job) => registeredDomain(job.entry.host)));
}

/** True for what counts against budgets: pages that the crawl found anew. */
export function isBudgeted({ role, entry }: Pinned): boolean {
  return role === 'crawled' && entry.via !== 'seed' && entry.via !== 'recheck' && entry.via !== 'sitemap';
}

/** True when a journal record can be what a pinned job led to; a page that the crawl found on its way was no training page. */
export function isAnswer(record: PageRecord | VisitRecord, job: Pinned): boolean {
  if (record.kind === 'page') return (record.role === 'crawled') === (job.role === 'crawled');
  return job.role === 'crawled' || record.origin.via === 'seed';
}

/** The job of a record whose entry waits nowhere (any more), as far as the record tells. */
export function lostJob(record: PageRecord | VisitRecord, url: CanonicalUrl): Pinned {
  const { via, from, topic, depth, tunnelDepth, priority } = record.origin;
  const entry = { url, host: hostOf(url), tries: 0, redirects: [], topic, depth, tunnelDepth, priority, via, from };
  return { entry, role: record.kind === 'page' ? record.role : 'crawled' };
}

/** True for training pages that are yet to be had. */
export function isTraining({ role, entry }: Pinned): boolean {
  return role !== 'crawled' && entry.via !== 'recheck';
}
