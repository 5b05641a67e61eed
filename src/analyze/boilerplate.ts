const WORDS = new Set(
  `nav navbar navbox navigation topnav sidenav menu menubar submenu dropdown sidebar footer breadcrumb breadcrumbs crumbs cookie
cookies consent gdpr banner advert advertisement ads ad adsense sponsored promo social share sharing sharethis addthis
related pagination pager toolbar masthead copyright skip skiplink popup modal overlay subscribe newsletter signup login
search searchbox searchform catlinks noprint navigationbar metadata editsection jumplinks printfooter sitenav toplinks`
    .trim()
    .split(/\s+/),
);
/** Of these, the first word of a class name is enough: `navbar-collapse`, `cookie-notice`. */
const LEADING = new Set([
  'nav',
  'navbar',
  'navbox',
  'breadcrumb',
  'breadcrumbs',
  'cookie',
  'cookies',
  'gdpr',
  'consent',
]);
/** `has-sidebar` and `no-footer` describe a page, they do not mark a sidebar. */
const NEGATING = new Set([
  'has',
  'with',
  'no',
  'without',
  'is',
  'hide',
  'toggle',
  'page',
  'layout',
  'wrapper',
  'content',
]);
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

const MEMO_LIMIT = 5_000;
const memo = new Map<string, boolean>();

/** True for a `role` whose content is not the page's own. */
export function isBoilerplateRole(role: string): boolean {
  return ROLES.has(role.trim().toLowerCase());
}

/** True when a `class` or `id` names navigation, a footer, an advertisement or the like. Memoised. */
export function isBoilerplateName(value: string): boolean {
  const known = memo.get(value);
  if (known !== undefined) return known;
  const found = value.length <= 300 && value.split(/\s+/).some(namesBoilerplate);
  if (memo.size >= MEMO_LIMIT) memo.clear();
  if (value.length <= 300) memo.set(detached(value), found);
  return found;
}

function namesBoilerplate(name: string): boolean {
  if (WHOLE.has(name.toLowerCase())) return true;
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  const first = words[0];
  const last = words.at(-1);
  if (first === undefined || last === undefined || NEGATING.has(first)) return false;
  return WORDS.has(last) || LEADING.has(first);
}

/** A copy that does not keep alive the page it was sliced from. */
function detached(value: string): string {
  return Buffer.from(value, 'utf16le').toString('utf16le');
}
