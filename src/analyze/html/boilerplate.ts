import type { Place } from './layout.ts';

/** Last words of names that always mark boilerplate. */
const SURE = wordSet(
  `footer breadcrumb breadcrumbs crumbs cookie cookies consent gdpr banner advert advertisement ads ad adsense sponsored promo
sharethis addthis sharedaddy relatedposts respond commentform copyright skip skiplink subscribe newsletter signup catlinks editsection jumplinks printfooter toplinks`,
);
/** Last words of names that may mark a part of a site, the subject of a text, or a box within a text. */
const DOUBTFUL = wordSet(
  `nav navbar navbox navigation topnav sidenav menu menubar submenu dropdown sidebar social share sharing related pagination
pager toolbar masthead comments commentlist reply related recommended recommendations tags bio teaser teasers notice rating popup modal overlay login search searchbox searchform noprint navigationbar metadata sitenav`,
);
/** For these, the first word of a class name is sufficient: `navbar-collapse`, `breadcrumb-list`. */
const LEADING = new Set(['nav', 'navbar', 'navbox', 'breadcrumb', 'breadcrumbs', 'consent']);
/** For these, any word is sufficient: `cookie-notice`, `cmplz-cookiebanner-container`. */
const ANYWHERE = /^(?:cookie|gdpr)/;
/** `has-sidebar`, `main-with-sidebar` and `no-footer` describe a page; they do not mark a sidebar. */
const NEGATING = wordSet('has with no without is hide toggle page layout wrapper content');
const NEGATING_ANYWHERE = wordSet('has with no without');
/** `above-footer` does not name a footer. */
const BESIDE = wordSet('above below before after over under near pre post');
/**
 * Words for the subject of a text: WordPress marks a post about cookie recipes as `post category-cookies
 * tag-navigation`.
 */
const SUBJECTS = wordSet('category tag tags cat topic keyword tax term');
/** The id is derived from its heading: `<div class="section" id="search">` is a manual's section about searching. */
const SECTION = /(?:^|\s)(?:section|sect\d|level-?\d|chapter|appendix|[a-z]+-level-extent)(?:\s|$)/;
const WHOLE = new Set([
  'header',
  'site-header',
  'page-header',
  'global-header',
  'top-bar',
  'topbar',
  'left-column-nav',
]);
const ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'menu',
  'menubar',
  'toolbar',
  'dialog',
  'alert',
]);

/** The shortest relevant name is `amp-ad`: most unknown elements are shorter and are skipped. */
const MIN_ELEMENT_CHARS = 6;
const MAX_ELEMENT_CHARS = 60;
const DASH = 45;

const MEMO_LIMIT = 5_000;
const memo = new Map<string, Place>();

/** Whether a `role` marks boilerplate. */
export function isBoilerplateRole(role: string): boolean {
  return ROLES.has(role.trim().toLowerCase());
}

/** Whether a `class` marks a section of a text. */
export function isSectionClass(value: string): boolean {
  return SECTION.test(value);
}

/** Classifies a `class` or `id`: whether it names navigation, a footer, an advertisement or similar. Memoised. */
export function placeNamed(value: string): Place {
  if (value === '' || value.length > 300) return 'own';
  const known = memo.get(value);
  if (known !== undefined) return known;
  const places = value.split(/\s+/).map(placeOfName);
  const place = places.find((each) => each === 'boilerplate') ?? places.find((each) => each === 'doubtful') ?? 'own';
  if (memo.size >= MEMO_LIMIT) memo.clear();
  memo.set(detached(value), place);
  return place;
}

/** Whether the name of a custom element, at `source[start … end)`, marks navigation, a footer or similar. */
export function namesBoilerplate(source: string, start: number, end: number): boolean {
  if (end - start < MIN_ELEMENT_CHARS || end - start > MAX_ELEMENT_CHARS) return false;
  for (let i = start; i < end; i++)
    if (source.charCodeAt(i) === DASH) return placeNamed(source.slice(start, end)) !== 'own';
  return false;
}

function placeOfName(name: string): Place {
  if (WHOLE.has(name.toLowerCase())) return 'doubtful';
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined || NEGATING.has(first) || SUBJECTS.has(first)) return 'own';
  if (words.some((word) => NEGATING_ANYWHERE.has(word)) || BESIDE.has(words.at(-2) ?? '')) return 'own';
  if (SURE.has(last) || LEADING.has(first) || words.some((word) => ANYWHERE.test(word))) return 'boilerplate';
  return DOUBTFUL.has(last) ? 'doubtful' : 'own';
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

/** Copies a string so that it does not keep its page in memory. */
function detached(value: string): string {
  return Buffer.from(value, 'utf16le').toString('utf16le');
}
