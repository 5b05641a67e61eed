import type { TopicId } from '../../core/index.ts';
import { lately } from './change-page.ts';
import type { Listed, ListName, PortalTopic, SiteShare } from './contents.ts';
import type { Section } from './curation.ts';
import { html, type Markup } from './html.ts';
import { listAddress } from './list-pages.ts';
import { badge, datesOf, langOf, type PortalView, siteName, sparkline, titleOf, topicOf, trail } from './parts.ts';
import { hasPicture, PICTURES, type PictureName, picture } from './pictures.ts';
import { STEMS_PER_PAGE } from './search-index.ts';
import { shell } from './shell.ts';
import type { PortalWords } from './words.ts';

/** Returns the first page: an overview, and the topic tree. */
export function homePage(view: PortalView): string {
  const { title, contents, words, curation } = view;
  const { pages, topics, tops, sites, fetched, updatedAt } = contents;
  const lead = words.text('chosen', {
    pages: words.counted('pages', pages.length),
    topics: words.counted('topicsCount', topics.size),
    fetched: words.counted('pages', fetched),
  });
  const intro = curation.introduction.map((paragraph) => html`<p class="intro">${paragraph}</p>\n`);
  return shell(
    view,
    { title, path: 'index.html', description: curation.introduction[0] ?? lead, updatedAt },
    html`<h1><bdi>${title}</bdi></h1>
${intro}<p class="lead">${lead}</p>
<h2 id="topics">${words.text('topics')}</h2>
<nav aria-labelledby="topics"><ul class="cards">
${tops.map((id) => card(id, view))}</ul></nav>
${lately(view)}
${siteTable(sites, words.text('allTopics'), words)}`,
  );
}

/** With more topics, the cards of the first page name no pages. */
const MOST_WITH_PAGES = 30;
/** Pages listed per topic on the first page. */
const NAMED = 3;

function card(id: TopicId, view: PortalView): Markup {
  const { contents, words, curation } = view;
  const topic = contents.topics.get(id);
  if (topic === undefined) return html``;
  const description = curation.topics.get(id)?.description;
  return html`<li class="card"><p class="card-head">${linkTo(topic, 'topics/', words)}${sparkline(topic, words)}</p>
${description && html`<p class="about">${description}</p>\n`}${toBeginWith(topic, view)}${subtree(topic.children, view)}</li>\n`;
}

function linkTo({ slug, name, first, end }: PortalTopic, folder: string, words: PortalWords): Markup {
  return html`<a href="${folder}${slug}.html"><bdi>${name}</bdi></a><span class="count">${words.counted('pages', end - first)}</span>`;
}

function subtree(ids: readonly TopicId[], view: PortalView): Markup | undefined {
  if (ids.length === 0) return undefined;
  const items = ids.flatMap((id) => view.contents.topics.get(id) ?? []);
  return html`\n<ul class="tree">
${items.map((topic) => html`<li>${linkTo(topic, 'topics/', view.words)}${toBeginWith(topic, view)}${subtree(topic.children, view)}</li>\n`)}</ul>`;
}

/** Returns the pages of a topic to read first. */
function toBeginWith({ lists }: PortalTopic, { words, contents }: PortalView): Markup | undefined {
  if (contents.topics.size > MOST_WITH_PAGES) return undefined;
  const pages = [...lists.start, ...lists.cited].map(({ page }) => page).slice(0, NAMED);
  if (pages.length === 0) return undefined;
  return html`\n<ul class="first">
${pages.map((page) => html`<li><a href="${page.address}" rel="noopener nofollow"${langOf(page, words)}><bdi>${titleOf(page)}</bdi></a> <span class="site">${siteName(page.site)}</span></li>\n`)}</ul>`;
}

