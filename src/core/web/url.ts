import type { CanonicalUrl } from '../ids.ts';

/**
 * Makes a URL canonical: absolute, http or https; host in lower case without trailing dots; no user, default port,
 * dot segments, fragment or empty query; percent-encoding as RFC 3986 §6.2.2 wants it (unreserved characters decoded,
 * hex digits upper case, characters that no URL may hold encoded); session ids and tracking parameters dropped.
 * What could be another resource stays: index pages, doubled slashes, case of the path, order of parameters.
 * Idempotent.
 * @param base - absolute URL that a relative one is read against
 * @returns `undefined` when the text is no http(s) URL
 */
export function canonicalize(text: string, base?: string): CanonicalUrl | undefined {
  return quickly(text, base) ?? thoroughly(text, base);
}

/** Returns the host in lower case, with its port unless default; politeness counts requests by it. */
export function hostOf(url: CanonicalUrl): string {
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** Returns true for a site's host and its subdomains, on any port. A site with a port covers only that port. */
export function isOnSite(host: string, site: string): boolean {
  const name = withoutPort(host);
  return host === site || name === site || name.endsWith(`.${site}`);
}

/** Yields the possible site names of a host, nearest first. */
export function* sitesOf(host: string): Generator<string> {
  const name = withoutPort(host);
  if (name !== host) yield host;
  yield name;
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) yield name.slice(dot + 1);
}

/** Returns the host without its port. */
export function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}

// ── The fast path ─ most links are canonical already, or after joining them to their page's folder. Everything that
// the pattern does not match takes the slow path. The pattern must never match what the slow path would change.

const LABEL = '(?!xn--)[a-z0-9_][a-z0-9_-]*';
const TOP_LABEL = '(?!xn--)[a-z_][a-z0-9_-]*'; // A last label that begins with a digit may be an IPv4 address.
const PORT = ':(?!80/|443/|0)(?:\\d{2,4}|[1-5]\\d{4}|6[0-4]\\d{3})'; // Up to 65535 there are; the last ones are left to the parser.
// Escapes of all but unreserved characters, in upper case.
const ESCAPE = '%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])';
const PATH_CHAR = "[A-Za-z0-9._~!$&'()*+,=:@-]";
const QUERY_CHAR = '[A-Za-z0-9._~!$&()*+,=:@/?;-]';
const CLEAN = new RegExp(
  `^https?://(?:${LABEL}\\.)*${TOP_LABEL}(?:${PORT})?` +
    `(?:/(?!\\.\\.?(?:[/?]|$)|\\(S\\()(?:${PATH_CHAR}|${ESCAPE})*)+` +
    `(?:\\?(?:${QUERY_CHAR}|${ESCAPE})+)?$`,
);
/** Longer texts could overflow the stack of the pattern matcher. */
const MAX_QUICK_CHARS = 2000;

function quickly(text: string, base: string | undefined): CanonicalUrl | undefined {
  if (text.length > MAX_QUICK_CHARS) return undefined;
  const hash = text.indexOf('#');
  const bare = hash < 0 ? text : text.slice(0, hash);
  const candidate = base === undefined || bare.startsWith('http') ? bare : glue(bare, base);
  return isClean(candidate) ? (candidate as CanonicalUrl) : undefined;
}

function isClean(url: string): boolean {
  return CLEAN.test(url) && !(url.includes('?') && SUSPECT.test(url));
}

interface CleanBase {
  readonly text: string;
  readonly clean: boolean;
  readonly origin: string;
  readonly folder: string;
}

/** The links of a page are processed in sequence, so caching one base is enough. */
let lastBase: CleanBase = { text: '', clean: false, origin: '', folder: '' };

/** Joins a relative URL and its base if concatenation suffices; else returns `''`. */
function glue(text: string, base: string): string {
  if (base !== lastBase.text) lastBase = cleanBase(base);
  if (!lastBase.clean || text === '') return '';
  if (text.startsWith('/')) return text.startsWith('//') ? '' : lastBase.origin + text;
  if (text.startsWith('?') || text.includes(':')) return '';
  let folder = lastBase.folder;
  let at = 0;
  for (; text.startsWith('../', at); at += 3) folder = parent(folder, lastBase.origin);
  return folder + text.slice(at);
}

/** Returns the parent folder; the top folder is its own parent. */
function parent(folder: string, origin: string): string {
  return folder.slice(0, Math.max(origin.length, folder.lastIndexOf('/', folder.length - 2)) + 1);
}

