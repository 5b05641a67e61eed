import { LINK_FLAG } from '../../core/index.ts';
import type { Layout } from '../html/layout.ts';
import { localName, readXml } from '../html/xml-reader.ts';

/** Longer texts are not URLs. */
const MAX_LOC_CHARS = 4_000;

/**
 * Adds the URLs of a sitemap, or of a sitemap index, to the layout as links; sitemaps get a flag (sitemaps.org
 * protocol 0.9). Ignores namespaces and prefixes, because many files have wrong ones.
 * @param maxLinks - further links are dropped
 */
export function scanSitemap(xml: string, layout: Layout, maxLinks: number): void {
  const path: string[] = [];
  let text = '';
  let flags = 0;
  readXml(xml, {
    open(name) {
      const local = localName(name);
      path.push(local);
      text = '';
      if (path.length === 1) flags = local === 'sitemapindex' ? LINK_FLAG.sitemap : 0;
    },
    close(name) {
      const local = localName(name);
      path.pop();
      // An image or a video of a page also has a `loc`. Some indexes omit the `loc`.
      const isPlace = local === 'loc' && (path.at(-1) === 'url' || path.at(-1) === 'sitemap');
      const href = isPlace || local === 'sitemap' || local === 'url' ? text.trim() : '';
      if (/^(?:https?:)?\//i.test(href) && layout.links.length < maxLinks) layout.addLink(href, '', flags, 0);
      text = '';
    },
    text(part) {
      if (text.length < MAX_LOC_CHARS) text += part;
    },
  });
  layout.finish();
}

/** Adds the sitemaps in a robots.txt to the layout (RFC 9309 §2.2.4 allows these lines). */
export function scanRobotsSitemaps(text: string, layout: Layout, maxLinks: number): void {
  for (const line of text.split(/[\r\n]+/)) {
    const href = /^\s{0,99}sitemap\s{0,99}:\s{0,99}(\S{1,4000})/i.exec(line)?.[1];
    if (href !== undefined && layout.links.length < maxLinks) layout.addLink(href, '', LINK_FLAG.sitemap, 0);
  }
  layout.finish();
}
