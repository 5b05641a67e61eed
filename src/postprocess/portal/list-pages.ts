import { counted } from '../../kit/index.ts';
import type { PortalPage, PortalTopic } from './contents.ts';
import { html, type Markup } from './html.ts';
import { judgedFacts, langOf, type PortalView, siteName, titleOf, topicOf, trail } from './parts.ts';
import { shell } from './shell.ts';

/** Number of pages per list page. */
const AT_ONCE = 100;

/** Returns the address in the portal of a page of a topic's full list. */
export function listAddress({ slug }: PortalTopic, number = 1): string {
  return `all/${slug}/${number}.html`;
}

/** Yields all pages of a topic and its subtopics, a hundred per list page: topic by topic, most relevant first. */
export function* listPages(view: PortalView, topic: PortalTopic): Generator<[number: number, text: string]> {
  const last = Math.ceil((topic.end - topic.first) / AT_ONCE);
  for (let number = 1; number <= last; number++) yield [number, listPage(view, topic, { number, last })];
}

interface Place {
  readonly number: number;
  readonly last: number;
}

function listPage(view: PortalView, topic: PortalTopic, { number, last }: Place): string {
  const { contents, title } = view;
  const from = topic.first + (number - 1) * AT_ONCE;
  const pages = contents.pages.slice(from, Math.min(topic.end, from + AT_ONCE));
  const heading = `${topic.name}: all pages`;
  return shell(
    {
      ...{ title: last === 1 ? heading : `${heading}, ${number} of ${last}`, portal: title, root: '../../' },
      ...{ description: `${topic.name}: ${counted(topic.end - topic.first, 'page')}`, updatedAt: topic.updatedAt },
    },
    html`${trail(topic, contents, { root: '../../', here: 'All pages' })}
<h1><bdi>${topic.name}</bdi>: all pages</h1>
<p class="lead">${counted(topic.end - topic.first, 'page')}, the most relevant first${topic.children.length === 0 ? undefined : html` within each topic`}.</p>
<ol class="rows" start="${from - topic.first + 1}">
${pages.map((page) => listRow(page, topic, view))}</ol>
${last === 1 ? undefined : pager({ number, last })}`,
  );
}

function listRow(page: PortalPage, topic: PortalTopic, view: PortalView): Markup {
  return html`<li><a href="${page.address}" rel="noopener nofollow" dir="auto"${langOf(page)}>${titleOf(page)}</a> <span class="facts"><span class="site">${siteName(page.site)}</span> · ${judgedFacts(page)}${topicOf(page, topic, view.contents)}</span></li>
`;
}

function pager({ number, last }: Place): Markup {
  const near = [1, number - 1, number, number + 1, last].filter((at) => at >= 1 && at <= last);
  const shown = [...new Set(near)].sort((a, b) => a - b);
  return html`<nav aria-label="Pages of this list"><ul class="pager">
${shown.map((at, i) => html`${i > 0 && at > shown[i - 1]! + 1 ? html`<li aria-hidden="true">…</li>\n` : undefined}${pageLink(at, number)}`)}</ul></nav>`;
}

function pageLink(at: number, number: number): Markup {
  if (at === number) return html`<li aria-current="page">${at}</li>\n`;
  const turn = at === number - 1 ? html` rel="prev"` : at === number + 1 ? html` rel="next"` : undefined;
  return html`<li><a href="${at}.html"${turn} aria-label="Page ${at}">${at}</a></li>\n`;
}
