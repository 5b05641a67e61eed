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

/** Reads the value of meta robots or of an `X-Robots-Tag` header; directives for other robots are left out. */
export function robotsDirectives(value: string): { readonly noindex: boolean; readonly nofollow: boolean } {
  let noindex = false;
  let nofollow = false;
  for (const part of value.toLowerCase().split(',')) {
    const directive = part.trim();
    if (directive === 'noindex' || directive === 'none') noindex = true;
    if (directive === 'nofollow' || directive === 'none') nofollow = true;
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
