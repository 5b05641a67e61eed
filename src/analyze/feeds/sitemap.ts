import { LINK_FLAG } from '../../core/index.ts';
import type { Layout } from '../html/layout.ts';
import { localName, readXml } from '../html/xml-reader.ts';

/** Longer texts are no addresses. */
const MAX_LOC_CHARS = 4_000;

/**
 * Puts the addresses of a sitemap, or of an index of sitemaps, into the layout as links; those of further sitemaps carry a
 * flag (sitemaps.org protocol 0.9). Namespaces and prefixes are not looked at, because many files get them wrong.
 * @param maxLinks - the rest is left out
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
      // An image or a video of a page has a `loc` too. Some indexes leave the `loc` out.
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

/** Puts the sitemaps that a robots.txt names into the layout (RFC 9309 §2.2.4 lets it hold such lines). */
export function scanRobotsSitemaps(text: string, layout: Layout, maxLinks: number): void {
  for (const line of text.split(/[\r\n]+/)) {
    const href = /^\s{0,99}sitemap\s{0,99}:\s{0,99}(\S{1,4000})/i.exec(line)?.[1];
    if (href !== undefined && layout.links.length < maxLinks) layout.addLink(href, '', LINK_FLAG.sitemap, 0);
  }
  layout.finish();
}
