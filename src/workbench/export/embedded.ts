import { type CanonicalUrl, canonicalize } from '../../core/index.ts';

/** Tags that load something with the page, and the attributes that name it. */
const TAGS =
  /<(img|image|script|source|link|video|audio|embed|iframe|frame|input|object|track|base)\b([^<>]{1,8000})>/gi;
const ATTRIBUTE = /\b(src|href|srcset|poster|data|rel)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const LOADED_LINKS = /stylesheet|icon|preload|manifest/i;
const CSS_URL = /url\(\s{0,9}["']?([^"')\s]{1,2000})|@import\s{1,9}["']([^"']{1,2000})/gi;
/** Maximum number of parts per page. */
const MAX_PARTS = 1_000;

/** Returns the addresses of what a page loads: pictures, styles, scripts, frames. */
export function embeddedIn(html: string, url: CanonicalUrl): readonly CanonicalUrl[] {
  const found = new Set<CanonicalUrl>();
  let base: string = url;
  const add = (address: string | undefined): void => {
    const part = address === undefined || found.size >= MAX_PARTS ? undefined : canonicalize(address.trim(), base);
    if (part !== undefined) found.add(part);
  };
  for (const [, tag = '', text = ''] of html.matchAll(TAGS)) {
    const values = attributesOf(text);
    const name = tag.toLowerCase();
    if (name === 'base') base = canonicalize(values.get('href') ?? '', url) ?? base;
    else if (name !== 'link') for (const each of ['src', 'poster', 'data']) add(values.get(each));
    else if (LOADED_LINKS.test(values.get('rel') ?? '')) add(values.get('href'));
    if (name === 'image') add(values.get('href'));
    for (const choice of (values.get('srcset') ?? '').split(',')) add(choice.trim().split(/\s/, 1)[0] || undefined);
  }
  for (const address of addressesInCss(html)) add(address);
  return [...found];
}

/** Returns the addresses that a style sheet loads. */
export function embeddedInCss(css: string, url: CanonicalUrl): readonly CanonicalUrl[] {
  return addressesInCss(css)
    .slice(0, MAX_PARTS)
    .flatMap((address) => canonicalize(address, url) ?? []);
}

function addressesInCss(text: string): readonly string[] {
  return [...text.matchAll(CSS_URL)]
    .map(([, url, imported]) => url ?? imported ?? '')
    .filter((url) => !/^data:/i.test(url));
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? bare ?? '';
    if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), value.replaceAll('&amp;', '&'));
  }
  return values;
}
