/** Something that a page says about itself: by the name of a `<meta>`, or `itemprop=NAME`, `rel=NAME`, `time`. */
export interface Said {
  readonly name: string;
  readonly value: string;
}

/** Metadata of a page. */
export interface PageMeta {
  title: string;
  /** Title for social networks (`og:title`). */
  sharedTitle: string;
  /** `lang` of the root, or `''`. */
  language: string;
  description: string;
  /** Structured data (JSON-LD) as written in the page. */
  readonly data: string[];
  /** What its `<meta>` and marked elements say, by name. */
  readonly said: Said[];
  /** Dates of its `<time>` elements without `itemprop`, each with its offset in the layout. */
  readonly times: { readonly value: string; readonly at: number }[];
  /** Data that the page stores for its scripts: JSON, or scripts that begin with an assignment. */
  readonly state: string[];
  base: string;
  canonical: string;
  /** The first meta refresh with a URL, `undefined` if missing. */
  refresh: Refresh | undefined;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** Maximum number of characters in a snippet; Infinity: no limit. */
  readonly maxSnippet: number;
}

const MAX_REFRESH_CHARS = 4_000;

export function emptyMeta(): PageMeta {
  return {
    ...{
      title: '',
      sharedTitle: '',
      language: '',
      description: '',
      data: [],
      said: [],
      times: [],
      state: [],
      base: '',
      canonical: '',
      refresh: undefined,
    },
    ...NO_DIRECTIVES,
  };
}

/** What a page allows robots to do. */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** Maximum number of characters in a snippet, at least 0; Infinity: no limit. */
  readonly maxSnippet: number;
}

const NO_DIRECTIVES: RobotsDirectives = { noindex: false, nofollow: false, maxSnippet: Number.POSITIVE_INFINITY };

/** Combines the directives of two sources: what either forbids is forbidden. */
export function stricter(a: RobotsDirectives, b: RobotsDirectives): RobotsDirectives {
  return {
    noindex: a.noindex || b.noindex,
    nofollow: a.nofollow || b.nofollow,
    maxSnippet: Math.min(a.maxSnippet, b.maxSnippet),
  };
}

/** `otherbot: noindex`, but not `max-snippet: 5`. */
const ADDRESSED = /^(?!max-|unavailable_after)([\w-]+)\s*:(.*)$/;
/** A weekday before a date, with its comma, which does not separate directives. */
const WEEKDAY = /\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,\s*/g;
/** `-1` means no limit. */
const MAX_SNIPPET = /\bmax-snippet\s*:\s*(\d{1,9})(?!\d)/;
const EXPIRY = /^unavailable_after\s*:\s*(.*)$/;

/** The name in `<meta name=robots>`; some servers also write it before directives in a header. */
const EVERYBODY = 'robots';

/** The robot that reads directives, and the time. */
export interface RobotsReader {
  /** Our own name, in lower case; default: only directives for all robots apply. */
  readonly robot?: string;
  /** When the page was fetched, in ms since 1970: its `unavailable_after` may have passed. Default: never. */
  readonly now?: number;
}

/**
 * Parses the value of meta robots or of `X-Robots-Tag` headers, one per line. A directive after a robot's name
 * applies to that robot, as do the following ones in the same header; directives for other robots are ignored.
 */
export function robotsDirectives(value: string, { robot = '', now = 0 }: RobotsReader = {}): RobotsDirectives {
  let found = NO_DIRECTIVES;
  for (const header of value.toLowerCase().replace(WEEKDAY, '').split('\n')) {
    let isForUs = true;
    for (const part of header.split(',')) {
      const [, name = '', rest = ''] = ADDRESSED.exec(part.trim()) ?? [];
      if (name !== '') isForUs = name === robot || name === EVERYBODY;
      if (!isForUs) continue;
      const directive = (name === '' ? part : rest).trim();
      const expiry = EXPIRY.exec(directive)?.[1];
      // Many pages separate them only by blanks.
      const words = expiry === undefined ? directive.split(/[\s;]+/) : [];
      const chars = words.includes('nosnippet') ? '0' : MAX_SNIPPET.exec(directive)?.[1];
      found = stricter(found, {
        noindex: words.includes('noindex') || words.includes('none') || isOver(expiry, now),
        nofollow: words.includes('nofollow') || words.includes('none'),
        maxSnippet: chars === undefined ? Number.POSITIVE_INFINITY : Number(chars),
      });
    }
  }
  return found;
}

