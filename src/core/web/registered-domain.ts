import { getDomain } from 'tldts';
import type { CanonicalUrl } from '../ids.ts';
import { hostOf, withoutPort } from './url.ts';

/**
 * Returns the registered domain of a host with or without port: `example.co.uk` for `www.example.co.uk:8080`. IP
 * addresses, single labels and public suffixes are their own domain. Sites below a private suffix (`github.io`) share
 * one, because they share servers.
 */
export function registeredDomain(host: string): string {
  const name = withoutPort(host);
  return getDomain(name) ?? name;
}

/** Returns the site of a URL: the registered domain of its host. */
export function siteOfUrl(url: CanonicalUrl): string {
  return registeredDomain(hostOf(url));
}
