/** What a page says of itself. */
export interface PageMeta {
  title: string;
  /** `lang` of the root, or `''`. */
  language: string;
  description: string;
  base: string;
  canonical: string;
  noindex: boolean;
  nofollow: boolean;
}

const MAX_REFRESH_CHARS = 4_000;

export function emptyMeta(): PageMeta {
  return { title: '', language: '', description: '', base: '', canonical: '', noindex: false, nofollow: false };
}

/** What a page lets us do with it. */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** `otherbot: noindex`; but not `max-snippet: 5`. */
const ADDRESSED = /^(?!max-|unavailable_after)([\w-]+)\s*:(.*)$/;

/**
 * Reads the value of meta robots or of `X-Robots-Tag` headers, one a line. A directive behind the name of a robot is for that
 * robot, and so are those behind it in the same header; what is for others is left out.
 * @param robot our own name, in lower case; default: only what is for everybody counts
 */
export function robotsDirectives(value: string, robot: string = ''): RobotsDirectives {
  let noindex = false;
  let nofollow = false;
  for (const header of value.toLowerCase().split('\n')) {
    let isForUs = true;
    for (const part of header.split(',')) {
      const [, name = '', rest = ''] = ADDRESSED.exec(part.trim()) ?? [];
      if (name !== '') isForUs = name === robot;
      const directive = name === '' ? part.trim() : rest.trim();
      if (!isForUs) continue;
      noindex ||= directive === 'noindex' || directive === 'none';
      nofollow ||= directive === 'nofollow' || directive === 'none';
    }
  }
  return { noindex, nofollow };
}

/** The URL in a refresh such as `5; url='next.html'`, or `''`. */
export function refreshTarget(content: string): string {
  const text = content.slice(0, MAX_REFRESH_CHARS).trim();
  const separator = text.search(/[;,\s]/);
  if (separator < 0 || !/^[\d.]*$/.test(text.slice(0, separator))) return '';
  const rest = text.slice(separator).replace(/^[;,\s]+/, '');
  const target = /^url\s*=/i.test(rest) ? rest.slice(rest.indexOf('=') + 1).trim() : rest;
  const quote = target[0];
  if (quote !== '"' && quote !== "'") return target;
  const end = target.indexOf(quote, 1);
  return target.slice(1, end < 0 ? undefined : end);
}

/** True for the values of `rel` by which an author does not vouch for the target. */
export function isNofollow(rel: string): boolean {
  return hasWord(rel, 'nofollow') || hasWord(rel, 'ugc') || hasWord(rel, 'sponsored');
}

export function isCanonical(rel: string): boolean {
  return hasWord(rel, 'canonical');
}

function hasWord(value: string, word: string): boolean {
  return value !== '' && value.toLowerCase().split(/\s+/).includes(word);
}
