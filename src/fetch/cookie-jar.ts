import { getDomain } from 'tldts';
import { type CanonicalUrl, registeredDomain } from '../core/index.ts';
import { LruMap, ownCopy } from '../kit/index.ts';
import { parseHttpDate } from './http-date.ts';

interface Cookie {
  readonly value: string;
  /** Host that set it, or the domain the cookie names. */
  readonly domain: string;
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
  readonly expiresAt: number;
}

const MAX_SITES = 2_000;
const MAX_COOKIES_PER_SITE = 20;
const MAX_COOKIE_CHARS = 2_048;
/** Many servers reject requests with headers of more than 8 KB. */
const MAX_SITE_CHARS = 4_096;
/** Characters allowed in a header value; others would corrupt the request. */
const SAFE = /^[\x20-\x7e]*$/;

/**
 * In-memory cookies by site (registered domain), small and bounded. Some servers return no page without their cookie.
 * Nothing outlives the process. Implements the part of RFC 6265 that a crawler needs.
 */
export class CookieJar {
  readonly #now: () => number;
  readonly #sites = new LruMap<string, Map<string, Cookie>>(MAX_SITES);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the `Cookie` header for a URL, `''` if it has no cookies. */
  header(url: CanonicalUrl): string {
    if (this.#sites.size === 0) return '';
    const target = new URL(url);
    const cookies = this.#sites.get(registeredDomain(target.hostname));
    if (cookies === undefined) return '';
    const fitting = [...cookies].filter(([, cookie]) => this.#fits(cookie, target));
    // Servers use the first of two cookies with one name: the one with the longer path (RFC 6265 §5.4).
    const ordered = fitting.sort(([, a], [, b]) => b.path.length - a.path.length);
    return ordered.map(([key, cookie]) => `${key.slice(0, key.indexOf('='))}=${cookie.value}`).join('; ');
  }

  /** Stores the `Set-Cookie` headers of a response. */
  store(url: CanonicalUrl, headers: string | readonly string[] | undefined): void {
    if (headers === undefined) return;
    const target = new URL(url);
    const site = registeredDomain(target.hostname);
    const cookies = this.#sites.get(site) ?? new Map<string, Cookie>();
    for (const header of typeof headers === 'string' ? [headers] : headers) this.#keep(cookies, header, target);
    if (cookies.size > 0) this.#sites.set(site, cookies);
    else this.#sites.delete(site);
  }

  #keep(cookies: Map<string, Cookie>, header: string, target: URL): void {
    const parsed = parseCookie(header, target, this.#now());
    if (parsed === undefined) return;
    const { name, cookie } = parsed;
    const key = ownCopy(`${name}=${cookie.domain}${cookie.path}`);
    cookies.delete(key);
    if (cookie.expiresAt > this.#now()) cookies.set(key, cookie);
    let chars = [...cookies].reduce((sum, [each, { value }]) => sum + each.length + value.length, 0);
    for (const [oldest, { value }] of cookies) {
      if (cookies.size <= MAX_COOKIES_PER_SITE && chars <= MAX_SITE_CHARS) return;
      cookies.delete(oldest);
      chars -= oldest.length + value.length;
    }
  }

  #fits(cookie: Cookie, target: URL): boolean {
    const host = target.hostname;
    const onHost = host === cookie.domain || (!cookie.hostOnly && host.endsWith(`.${cookie.domain}`));
    const path = cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`;
    const onPath = target.pathname === cookie.path || target.pathname.startsWith(path);
    return onHost && onPath && (!cookie.secure || target.protocol === 'https:') && cookie.expiresAt > this.#now();
  }
}

function parseCookie(header: string, target: URL, now: number): { name: string; cookie: Cookie } | undefined {
  const [pair = '', ...parts] = header.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, equals).trim();
  const value = pair.slice(equals + 1).trim();
  if (equals < 1 || name === '' || pair.length > MAX_COOKIE_CHARS || !SAFE.test(pair)) return undefined;
  const attributes = new Map(parts.map(attribute));
  const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
  if (domain !== '' && !mayNameDomain(target.hostname, domain)) return undefined;
  const path = attributes.get('path') ?? '';
  // Copies the text: a short slice would keep the whole header in memory.
  const cookie = {
    value: ownCopy(value),
    domain: ownCopy(domain === '' ? target.hostname : domain),
    hostOnly: domain === '',
    path: ownCopy(path.startsWith('/') ? path : (/^(\/.*)\//.exec(target.pathname)?.[1] ?? '/')),
    secure: attributes.has('secure'),
    expiresAt: expiryOf(attributes, now),
  };
  return { name, cookie };
}

function attribute(part: string): [string, string] {
  const equals = part.indexOf('=');
  const name = equals < 0 ? part : part.slice(0, equals);
  return [name.trim().toLowerCase(), equals < 0 ? '' : part.slice(equals + 1).trim()];
}

/**
 * Returns true if the host may set cookies for this domain: itself or a parent domain, but not a public suffix such
 * as `co.uk`.
 */
function mayNameDomain(host: string, domain: string): boolean {
  if (host === domain) return true;
  return host.endsWith(`.${domain}`) && getDomain(domain, { allowPrivateDomains: true }) !== null;
}

function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number {
  const maxAge = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(maxAge)) return now + Number(maxAge) * 1000;
  const date = parseHttpDate(attributes.get('expires') ?? '');
  return Number.isNaN(date) ? Number.POSITIVE_INFINITY : date;
}
