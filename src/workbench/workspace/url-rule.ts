import { readUrlRule } from '../../crawl/index.ts';
import type { Rule } from './rules.ts';

/** Rule for a URL pattern: a host, a path in the syntax of robots.txt, or both. */
export function urlRule(): Rule<string> {
  return {
    expects: 'a host, a path, or both, such as example.org, /login or example.org/*.pdf$',
    read: (value) => {
      const read = typeof value === 'string' ? readUrlRule(value) : undefined;
      if (read?.ok === true) return { ok: true, value: read.rule.text };
      return read?.hint === undefined ? { ok: false } : { ok: false, hint: read.hint };
    },
    write: (rule) => JSON.stringify(rule),
  };
}
