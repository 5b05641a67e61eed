import { canonicalize, hostOf } from '../../core/index.ts';
import type { Rule } from './rules.ts';

/** The name of a host as the crawl knows it: lower case, ASCII letters, no dots at its ends; with its port unless that is 80. */
export function hostName(): Rule<string> {
  return {
    expects: 'a host name without scheme or path, such as www.example.org',
    read: (value) => {
      const name = typeof value === 'string' ? value.trim().replace(/^\./, '') : '';
      const url = MAY_BE_HOST.test(name) ? canonicalize(`http://${name}/`) : undefined;
      return url === undefined ? { ok: false } : { ok: true, value: hostOf(url) };
    },
    write: (host) => JSON.stringify(host),
  };
}

/** Letters of all scripts, digits, dots and hyphens, or an IPv6 address in brackets; then a port. */
const MAY_BE_HOST = /^(?:[\p{L}\p{M}\p{N}_.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/iu;
