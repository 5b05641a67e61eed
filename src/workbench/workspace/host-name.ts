import { hostNamed } from '../../crawl/index.ts';
import type { Rule } from './rules.ts';

/**
 * Rule for a host name as the crawl stores it: lower case, ASCII letters, no dots at its ends; with its port unless
 * that is 80.
 */
export function hostName(): Rule<string> {
  return {
    expects: 'a host name without scheme or path, such as www.example.org',
    read: (value) => {
      const name = typeof value === 'string' ? hostNamed(value) : undefined;
      return name === undefined ? { ok: false } : { ok: true, value: name };
    },
    write: (host) => JSON.stringify(host),
  };
}
