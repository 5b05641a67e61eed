import { type PageNews, readableHost, readableUrl, relevanceText } from '../../core/index.ts';
import { sanitizeText } from '../../kit/index.ts';
import { shortTitle, webAddress } from '../markup.ts';
import type { PortalContents, PortalPage, PortalTopic } from './contents.ts';
import { html, type Markup } from './html.ts';
import { dateOf, type Root } from './shell.ts';

/** What pages are written from. */
export interface PortalView {
  readonly title: string;
  readonly contents: PortalContents;
  /** Passage of a listed page, by sequence. */
  readonly snippets: ReadonlyMap<number, string>;
}

/** The way from the top to a topic; `here` names the page when it is not the topic's own. */
export function trail(
  topic: PortalTopic,
  { topics }: PortalContents,
  { root, here }: { root: Root; here?: string },
): Markup {
  const above = topic.above.map((id) => topics.get(id)!);
  return html`<nav aria-label="You are here"><ol class="trail">
<li><a href="${root}index.html">All topics</a></li>
${above.map(({ slug, name }) => html`<li><a href="${root}topics/${slug}.html"><bdi>${name}</bdi></a></li>\n`)}${here === undefined ? html`<li aria-current="page"><bdi>${topic.name}</bdi></li>` : html`<li><a href="${root}topics/${topic.slug}.html"><bdi>${topic.name}</bdi></a></li>\n<li aria-current="page">${here}</li>`}
</ol></nav>`;
}

/** A title that shows something, the address when there is none; cut where it is long. */
export function titleOf(page: PortalPage): string {
  return shortTitle(wholeTitle(page));
}

/** The same, not cut. */
export function wholeTitle({ title, address }: Pick<PortalPage, 'title' | 'address'>): string {
  const shown = sanitizeText(title);
  return /[\p{L}\p{N}]/u.test(shown) ? shown : readableUrl(address);
}

/** What tells a reader aloud, and a browser that chooses letters, that a text is not in English as the portal is. */
export function langOf({ language }: { readonly language: string }): Markup | undefined {
  return language === '' || language === 'en' ? undefined : html` lang="${language}"`;
}

/** A host or site that may be broken at its dots where it is too long for a line. */
export function siteName(name: string): Markup {
  const parts = readableHost(name).split(/(?<=\.)/);
  return html`${parts.map((part, i) => (i === 0 ? html`${part}` : html`<wbr>${part}`))}`;
}

/** What is known of a page besides its text, as it stands on the page of a topic. */
export function factsOf(page: PortalPage, topic: PortalTopic, { contents }: PortalView): Markup {
  const found = foundOn(page);
  return html`${judgedFacts(page)}${found && html` · found on ${found}`}${topicOf(page, topic, contents)}`;
}

export function judgedFacts({ relevance, role, news }: PortalPage): Markup {
  const isJudged = Number.isFinite(relevance) && role === 'crawled';
  return html`${isJudged ? html`relevance ${relevanceText(relevance)} · ` : undefined}found ${dateOf(news.firstAt)}${newsOf(news)}`;
}

/** What became of it since: a day on which nothing came of asking must not pass for a day on which all was well. */
function newsOf({ firstAt, changedAt, checkedAt, triedAt, missing }: PageNews): Markup | undefined {
  if (triedAt === firstAt) return undefined;
  const changed = changedAt > firstAt ? html`, changed ${dateOf(changedAt)}` : undefined;
  if (missing > 0) return html`${changed}, not there on ${dateOf(triedAt)}`;
  if (triedAt > checkedAt) return html`${changed}, not reached on ${dateOf(triedAt)}`;
  return html`${changed}, seen ${dateOf(checkedAt)}`;
}

/** Names the topic of a page that stands among those of a topic above it. */
export function topicOf(page: PortalPage, topic: PortalTopic, { topics }: PortalContents): Markup | undefined {
  return page.topic === topic.id ? undefined : html` · <bdi>${topics.get(page.topic)?.name}</bdi>`;
}

function foundOn({ via }: PortalPage): Markup | undefined {
  const address = webAddress(via);
  if (address === undefined) return undefined;
  return html`<a href="${address}" rel="noopener nofollow">${readableHost(new URL(address).host)}</a>`;
}
