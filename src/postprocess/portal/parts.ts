import { type PageNews, readableHost, readableUrl, type TopicId } from '../../core/index.ts';
import { sanitizeText } from '../../kit/index.ts';
import { shortTitle } from '../markup.ts';
import { BARS, type PortalContents, type PortalPage, type PortalTopic } from './contents.ts';
import { html, type Markup } from './html.ts';
import { dateOf, type Portal, type Root } from './shell.ts';
import type { TopicLinks } from './topic-links.ts';
import type { TopicMaps } from './topic-maps.ts';
import type { PortalWords } from './words.ts';

/** Data from which pages are generated. */
export interface PortalView extends Portal {
  readonly contents: PortalContents;
  /** Snippets of listed pages, by sequence. */
  readonly snippets: ReadonlyMap<number, string>;
  /** Names of pictures in the portal, by their addresses. */
  readonly thumbnails: ReadonlyMap<string, string>;
  readonly maps: TopicMaps;
  readonly links: ReadonlyMap<TopicId, TopicLinks>;
  /** Pages by sequence. */
  readonly pageOf: ReadonlyMap<number, PortalPage>;
}

/** Returns the path from the top to a topic; `here` names the page if it is not the topic's own. */
export function trail(
  topic: PortalTopic,
  { contents: { topics }, words }: PortalView,
  { root, here }: { readonly root: Root; readonly here?: string },
): Markup {
  const crumb = ({ slug, name }: PortalTopic): Markup =>
    html`<li><a href="${root}topics/${slug}.html"><bdi>${name}</bdi></a></li>\n`;
  return html`<nav aria-label="${words.text('youAreHere')}"><ol class="trail">
<li><a href="${root}index.html">${words.text('allTopics')}</a></li>
${topic.above.flatMap((id) => topics.get(id) ?? []).map(crumb)}${here === undefined ? html`<li aria-current="page"><bdi>${topic.name}</bdi></li>` : html`${crumb(topic)}<li aria-current="page">${here}</li>`}
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

/** Returns the `lang` attribute of text in another language than the portal's, for screen readers and fonts. */
export function langOf({ language }: { readonly language: string }, words: PortalWords): Markup | undefined {
  const isOwn = language === words.language.split('-')[0];
  return language === '' || isOwn ? undefined : html` lang="${language}"`;
}

/** Returns a host or site name that can wrap at its dots. */
export function siteName(name: string): Markup {
  const parts = readableHost(name).split(/(?<=\.)/);
  return html`${parts.map((part, i) => (i === 0 ? html`${part}` : html`<wbr>${part}`))}`;
}

/** Number of badge colours in `style.css`. */
const BADGES = 8;

/** Returns the initial of a site on a colour of its own; only for the eye. */
export function badge(site: string): Markup {
  const letters = [...readableHost(site).replace(/^www\./, '')];
  const sum = letters.reduce((total, letter) => total * 31 + (letter.codePointAt(0) ?? 0), 7);
  const initial = letters.find((letter) => /[\p{L}\p{N}]/u.test(letter)) ?? '·';
  return html`<span class="badge badge-${sum % BADGES}" aria-hidden="true">${initial.toUpperCase()}</span>`;
}

const SPARK_HEIGHT = 20;
const SPARK_STEP = 4;

/** Returns a small bar chart of when the pages of a topic were found. */
export function sparkline({ finds }: PortalTopic, words: PortalWords): Markup | undefined {
  const most = Math.max(...finds);
  if (finds.filter((n) => n > 0).length < 2) return undefined;
  const bars = finds.map((n, i) => {
    if (n === 0) return undefined;
    const height = Math.max(1, Math.round((SPARK_HEIGHT * n) / most));
    return html`<rect x="${i * SPARK_STEP}" y="${SPARK_HEIGHT - height}" width="${SPARK_STEP - 1}" height="${height}"/>`;
  });
  return html`<svg class="spark" viewBox="0 0 ${BARS * SPARK_STEP} ${SPARK_HEIGHT}" width="${BARS * SPARK_STEP}" height="${SPARK_HEIGHT}" role="img" aria-label="${words.text('timeline')}">${bars}</svg>`;
}

/** Returns when a page was found, and the recheck result: a failed recheck does not look like a successful one. */
export function datesOf(news: PageNews, words: PortalWords): Markup {
  const { firstAt, changedAt, checkedAt, triedAt, missing } = news;
  const day = (name: string, at: number): Markup => words.markup(name, { day: dateOf(at, words) });
  const found = day('dayFound', firstAt);
  if (triedAt === firstAt) return found;
  const changed = changedAt > firstAt ? html`, ${day('dayChanged', changedAt)}` : undefined;
  if (missing > 0) return html`${found}${changed}, ${day('dayGone', triedAt)}`;
  if (triedAt > checkedAt) return html`${found}${changed}, ${day('dayUnreached', triedAt)}`;
  return html`${found}${changed}, ${day('daySeen', checkedAt)}`;
}

/** Names the topic of a page listed under an ancestor topic. */
export function topicOf(page: PortalPage, topic: PortalTopic, { topics }: PortalContents): Markup | undefined {
  return page.topic === topic.id ? undefined : html` · <bdi>${topics.get(page.topic)?.name}</bdi>`;
}
