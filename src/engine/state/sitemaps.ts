import {
  type Assignment,
  type CanonicalUrl,
  canonicalize,
  LINK_FLAG,
  type Link,
  type PageRecord,
  ROOT,
  registeredDomain,
  siteOfUrl,
  type TopicTree,
  topicNode,
} from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import { exampleAssignment } from '../records.ts';
import { type Pinned, seedEntry, seedJobs, trainingJobs } from './jobs.ts';

/** Sitemaps name further sitemaps this many times over: robots.txt, index, sitemap. */
const MAX_DEPTH = 3;
/** Sitemaps of one site; a large site has hundreds, and more pages than the frontier holds. */
const MAX_PER_SITE = 50;

/** Where the sitemaps of a topic's own sites are told: the robots.txt and the usual place on each host of its examples and seeds. */
export function sitemapJobs(tree: TopicTree): readonly Pinned[] {
  const jobs = new Map<CanonicalUrl, Pinned>();
  for (const { entry, role } of [...trainingJobs(tree), ...seedJobs(tree)]) {
    if (role === 'others' || !topicNode(tree, entry.topic).good) continue;
    for (const path of ['/robots.txt', '/sitemap.xml']) {
      const url = canonicalize(path, entry.url);
      if (url !== undefined && !jobs.has(url)) jobs.set(url, sitemapJob(url, entry.topic, { from: '', depth: 0 }));
    }
  }
  return [...jobs.values()];
}

/** What a sitemap leads to: pages of its own site, and further sitemaps of it, at most so many a site. */
export class Sitemaps {
  readonly #perSite = new Map<string, number>();
  readonly #languages = new Map<string, string>();

  /** A sitemap says nothing of its language: an example or a seed of its site does, the first that tells. */
  noteSite({ host, document: { language } }: Pick<PageRecord, 'host' | 'document'>): void {
    const site = registeredDomain(host);
    if (language !== '' && !this.#languages.has(site)) this.#languages.set(site, language);
  }

  /** The language of a sitemap's site, or `''` when unknown. */
  languageOf(sitemap: CanonicalUrl): string {
    return this.#languages.get(siteOfUrl(sitemap)) ?? '';
  }

  /** Links to pages of the site that the sitemap lies on: nobody can speak for the pages of others. */
  pagesOf(links: readonly Link[], sitemap: CanonicalUrl): readonly Link[] {
    const site = siteOfUrl(sitemap);
    return links.filter(
      ({ url, flags }) => (flags & LINK_FLAG.sitemap) === 0 && siteOfUrl(url as CanonicalUrl) === site,
    );
  }

  /**
   * Sitemaps to be fetched next. Those that a robots.txt names may lie elsewhere; what they say then counts for nothing.
   * @param isTaken - fetched or about to be: robots.txt and an index often name the same ones
   */
  furtherOf(links: readonly Link[], { entry }: Pinned, isTaken: (url: CanonicalUrl) => boolean): readonly Pinned[] {
    const site = registeredDomain(entry.host);
    const jobs: Pinned[] = [];
    for (const { url: text, flags } of links) {
      const url = text as CanonicalUrl;
      const known = this.#perSite.get(site) ?? 0;
      if ((flags & LINK_FLAG.sitemap) === 0 || entry.depth + 1 >= MAX_DEPTH || known >= MAX_PER_SITE) continue;
      if (siteOfUrl(url) !== site || isTaken(url)) continue;
      this.#perSite.set(site, known + 1);
      jobs.push(sitemapJob(url, entry.topic, { from: entry.url, depth: entry.depth + 1 }));
    }
    return jobs;
  }

  exchange(fields: Fields): void {
    fields.map(this.#perSite);
    fields.map(this.#languages);
  }
}

/** A sitemap says nothing of any topic. */
export function sitemapAssignment(job: Pinned, tree: TopicTree): Assignment {
  return exampleAssignment({ ...job, role: 'crawled', entry: { ...job.entry, topic: ROOT } }, tree);
}

function sitemapJob(
  url: CanonicalUrl,
  topic: Pinned['entry']['topic'],
  { from, depth }: { from: string; depth: number },
): Pinned {
  return { entry: { ...seedEntry(url, topic), via: 'sitemap', from, depth }, role: 'crawled' };
}
