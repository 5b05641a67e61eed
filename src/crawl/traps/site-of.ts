import { getDomain } from 'tldts';
import { withoutPort } from '../../core/index.ts';
import { LruMap, ownCopy } from '../../kit/index.ts';

/** By host; `''`: it has none. */
const sites = new LruMap<string, string>(10_000);

/** The domain that a host is registered below, `undefined` of an address. Blogs below a public suffix (`a.github.io`) are sites of their own here. */
export function siteOf(host: string): string | undefined {
  let site = sites.peek(host);
  if (site === undefined) {
    // The site is cut out of the host, and that out of all the links of a page.
    const own = ownCopy(host);
    site = getDomain(withoutPort(own), { allowPrivateDomains: true }) ?? '';
    sites.set(own, site);
  }
  return site === '' ? undefined : site;
}

/** Whose a host is: its site's, or its own. */
export function ownerOf(host: string): string {
  return siteOf(host) ?? host;
}
