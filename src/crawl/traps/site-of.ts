import { getDomain } from 'tldts';
import { LruMap, ownCopy, withoutPort } from '../../core/index.ts';

const sites = new LruMap<string, string | undefined>(10_000);

/** The domain that a host is registered below, `undefined` of an address. Blogs below a public suffix (`a.github.io`) are sites of their own here. */
export function siteOf(host: string): string | undefined {
  if (sites.peek(host) === undefined) {
    const name = withoutPort(host);
    sites.set(ownCopy(host), getDomain(name, { allowPrivateDomains: true }) ?? undefined);
  }
  return sites.peek(host);
}

/** Whose a host is: its site's, or its own. */
export function ownerOf(host: string): string {
  return siteOf(host) ?? host;
}
