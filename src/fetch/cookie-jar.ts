import { Cookie, MemoryCookieStore, CookieJar as SiteJar } from 'tough-cookie';
import { type CanonicalUrl, registeredDomain } from '../core/index.ts';
import { LruMap, ownCopy } from '../kit/index.ts';

const MAX_SITES = 2_000;
const MAX_COOKIES_PER_SITE = 20;
const MAX_COOKIE_CHARS = 2_048;
/** Many servers reject requests with headers of more than 8 KB. */
const MAX_SITE_CHARS = 4_096;
/** Sites with cookies of the user may have more. */
const OWN_FACTOR = 8;
/** `name=value` without characters that would corrupt a request. */
const PAIR = /^ *[!-<>-~][ -<>-~]*=[ -~]*$/;
/** The latest time that a `Date` can hold. */
const LATEST = 8.64e15;
/** The attributes that decide where a cookie is sent. */
const ATTRIBUTE = /^\s*(?:domain|expires|max-age|path|secure)\s*(?:=|$)/i;

/**
 * In-memory cookies by site (registered domain), small and bounded: some servers return no page without their cookie.
 * Nothing outlives the process. tough-cookie decides what a cookie means (RFC 6265).
 */
export class CookieJar {
  readonly #now: () => number;
  readonly #sites = new LruMap<string, SiteJar>(MAX_SITES);
  /** Sites with cookies of the user: kept whatever else is fetched. */
  readonly #own = new Map<string, SiteJar>();

  /** @param own cookies of the user */
  constructor(now: () => number, own: readonly Cookie[] = []) {
    this.#now = now;
    for (const cookie of own) {
      const site = registeredDomain(cookie.domain ?? '');
      const jar = this.#own.get(site) ?? new SiteJar(new MemoryCookieStore());
      void jar.store.putCookie(cookie);
      this.#own.set(site, jar);
    }
  }

  /** Returns the `Cookie` header for a URL, `''` if it has no cookies. */
  header(url: CanonicalUrl): string {
    if (this.#sites.size === 0 && this.#own.size === 0) return '';
    const site = registeredDomain(new URL(url).hostname);
    const jar = this.#own.get(site) ?? this.#sites.get(site);
    const cookies = jar?.getCookiesSync(url, { expire: false, sort: true }) ?? [];
    return cookies
      .filter((cookie) => (cookie.expiryTime() ?? 0) > this.#now())
      .map((cookie) => cookie.cookieString())
      .join('; ');
  }

  /** Stores the `Set-Cookie` headers of a response. */
  store(url: CanonicalUrl, headers: string | readonly string[] | undefined): void {
    if (headers === undefined) return;
    const kept = [headers].flat().flatMap((header) => parseCookie(header, this.#now()) ?? []);
    if (kept.length === 0) return;
    const site = registeredDomain(new URL(url).hostname);
    const own = this.#own.get(site);
    const jar = own ?? this.#sites.get(site) ?? new SiteJar(new MemoryCookieStore());
    for (const cookie of kept) jar.setCookieSync(cookie, url, { ignoreError: true, now: new Date(this.#now()) });
    dropOldest(jar, own === undefined ? 1 : OWN_FACTOR);
    if (own === undefined) this.#sites.set(site, jar);
  }
}

function parseCookie(header: string, now: number): Cookie | undefined {
  const [pair = '', ...attributes] = header.split(';');
  if (pair.length > MAX_COOKIE_CHARS || !PAIR.test(pair)) return undefined;
  const known = attributes.filter((each) => ATTRIBUTE.test(each) && each.length <= MAX_COOKIE_CHARS);
  // Copies the text: a slice would keep the whole header in memory.
  const cookie = Cookie.parse(ownCopy([pair, ...known].join(';')));
  // tough-cookie counts an age from the last request, by the clock of the machine.
  if (typeof cookie?.maxAge !== 'number') return cookie;
  cookie.expires = new Date(Math.min(LATEST, now + cookie.maxAge * 1000));
  cookie.maxAge = null;
  return cookie;
}

/** @param factor on the limits */
function dropOldest({ store }: SiteJar, factor: number): void {
  store.getAllCookies((_, found) => {
    const cookies = (found ?? []).toSorted((a, b) => a.creationIndex - b.creationIndex);
    let left = cookies.length;
    let chars = cookies.reduce((sum, cookie) => sum + charsOf(cookie), 0);
    for (const cookie of cookies) {
      if (left <= factor * MAX_COOKIES_PER_SITE && chars <= factor * MAX_SITE_CHARS) return;
      void store.removeCookie(cookie.domain, cookie.path, cookie.key);
      chars -= charsOf(cookie);
      left--;
    }
  });
}

function charsOf({ key, value, domain, path }: Cookie): number {
  return key.length + value.length + (domain?.length ?? 0) + (path?.length ?? 0);
}
