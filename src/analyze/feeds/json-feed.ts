import { withoutMark } from '../../kit/index.ts';
import { escapeHtml, paragraphs } from '../html/markup.ts';
import { type FeedPart, feedHtml, MAX_ENTRIES, MAX_ENTRY_CHARS } from './feed.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What says that a JSON text is a feed; many programs write its slashes behind backslashes. */
const VERSION = /^https?:\/\/jsonfeed\.org\/version\//;

/**
 * {@link feedPage} for JSON Feed 1 and 1.1 (jsonfeed.org).
 * @param url - address of the feed
 * @returns `undefined` when the text is no such feed
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

/** Many have an address for an identifier, others a number. */
function addressIn(id: unknown): string {
  return /^https?:/i.test(textOf(id)) ? textOf(id) : '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
