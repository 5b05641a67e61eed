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

/** Maximum depth of nested sitemaps: robots.txt, index, sitemap. */
const MAX_DEPTH = 3;
/** Maximum number of sitemaps per site. A large site has hundreds, with more pages than the frontier holds. */
const MAX_PER_SITE = 50;

/**
 * Returns jobs that find the sitemaps of a topic's own sites: robots.txt and the usual address on each host of its
 * examples and seeds.
 */
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

/** The links of sitemaps: pages of the same site, and a limited number of further sitemaps. */
export class Sitemaps {
  readonly #perSite = new Map<string, number>();
  readonly #languages = new Map<string, string>();

  /** Records the language of a site, from its first example or seed that has one: sitemaps do not state theirs. */
  noteSite({ host, document: { language } }: Pick<PageRecord, 'host' | 'document'>): void {
    const site = registeredDomain(host);
    if (language !== '' && !this.#languages.has(site)) this.#languages.set(site, language);
  }

  /** Returns the language of a sitemap's site; '' if unknown. */
  languageOf(sitemap: CanonicalUrl): string {
    return this.#languages.get(siteOfUrl(sitemap)) ?? '';
  }

  /** Returns links to pages of the sitemap's own site: a sitemap may not list the pages of others. */
  pagesOf(links: readonly Link[], sitemap: CanonicalUrl): readonly Link[] {
    const site = siteOfUrl(sitemap);
    return links.filter(
      ({ url, flags }) => (flags & LINK_FLAG.sitemap) === 0 && siteOfUrl(url as CanonicalUrl) === site,
    );
  }

  /**
   * Returns sitemaps to fetch next. Those that a robots.txt names may be on other sites; their links are then
   * ignored.
   * @param isTaken - fetched or about to be: robots.txt and an index often name the same sitemaps
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

/** Returns the verdict on a sitemap, which reveals nothing about any topic. */
export function sitemapAssignment(job: Pinned, tree: TopicTree): Assignment {
  return exampleAssignment({ ...job, role: 'crawled', entry: { ...job.entry, topic: ROOT } }, tree);
}

function sitemapJob(
  url: CanonicalUrl,
  topic: Pinned['entry']['topic'],
  { from, depth }: { readonly from: string; readonly depth: number },
): Pinned {
  return { entry: { ...seedEntry(url, topic), via: 'sitemap', from, depth }, role: 'crawled' };
}
