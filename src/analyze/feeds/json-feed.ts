import { withoutMark } from '../../kit/index.ts';
import { escapeHtml, paragraphs } from '../html/markup.ts';
import { type FeedPart, feedHtml, MAX_ENTRIES, MAX_ENTRY_CHARS } from './feed.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Identifies a JSON feed; many programs escape its slashes. */
const VERSION = /^https?:\/\/jsonfeed\.org\/version\//;

/**
 * {@link feedPage} for JSON Feed 1 and 1.1 (jsonfeed.org).
 * @param url - URL of the feed
 * @returns `undefined` if the text is not a JSON feed
 */
export function jsonFeedPage(json: string, url: string): string | undefined {
  let feed: unknown;
  try {
    feed = JSON.parse(withoutMark(json));
  } catch {
    return undefined;
  }
  if (!isFields(feed) || !VERSION.test(textOf(feed.version))) return undefined;
  const { title, description, home_page_url: home, next_url: next, language } = feed;
  const head = partOf({ title, content_text: description }, [home, next], url);
  const items: readonly unknown[] = Array.isArray(feed.items) ? feed.items.slice(0, MAX_ENTRIES) : [];
  const entries = items
    .filter(isFields)
    .map((item) => partOf(item, [item.url ?? addressIn(item.id), item.external_url], url));
  return feedHtml(head, entries, textOf(language).slice(0, 20));
}

function partOf(fields: Fields, links: readonly unknown[], base: string): FeedPart {
  const { title, content_html: html, content_text: text, summary } = fields;
  const content = textOf(html) || paragraphs(textOf(text) || textOf(summary));
  const targets = links.map(textOf).flatMap((link) => (link === '' ? [] : (URL.parse(link, base)?.href ?? [])));
  return {
    title: escapeHtml(textOf(title)),
    text: content.slice(0, MAX_ENTRY_CHARS),
    base,
    links: [...new Set(targets)],
  };
}

/** Returns an identifier if it is a URL: many feeds use URLs, others numbers. */
function addressIn(id: unknown): string {
  return /^https?:/i.test(textOf(id)) ? textOf(id) : '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
