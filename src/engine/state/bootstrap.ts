import {
  type CanonicalUrl,
  canonicalize,
  hostOf,
  type PageRole,
  type TopicId,
  type TopicTree,
} from '../../core/index.ts';
import type { FrontierEntry } from '../../crawl/index.ts';

/** An entry that is fetched ahead of the frontier: a training page, a seed, or what one of them redirects to. */
export interface Pinned {
  readonly entry: FrontierEntry;
  readonly role: PageRole;
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
