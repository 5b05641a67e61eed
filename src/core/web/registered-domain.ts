import { getDomain } from 'tldts';
import type { CanonicalUrl } from '../ids.ts';
import { hostOf, withoutPort } from './url.ts';

/**
 * The registered domain of a host with or without port: `example.co.uk` for `www.example.co.uk:8080`. IP addresses,
 * single labels and public suffixes are their own domain. Sites below a private suffix (`github.io`) share one: they
 * share servers, too.
 */
export function registeredDomain(host: string): string {
  const name = withoutPort(host);
  return getDomain(name) ?? name;
}

/** The registered domain of a URL's host: its site. */
export function siteOfUrl(url: CanonicalUrl): string {
  return registeredDomain(hostOf(url));
}
