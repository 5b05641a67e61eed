import { type PageNews, readableHost, readableUrl, relevanceText } from '../../core/index.ts';
import { sanitizeText } from '../../kit/index.ts';
import { shortTitle, webAddress } from '../markup.ts';
import type { PortalContents, PortalPage, PortalTopic } from './contents.ts';
import { html, type Markup } from './html.ts';
import { dateOf, type Root } from './shell.ts';

/** Data from which pages are generated. */
export interface PortalView {
  readonly title: string;
  readonly contents: PortalContents;
  /** Snippets of listed pages, by sequence. */
  readonly snippets: ReadonlyMap<number, string>;
}

/** Returns the path from the top to a topic; `here` names the page if it is not the topic's own. */
export function trail(
  topic: PortalTopic,
  { topics }: PortalContents,
  { root, here }: { readonly root: Root; readonly here?: string },
): Markup {
  const above = topic.above.map((id) => topics.get(id)!);
  return html`<nav aria-label="You are here"><ol class="trail">
<li><a href="${root}index.html">All topics</a></li>
${above.map(({ slug, name }) => html`<li><a href="${root}topics/${slug}.html"><bdi>${name}</bdi></a></li>\n`)}${here === undefined ? html`<li aria-current="page"><bdi>${topic.name}</bdi></li>` : html`<li><a href="${root}topics/${topic.slug}.html"><bdi>${topic.name}</bdi></a></li>\n<li aria-current="page">${here}</li>`}
</ol></nav>`;
}

/** Returns a visible title, or the address without one; truncated if long. */
export function titleOf(page: PortalPage): string {
  return shortTitle(wholeTitle(page));
}

/** Returns the title without truncation. */
export function wholeTitle({ title, address }: Pick<PortalPage, 'title' | 'address'>): string {
  const shown = sanitizeText(title);
  return /[\p{L}\p{N}]/u.test(shown) ? shown : readableUrl(address);
}

/** Returns the `lang` attribute of text that is not English, for screen readers and font selection. */
export function langOf({ language }: { readonly language: string }): Markup | undefined {
  return language === '' || language === 'en' ? undefined : html` lang="${language}"`;
}

/** Returns a host or site name that can wrap at its dots. */
export function siteName(name: string): Markup {
  const parts = readableHost(name).split(/(?<=\.)/);
  return html`${parts.map((part, i) => (i === 0 ? html`${part}` : html`<wbr>${part}`))}`;
}

/** Returns facts about a page, as shown on the page of a topic. */
export function factsOf(page: PortalPage, topic: PortalTopic, { contents }: PortalView): Markup {
  const found = foundOn(page);
  return html`${judgedFacts(page)}${found && html` · found on ${found}`}${topicOf(page, topic, contents)}`;
}

export function judgedFacts({ relevance, role, news }: PortalPage): Markup {
  const isJudged = Number.isFinite(relevance) && role === 'crawled';
  return html`${isJudged ? html`relevance ${relevanceText(relevance)} · ` : undefined}found ${dateOf(news.firstAt)}${newsOf(news)}`;
}

/** Returns the recheck result, so that a failed recheck does not look like a successful one. */
function newsOf({ firstAt, changedAt, checkedAt, triedAt, missing }: PageNews): Markup | undefined {
  if (triedAt === firstAt) return undefined;
  const changed = changedAt > firstAt ? html`, changed ${dateOf(changedAt)}` : undefined;
  if (missing > 0) return html`${changed}, not there on ${dateOf(triedAt)}`;
  if (triedAt > checkedAt) return html`${changed}, not reached on ${dateOf(triedAt)}`;
  return html`${changed}, seen ${dateOf(checkedAt)}`;
}

/** Names the topic of a page listed under an ancestor topic. */
export function topicOf(page: PortalPage, topic: PortalTopic, { topics }: PortalContents): Markup | undefined {
  return page.topic === topic.id ? undefined : html` · <bdi>${topics.get(page.topic)?.name}</bdi>`;
}

function foundOn({ via }: PortalPage): Markup | undefined {
  const address = webAddress(via);
  if (address === undefined) return undefined;
  return html`<a href="${address}" rel="noopener nofollow">${readableHost(new URL(address).host)}</a>`;
}
