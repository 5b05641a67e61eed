import type { TopicId } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { lately } from './change-page.ts';
import type { Listed, ListName, PortalContents, PortalTopic, SiteShare } from './contents.ts';
import { html, type Markup } from './html.ts';
import { listAddress } from './list-pages.ts';
import { factsOf, langOf, type PortalView, siteName, titleOf, trail } from './parts.ts';
import { STEMS_PER_PAGE } from './search-index.ts';
import { shell } from './shell.ts';

/** Returns the first page: an overview, and the topic tree. */
export function homePage(view: PortalView): string {
  const { title, contents } = view;
  const { pages, topics, tops, sites, fetched, updatedAt } = contents;
  const lead = `${counted(pages.length, 'page')} in ${counted(topics.size, 'topic')}, chosen from ${counted(fetched, 'page')} that were fetched.`;
  return shell(
    { title, portal: title, root: '', description: lead, updatedAt },
    html`<h1><bdi>${title}</bdi></h1>
<p class="lead">${lead}</p>
<h2 id="topics">Topics</h2>
<nav aria-labelledby="topics">${topicTree(tops, contents)}</nav>
${lately(view)}
${siteTable(sites, 'all topics')}`,
  );
}

/** With more topics, the first page shows only the tree. */
const MOST_WITH_PAGES = 30;
/** Pages listed per topic on the first page. */
const NAMED = 3;

function topicTree(ids: readonly TopicId[], contents: PortalContents, level = 0): Markup {
  if (ids.length === 0) return html``;
  const items = ids.map((id) => {
    const topic = contents.topics.get(id)!;
    const named = contents.topics.size > MOST_WITH_PAGES ? undefined : toBeginWith(topic);
    return html`<li><a href="topics/${topic.slug}.html"><bdi>${topic.name}</bdi></a><span class="count">${counted(topic.end - topic.first, 'page')}</span>${named}${topicTree(topic.children, contents, level + 1)}</li>\n`;
  });
  return level === 0 ? html`<ul class="tree">\n${items}</ul>` : html`\n<ul>\n${items}</ul>`;
}

/** Returns the pages of a topic to read first. */
function toBeginWith({ lists }: PortalTopic): Markup | undefined {
  const listed = [...lists.examples, ...lists.authorities, ...lists.surest].map(({ page }) => page);
  const pages = [...new Set(listed)].slice(0, NAMED);
  if (pages.length === 0) return undefined;
  return html`\n<ul class="first">
${pages.map((page) => html`<li><a href="${page.address}" rel="noopener nofollow"${langOf(page)}><bdi>${titleOf(page)}</bdi></a> <span class="site">${siteName(page.site)}</span></li>\n`)}</ul>`;
}

const SECTIONS: readonly { readonly list: ListName; readonly title: string; readonly about: string }[] = [
  { list: 'examples', title: 'Examples', about: 'What the topic was learned from: the pages to read first.' },
  { list: 'authorities', title: 'Authorities', about: 'What good pages of the topic link to.' },
  { list: 'hubs', title: 'Hubs', about: 'Pages that collect links to good pages of the topic.' },
  { list: 'surest', title: 'Most typical', about: 'What the classifier is surest of.' },
  { list: 'newest', title: 'Newest', about: 'What was found last.' },
  { list: 'changed', title: 'Changed', about: 'What was not the same when it was looked at again.' },
];

/** Returns the page of one topic. */
export function topicPage(view: PortalView, topic: PortalTopic): string {
  const { contents, title } = view;
  const count = topic.end - topic.first;
  const lead = `${counted(count, 'page')}.`;
  const below = topic.children.map((id) => contents.topics.get(id)!);
  return shell(
    {
      ...{ title: topic.name, portal: title, root: '../', updatedAt: topic.updatedAt },
      ...{ description: `${topic.name}: ${counted(count, 'page')}`, feed: `../feeds/${topic.slug}.xml` },
    },
    html`${trail(topic, contents, { root: '../' })}
<h1><bdi>${topic.name}</bdi></h1>
<p class="lead">${lead} <a href="../feeds/${topic.slug}.xml">Atom feed of new and changed pages</a></p>
${below.length === 0 ? undefined : subtopics(below)}
${count === 0 ? undefined : onThisPage(topic)}
${SECTIONS.map((place) => section(place, topic, view))}
${count === 0 ? html`<p class="empty">No page was accepted into this topic yet.</p>` : undefined}
${siteTable(topic.sites, topic.name)}`,
  );
}