/** `2010-06-25`, optionally with time and zone (ISO 8601). */
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*(z|[+-]\d\d:?\d\d)?)?$/;
/** `25 Jun 2010 15:00:00 GMT` (RFC 822), `25-Jun-10 15:00:00 GMT` (RFC 850). */
const MAIL_DATE = /^(\d{1,2}[ -][a-z]{3,9}[ -](?:\d{4}|\d\d))(?:\s+(\d\d:\d\d(?::\d\d)?))?\s*([a-z]{1,5}|[+-]\d{4})?$/;

/** False for an unreadable date: it is no reason to drop the page. */
function isOver(date: string | undefined, now: number): boolean {
  return date !== undefined && readDate(date.trim()) <= now;
}

/** Returns ms since 1970, with UTC as default zone; NaN for other formats than those above. */
function readDate(date: string): number {
  const iso = ISO_DATE.exec(date);
  if (iso !== null) return Date.parse(iso[1] === undefined && date.length > 10 ? `${date.trim()}z` : date);
  const [, day = '', time = '00:00', zone = 'utc'] = MAIL_DATE.exec(date) ?? [];
  return day === '' ? Number.NaN : Date.parse(`${day.replaceAll('-', ' ')} ${time} ${zone}`);
}

/** A refresh such as `5; url='next.html'`. */
export interface Refresh {
  readonly afterSeconds: number;
  readonly target: string;
}

const MAX_LEAVING_CHARS = 2_500;
/** `location.href = "/new"` at the beginning of a script, where no condition can precede it. */
const LEAVING =
  /^[\s;]*(?:(?:<!--[^\n]*\n|\/\/[^\n]*\n|["']use strict["'];)\s*)?(?:(?:window|document|self)\.)?location(?:\.href)?\s*(?:=|\.(?:replace|assign)\s*\()\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)')(?:\s*\))?\s*(?:;|\n|$|<\/script)/i;

/** Returns the target if the script at an offset of a page begins with a redirect; `undefined` otherwise. */
export function leavingIn(html: string, start: number): Refresh | undefined {
  const [, double, single] = LEAVING.exec(html.slice(start, start + MAX_LEAVING_CHARS)) ?? [];
  const target = (double ?? single ?? '').trim();
  return target === '' ? undefined : { afterSeconds: 0, target };
}

/** Parses the `content` of a meta refresh; `undefined` if it has no URL. */
export function readRefresh(content: string): Refresh | undefined {
  const text = content.slice(0, MAX_REFRESH_CHARS).trim();
  const separator = text.search(/[;,\s]/);
  if (separator < 0 || !/^[\d.]*$/.test(text.slice(0, separator))) return undefined;
  const target = refreshTarget(text.slice(separator).replace(/^[;,\s]+/, ''));
  return target === '' ? undefined : { afterSeconds: Number.parseFloat(text) || 0, target };
}

function refreshTarget(rest: string): string {
  const target = /^url\s*=/i.test(rest) ? rest.slice(rest.indexOf('=') + 1).trim() : rest;
  const quote = target[0];
  if (quote !== '"' && quote !== "'") return target;
  const end = target.indexOf(quote, 1);
  return target.slice(1, end < 0 ? undefined : end);
}

/** Whether a `rel` says that the author does not vouch for the target; some authors separate values by commas. */
export function isNofollow(rel: string): boolean {
  return hasWord(rel, 'nofollow') || hasWord(rel, 'ugc') || hasWord(rel, 'sponsored');
}

export function isCanonical(rel: string): boolean {
  return hasWord(rel, 'canonical');
}

/** Returns true for a `<link>` to the page's feed. */
export function isFeedLink(rel: string, type: string): boolean {
  return hasWord(rel, 'alternate') && /^\s*application\/(?:rss\+xml|atom\+xml|feed\+json)\b/i.test(type);
}

function hasWord(value: string, word: string): boolean {
  return (
    value !== '' &&
    value
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(word)
  );
}