/** Returns the page of one topic. */
export function topicPage(view: PortalView, topic: PortalTopic): string {
  const { words, curation } = view;
  const { description, sections = curation.sections } = curation.topics.get(topic.id) ?? {};
  const count = words.counted('pages', topic.end - topic.first);
  const feed = { path: `feeds/${topic.slug}.xml`, title: words.text('newest', { topic: topic.name }) };
  return shell(
    view,
    {
      ...{ title: topic.name, path: `topics/${topic.slug}.html`, updatedAt: topic.updatedAt, feed },
      description: description ?? `${topic.name}: ${count}`,
    },
    html`${trail(topic, view, { root: '../' })}
<h1><bdi>${topic.name}</bdi></h1>
${description && html`<p class="intro">${description}</p>\n`}<p class="lead">${count}. <a href="../${feed.path}">${words.text('feed')}</a></p>
${subtopics(topic, view)}
${topic.end === topic.first ? html`<p class="empty">${words.text('accepted')}</p>` : onThisPage(topic, sections, view)}
${sections.map((name) => part(name, topic, view))}`,
  );
}

function subtopics({ children }: PortalTopic, { contents, words }: PortalView): Markup | undefined {
  if (children.length === 0) return undefined;
  const below = children.flatMap((id) => contents.topics.get(id) ?? []);
  return html`<h2 id="subtopics">${words.text('subtopics')}</h2>
<nav aria-labelledby="subtopics"><ul class="cards">
${below.map((topic) => html`<li class="card"><p class="card-head">${linkTo(topic, '', words)}${sparkline(topic, words)}</p></li>\n`)}</ul></nav>`;
}

/** Returns the table of contents, with links to each list and to all pages. */
function onThisPage(topic: PortalTopic, sections: readonly Section[], view: PortalView): Markup {
  const { words } = view;
  const filled = sections.flatMap((name): { readonly name: Section; readonly count?: number }[] => {
    if (isPicture(name)) return hasPicture(name, topic, view) ? [{ name }] : [];
    const count = name === 'sites' ? topic.sites.length : topic.lists[name].length;
    return count > 0 ? [{ name, count }] : [];
  });
  return html`<nav aria-label="${words.text('onThisPage')}"><ul class="jump">
${filled.map(({ name, count }) => html`<li><a href="#${name}">${words.text(name)}</a>${count && html`<span class="count">${count}</span>`}</li>\n`)}<li><a href="../${listAddress(topic)}">${words.text('all')}</a><span class="count">${topic.end - topic.first}</span></li>
</ul></nav>
`;
}

function part(name: Section, topic: PortalTopic, view: PortalView): Markup | undefined {
  if (name === 'sites') return siteTable(topic.sites, topic.name, view.words);
  return isPicture(name) ? pictured(name, topic, view) : section(name, topic, view);
}

function isPicture(name: Section): name is PictureName {
  return PICTURES.some((known) => known === name);
}

function pictured(name: PictureName, topic: PortalTopic, view: PortalView): Markup | undefined {
  const drawn = picture(name, topic, view);
  return (
    drawn &&
    html`<section>
<h2 id="${name}">${view.words.text(name)}</h2>
<p class="about">${view.words.text(`${name}About`)}</p>
${drawn}
</section>
`
  );
}

function section(name: ListName, topic: PortalTopic, view: PortalView): Markup | undefined {
  const listed = topic.lists[name];
  if (listed.length === 0) return undefined;
  const { words } = view;
  return html`<section>
<h2 id="${name}">${words.text(name)}</h2>
<p class="about">${words.text(`${name}About`)}</p>
${name === 'new' ? html`<ul class="plain">\n${listed.map((one) => newPage(one, topic, view))}</ul>` : html`<ol class="pages">\n${listed.map((one) => listedPage(name === 'start' ? one : { ...one, why: '' }, topic, view))}</ol>`}
</section>
`;
}

/** The heading of most lists says why a page is there; only pages to start with have reasons of their own. */
function listedPage({ page, why, note = '' }: Listed, topic: PortalTopic, view: PortalView): Markup {
  const { words, snippets } = view;
  const passage = snippets.get(page.sequence) ?? '';
  const picture = view.thumbnails.get(page.image);
  return html`<li class="page">
${
  picture &&
  html`<img class="thumb" src="../${picture}" alt="" width="96" height="72" loading="lazy">
`
}<h3 dir="auto">${badge(page.site)}<a href="${page.address}" rel="noopener nofollow"${langOf(page, words)}>${titleOf(page)}</a></h3>
${note === '' ? undefined : html`<p class="note" dir="auto">${note}</p>\n`}${passage === '' ? undefined : html`<p class="snippet" dir="auto"${langOf(page, words)}>${passage}</p>\n`}<p class="facts">${why && html`<span class="why">${words.text(why)}.</span> `}<span class="site">${siteName(page.site)}</span><span class="when"> · ${datesOf(page.news, words)}</span>${topicOf(page, topic, view.contents)}</p>
</li>
`;
}

