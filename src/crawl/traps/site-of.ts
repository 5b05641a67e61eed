import { getDomain } from 'tldts';
import { withoutPort } from '../../core/index.ts';
import { LruMap, ownCopy } from '../../kit/index.ts';

/** By host; `''` if it has no site. */
const sites = new LruMap<string, string>(10_000);

/**
 * Returns the registered domain of a host; `undefined` for an IP address. Blogs below a public suffix (`a.github.io`)
 * are separate sites.
 */
export function siteOf(host: string): string | undefined {
  let site = sites.peek(host);
  if (site === undefined) {
    // The site is a slice of the host, which is a slice of a string with all links of a page.
    const own = ownCopy(host);
    site = getDomain(withoutPort(own), { allowPrivateDomains: true }) ?? '';
    sites.set(own, site);
  }
  return site === '' ? undefined : site;
}

/** Returns the owner of a host: its site, or the host itself. */
export function ownerOf(host: string): string {
  return siteOf(host) ?? host;
}
