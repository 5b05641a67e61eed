import { html } from './html.ts';
import { listAddress } from './list-pages.ts';
import type { PortalView } from './parts.ts';
import { hasAbout } from './shell.ts';

/** Returns the pages of a portal for search engines (sitemaps.org protocol 0.9). */
export function siteMap({ contents, curation }: PortalView, address: string): string {
  const { topics, updatedAt } = contents;
  const own = ['index.html', 'changes.html', ...(hasAbout(curation) ? ['about.html'] : [])];
  const pages = [
    ...own.map((path) => [path, updatedAt] as const),
    ...[...topics.values()].flatMap((topic) => [
      [`topics/${topic.slug}.html`, topic.updatedAt] as const,
      ...(topic.end === topic.first ? [] : [[listAddress(topic), topic.updatedAt] as const]),
    ]),
  ];
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${pages.map(([path, at]) => html`<url><loc>${address}${path}</loc>${at === 0 ? undefined : html`<lastmod>${new Date(at).toISOString().slice(0, 10)}</lastmod>`}</url>\n`)}</urlset>
`.text;
}