function newPage({ page }: Listed, topic: PortalTopic, { words, contents }: PortalView): Markup {
  return html`<li>${badge(page.site)}<a href="${page.address}" rel="noopener nofollow" dir="auto"${langOf(page, words)}>${titleOf(page)}</a> <span class="facts"><span class="site">${siteName(page.site)}</span> · ${datesOf(page.news, words)}${topicOf(page, topic, contents)}</span></li>
`;
}

function siteTable(sites: readonly SiteShare[], of: string, words: PortalWords): Markup | undefined {
  if (sites.length === 0) return undefined;
  return html`<h2 id="sites">${words.text('sites')}</h2>
<table>
<caption>${words.markup('sitesOf', { topic: html`<bdi>${of}</bdi>` })}</caption>
<thead><tr><th scope="col">${words.text('site')}</th><th scope="col" class="number">${words.text('goodPages')}</th><th scope="col" class="number">${words.text('fetchedPages')}</th><th scope="col" class="number">${words.text('share')}</th></tr></thead>
<tbody>
${sites.map((site) => siteRow(site, words))}</tbody>
</table>`;
}

function siteRow({ site, relevant, fetched }: SiteShare, words: PortalWords): Markup {
  const share = Math.round((100 * relevant) / fetched);
  return html`<tr><th scope="row">${siteName(site)}</th><td class="number">${words.number(relevant)}</td><td class="number">${words.number(fetched)}</td><td class="number"><meter min="0" max="100" value="${share}">${share} %</meter> ${share} %</td></tr>
`;
}

/** Returns the page about the portal. */
export function aboutPage(view: PortalView): string {
  const { words, curation, contents } = view;
  const { about, contact } = curation;
  const address = contact === undefined || /^https?:/.test(contact) ? contact : `mailto:${contact}`;
  return shell(
    view,
    {
      title: words.text('about'),
      path: 'about.html',
      description: about[0] ?? view.title,
      updatedAt: contents.updatedAt,
    },
    html`<h1>${words.text('about')}</h1>
${about.map((paragraph) => html`<p>${paragraph}</p>\n`)}${address && html`<h2>${words.text('contact')}</h2>\n<p><a href="${address}">${contact}</a></p>`}`,
  );
}

/** Returns the search page. */
export function searchPage(view: PortalView): string {
  const { contents, words } = view;
  const options = [...contents.topics.values()].map(
    (topic) => html`<option value="${topic.slug}">${'\u00a0\u00a0'.repeat(topic.above.length)}${topic.name}</option>\n`,
  );
  return shell(
    view,
    {
      ...{ title: words.text('search'), path: 'search.html', updatedAt: contents.updatedAt, hasSearch: false },
      description: words.text('searchThese', { pages: words.counted('pages', contents.pages.length) }),
      scripts: ['words.js', 'accents.js', 'beginnings.js', 'query.js', 'search.js'],
    },
    html`<h1>${words.text('search')}</h1>
<form role="search" id="search" action="search.html">
<label for="q">${words.text('words')}</label>
<input type="search" id="q" name="q" autocomplete="off" required>
<label for="topic">${words.text('inTopic')} <select id="topic" name="topic">
<option value="">${words.text('searchAllTopics')}</option>
${options}</select></label>
<button>${words.text('search')}</button>
</form>
<noscript><p>${words.text('noScript')}</p></noscript>
<p id="status" role="status"></p>
<p class="about">${words.text('searchAbout', { n: STEMS_PER_PAGE })}</p>
<div class="found">
<div>
<h2 id="heading" hidden>${words.text('results')}</h2>
<ol class="pages" id="results"></ol>
<button type="button" id="more" hidden>${words.text('showMore')}</button>
</div>
<section id="facets" class="facets" aria-label="${words.text('searchNarrow')}" hidden></section>
</div>`,
  );
}
