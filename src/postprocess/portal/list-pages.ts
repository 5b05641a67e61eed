import type { PortalPage, PortalTopic } from './contents.ts';
import { html, type Markup } from './html.ts';
import { datesOf, langOf, type PortalView, siteName, titleOf, topicOf, trail } from './parts.ts';
import { shell } from './shell.ts';
import type { PortalWords } from './words.ts';

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
  const { contents, words } = view;
  const from = topic.first + (number - 1) * AT_ONCE;
  const pages = contents.pages.slice(from, Math.min(topic.end, from + AT_ONCE));
  const heading = words.text('allOf', { topic: topic.name });
  const count = words.counted('pages', topic.end - topic.first);
  return shell(
    view,
    {
      title: last === 1 ? heading : words.text('pageOf', { title: heading, n: number, last }),
      path: listAddress(topic, number),
      ...{ description: `${topic.name}: ${count}`, updatedAt: topic.updatedAt },
    },
    html`${trail(topic, view, { root: '../../', here: words.text('all') })}
<h1>${words.markup('allOf', { topic: html`<bdi>${topic.name}</bdi>` })}</h1>
<p class="lead">${words.text('mostRelevantFirst', { pages: count })}</p>
<ol class="rows" start="${from - topic.first + 1}">
${pages.map((page) => listRow(page, topic, view))}</ol>
${last === 1 ? undefined : pager({ number, last }, words)}`,
  );
}

function listRow(page: PortalPage, topic: PortalTopic, view: PortalView): Markup {
  return html`<li><a href="${page.address}" rel="noopener nofollow" dir="auto"${langOf(page, view.words)}>${titleOf(page)}</a> <span class="facts"><span class="site">${siteName(page.site)}</span> · ${datesOf(page.news, view.words)}${topicOf(page, topic, view.contents)}</span></li>
`;
}

function pager({ number, last }: Place, words: PortalWords): Markup {
  const near = [1, number - 1, number, number + 1, last].filter((at) => at >= 1 && at <= last);
  const shown = [...new Set(near)].sort((a, b) => a - b);
  return html`<nav aria-label="${words.text('pagesOfThisList')}"><ul class="pager">
${shown.map((at, i) => html`${i > 0 && at > shown[i - 1]! + 1 ? html`<li aria-hidden="true">…</li>\n` : undefined}${pageLink({ at, number }, words)}`)}</ul></nav>`;
}

function pageLink({ at, number }: { readonly at: number; readonly number: number }, words: PortalWords): Markup {
  if (at === number) return html`<li aria-current="page">${at}</li>\n`;
  const turn = at === number - 1 ? html` rel="prev"` : at === number + 1 ? html` rel="next"` : undefined;
  return html`<li><a href="${at}.html"${turn} aria-label="${words.text('pageNumber', { n: at })}">${at}</a></li>\n`;
}