function subtopics(below: readonly PortalTopic[]): Markup {
  return html`<h2 id="subtopics">Subtopics</h2>
<nav aria-labelledby="subtopics"><ul class="tree">
${below.map((topic) => html`<li><a href="${topic.slug}.html"><bdi>${topic.name}</bdi></a><span class="count">${counted(topic.end - topic.first, 'page')}</span></li>\n`)}</ul></nav>`;
}

/** Returns the table of contents, with links to each list and to all pages. */
function onThisPage(topic: PortalTopic): Markup {
  const filled = SECTIONS.filter(({ list }) => topic.lists[list].length > 0);
  return html`<nav aria-label="On this page"><ul class="jump">
${filled.map(({ list, title }) => html`<li><a href="#${list}">${title}</a><span class="count">${topic.lists[list].length}</span></li>\n`)}${topic.sites.length === 0 ? undefined : html`<li><a href="#sites">Sites</a><span class="count">${topic.sites.length}</span></li>\n`}<li><a href="../${listAddress(topic)}">All pages</a><span class="count">${(topic.end - topic.first).toLocaleString('en')}</span></li>
</ul></nav>
`;
}

function section(
  { list, title, about }: (typeof SECTIONS)[number],
  topic: PortalTopic,
  view: PortalView,
): Markup | undefined {
  const listed = topic.lists[list];
  if (listed.length === 0) return undefined;
  return html`<section>
<h2 id="${list}">${title}</h2>
<p class="about">${about}</p>
<ol class="pages">
${listed.map((one) => listedPage(one, topic, view))}</ol>
</section>
`;
}

function listedPage({ page, why }: Listed, topic: PortalTopic, view: PortalView): Markup {
  const passage = view.snippets.get(page.sequence) ?? '';
  return html`<li class="page">
<h3 dir="auto"><a href="${page.address}" rel="noopener nofollow"${langOf(page)}>${titleOf(page)}</a></h3>
${passage === '' ? undefined : html`<p class="snippet" dir="auto"${langOf(page)}>${passage}</p>\n`}<p class="facts">${why === '' ? undefined : html`<span class="why">${why}.</span> `}<span class="site">${siteName(page.site)}</span> · ${factsOf(page, topic, view)}</p>
</li>
`;
}

function siteTable(sites: readonly SiteShare[], of: string): Markup | undefined {
  if (sites.length === 0) return undefined;
  return html`<h2 id="sites">Sites</h2>
<table>
<caption>Sites by their share of good pages: <bdi>${of}</bdi></caption>
<thead><tr><th scope="col">Site</th><th scope="col" class="number">Good pages</th><th scope="col" class="number">Fetched</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>
${sites.map(siteRow)}</tbody>
</table>`;
}

function siteRow({ site, relevant, fetched }: SiteShare): Markup {
  const share = Math.round((100 * relevant) / fetched);
  return html`<tr><th scope="row">${siteName(site)}</th><td class="number">${relevant.toLocaleString('en')}</td><td class="number">${fetched.toLocaleString('en')}</td><td class="number"><meter min="0" max="100" value="${share}" aria-hidden="true"></meter> ${share} %</td></tr>\n`;
}

/** Returns the search page. */
export function searchPage({ title, contents }: PortalView): string {
  const options = [...contents.topics.values()].map(
    (topic) => html`<option value="${topic.slug}">${'\u00a0\u00a0'.repeat(topic.above.length)}${topic.name}</option>\n`,
  );
  return shell(
    {
      ...{ title: 'Search', portal: title, root: '', updatedAt: contents.updatedAt, hasSearch: false },
      ...{
        description: `Search ${counted(contents.pages.length, 'page')}`,
        scripts: ['words.js', 'accents.js', 'beginnings.js', 'query.js', 'search.js'],
      },
    },
    html`<h1>Search</h1>
<form role="search" id="search" action="search.html">
<label for="q">Words</label>
<input type="search" id="q" name="q" autocomplete="off" required>
<label for="topic">in <select id="topic" name="topic">
<option value="">all topics</option>
${options}</select></label>
<button>Search</button>
</form>
<noscript><p>Searching happens in this page and needs JavaScript. The topics can be read without.</p></noscript>
<p id="status" role="status"></p>
<p class="about">A page is found by the words of its title and those that tell most of it, ${STEMS_PER_PAGE} in all.</p>
<h2 id="heading" hidden>Results</h2>
<ol class="pages" id="results"></ol>
<button type="button" id="more" hidden>Show more</button>`,
  );
}