function cleanBase(text: string): CleanBase {
  if (text.length > MAX_QUICK_CHARS || !isClean(text)) return { text, clean: false, origin: '', folder: '' };
  const query = text.indexOf('?');
  const path = query < 0 ? text : text.slice(0, query);
  const origin = path.slice(0, path.indexOf('/', 8));
  return { text, clean: true, origin, folder: path.slice(0, path.lastIndexOf('/') + 1) };
}

// ── The slow path.

function thoroughly(text: string, base: string | undefined): CanonicalUrl | undefined {
  const url = URL.parse(text.trim(), base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.hostname.endsWith('.')) return withoutTrailingDots(url);
  const path = withoutSession(normalizeEscapes(url.pathname));
  const query = withoutNoise(normalizeEscapes(url.search));
  const canonical = `${url.protocol}//${url.host}${path}${query}`;
  // Removing a session id from "/..;jsessionid=1/" leaves a dot segment.
  return DOT_SEGMENT.test(path) ? thoroughly(canonical, undefined) : (canonical as CanonicalUrl);
}

const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;

/** Parsed again without the dots, because the rest may be an IPv4 address, or not a host at all. */
function withoutTrailingDots(url: URL): CanonicalUrl | undefined {
  const host = url.hostname.replace(/\.+$/, '');
  if (host === '') return undefined;
  const port = url.port === '' ? '' : `:${url.port}`;
  return thoroughly(`${url.protocol}//${host}${port}${url.pathname}${url.search}`, undefined);
}

/**
 * Encodes the characters of a path and query, or of a pattern, as in canonical URLs: invalid characters become
 * percent-encoded UTF-8. The first question mark starts the query.
 */
export function canonicalCharacters(text: string): string {
  const ascii = text.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  const query = ascii.indexOf('?');
  const [path, search] = query < 0 ? [ascii, ''] : [ascii.slice(0, query), ascii.slice(query)];
  return normalizeEscapes(path + search.replaceAll("'", '%27'));
}

const HEX_OR_FORBIDDEN = /%(?:[0-9A-Fa-f]{2})?|["<>[\]^`{|}\\]/g;
const UNRESERVED = /[A-Za-z0-9._~-]/;

function normalizeEscapes(text: string): string {
  return text.replace(HEX_OR_FORBIDDEN, (found) => {
    if (found.length < 3) return `%${found.charCodeAt(0).toString(16).toUpperCase()}`;
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return UNRESERVED.test(character) ? character : found.toUpperCase();
  });
}

const SESSION_SEGMENT = /\/\(S\([A-Za-z0-9]{16,}\)\)(?=\/|$)/g;
const SESSION_PARAMETER = /;(?:jsessionid|phpsessid|sessionid|sid)=[^/;]*/gi;

function withoutSession(path: string): string {
  if (path.includes(';')) path = path.replace(SESSION_PARAMETER, '');
  return path.includes('/(S(') ? path.replace(SESSION_SEGMENT, '') || '/' : path;
}

/** Set by advertisers and mailers to follow a visitor; no server chooses the page by them. */
const TRACKING =
  '(?:utm_\\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|twclid|ttclid|yclid|ysclid|igshid|li_fat_id|mc_[ce]id|' +
  'mkt_tok|_hsenc|_hsmi|__hs(?:tc|sc|fp)|oly_(?:anon|enc)_id|vero_(?:conv|id)|srsltid|_gl|_openstat)';
const SESSION = '(?:jsessionid|phpsessid|aspsessionid\\w*|cfid|cftoken|oscsid|zenid)';
/** Names that sites also use for other things: dropped when the value looks like a session's. */
const PERHAPS_SESSION = '(?:sid|s|sessid|sessionid|session_id)=[0-9a-f]{16,}';
const NOISE = new RegExp(`^(?:(?:${TRACKING}|${SESSION})(?:=.*)?|${PERHAPS_SESSION})$`, 'i');
const SUSPECT = new RegExp(`[?&](?:(?:${TRACKING}|${SESSION})(?:=|&|$)|${PERHAPS_SESSION}(?:&|$))`, 'i');

function withoutNoise(search: string): string {
  if (!SUSPECT.test(search)) return search;
  const kept = search
    .slice(1)
    .split('&')
    .filter((parameter) => !NOISE.test(parameter))
    .join('&');
  return kept === '' ? '' : `?${kept}`;
}
