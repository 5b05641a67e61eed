import { createHash } from 'node:crypto';
import type { PortalTopic } from './contents.ts';
import { html } from './html.ts';
import { type PortalView, titleOf } from './parts.ts';

/** Returns new and changed pages of a topic as an Atom feed (RFC 4287). */
export function atomFeed({ title, snippets }: PortalView, topic: PortalTopic): string {
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${uuidOf(`${title}\n${topic.id}`)}</id>
<title>${topic.name} – ${title}</title>
<updated>${new Date(topic.updatedAt).toISOString()}</updated>
<author><name>${title}</name></author>
<generator uri="https://www.npmjs.com/package/bingo-crawler">Bingo</generator>
<link rel="alternate" type="text/html" href="../topics/${topic.slug}.html"/>
<link rel="self" type="application/atom+xml" href="${topic.slug}.xml"/>
${topic.latest.map(
  (page) => html`<entry${page.language === '' ? undefined : html` xml:lang="${page.language}"`}>
<id>${page.address}</id>
<title>${titleOf(page)}</title>
<updated>${new Date(page.news.changedAt).toISOString()}</updated>
<published>${new Date(page.news.firstAt).toISOString()}</published>
<link rel="alternate" href="${page.address}"/>
<summary>${snippets.get(page.sequence) ?? ''}</summary>
</entry>
`,
)}</feed>
`.text;
}

/** Equal text always has the same id (RFC 9562 §5.8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
