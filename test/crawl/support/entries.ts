import type { CanonicalUrl, TopicId } from '../../../src/core/index.ts';
import type { FrontierEntry } from '../../../src/crawl/index.ts';

/** Builds a frontier entry from the fields of interest. */
export function entry(url: string, fields: Partial<FrontierEntry> = {}): FrontierEntry {
  return {
    url: url as CanonicalUrl,
    host: new URL(url).host,
    topic: 'topic' as TopicId,
    priority: 0,
    depth: 1,
    tunnelDepth: 0,
    via: 'link',
    from: 'http://from.test/',
    tries: 0,
    redirects: [],
    ...fields,
  };
}
