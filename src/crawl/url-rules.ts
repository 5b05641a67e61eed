import {
  archiveOfMember,
  type CanonicalUrl,
  type Config,
  canonicalCharacters,
  canonicalize,
  hostOf,
  sitesOf,
  withoutPort,
} from '../core/index.ts';
import { matchesPattern } from '../kit/index.ts';
import type { Band } from './link-table.ts';

/** A parsed URL rule of the user: hosts and a path prefix. */
export interface UrlRule {
  /** The rule as stored in settings; parsing it gives the same rule. */
  readonly text: string;
  /** In lower case, with the port if the rule names one; `''`: any host. */
  readonly host: string;
  /** True if the rule covers only hosts below that name (`*.example.org`), not the host itself. */
  readonly isBelow: boolean;
  /** In robots.txt syntax; `''`: any path. */
  readonly pattern: string;
}

/** A parsed rule, or why it is invalid and what to write instead. */
export type ReadRule =
  | { readonly ok: true; readonly rule: UrlRule }
  | { readonly ok: false; readonly hint: string | undefined };

const NO_REGEX =
  'Rules are not regular expressions: * matches anything, a final $ matches the end. "/*.pdf$" matches addresses that end in .pdf, "/shop/" matches paths that start with it.';
/** File endings recognised in rules like `*.pdf`. Other endings are top-level domains. */
const FILE_ENDING =
  /^\*\.(?:pdf|docx?|pptx?|xlsx?|zip|gz|jpe?g|png|gif|svg|mp[34]|html?|php|aspx?|jsp|xml|json|txt|csv)$/i;

/**
 * Parses a rule: a host and its subdomains (`example.org`), with a path (`example.org/shop/`), a path on any host
 * (`/login`), or only subdomains (`*.example.org`). The path follows robots.txt: `*` matches anything, a final `$`
 * matches the end, and the query is part of it. A URL copied from a browser is also a valid rule.
 */
export function readUrlRule(typed: string): ReadRule {
  const text = typed.trim();
  const wrong = whyNoRule(text);
  if (wrong !== undefined) return { ok: false, hint: wrong };
  const [, scheme = 'http', bare = ''] = /^(?:(https?):\/\/)?(.*)$/is.exec(text)!;
  const at = bare.search(/[/?]/);
  const [name, path] = at < 0 ? [bare, ''] : [bare.slice(0, at), bare.slice(at)];
  const pattern = canonicalCharacters(path.startsWith('?') ? `/${path}` : path);
  if (name === '' || name === '*') return yes({ host: '', isBelow: false, pattern: pattern || '/' });
  const isBelow = name.startsWith('*.');
  const host = hostNamed(isBelow ? name.slice(2) : name, scheme.toLowerCase());
  if (host === undefined) return { ok: false, hint: hostHint(name) };
  if (pattern === '' && !isBelow && /^[^.:[]+$/.test(host)) return { ok: false, hint: oneWordHint(host) };
  return yes({ host, isBelow, pattern });
}

function yes(rule: Omit<UrlRule, 'text'>): ReadRule {
  return { ok: true, rule: { text: `${rule.isBelow ? '*.' : ''}${rule.host}${rule.pattern}`, ...rule } };
}

function whyNoRule(text: string): string | undefined {
  if (text === '') return 'The rule is empty: remove it.';
  if (/[\s\p{Cc}]/u.test(text)) return 'A rule must not contain blanks: write %20 instead.';
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return 'Only http and https are supported.';
  const hash = text.indexOf('#');
  if (hash >= 0) return `The part after "#" is never sent to a server: write "${text.slice(0, hash) || '/'}" instead.`;
  if (text.startsWith('//')) return `Remove the leading slashes: "${text.replace(/^\/+/, '')}".`;
  if (FILE_ENDING.test(text)) return `To match addresses with this ending, write "/${text}$".`;
  return /\\|^\^|^\.\*|\/\.\*/.test(text) ? NO_REGEX : undefined;
}

function hostHint(name: string): string | undefined {
  if (name.includes('*')) return 'In a host name, a star is allowed only at the start, before a dot: "*.example.org".';
  return name.includes('@') ? 'Remove the user name and the password.' : undefined;
}

function oneWordHint(word: string): string {
  return `Write "/${word}" for paths that start with it, or "${word}/" for that host and its subdomains.`;
}

/** Letters of all scripts, digits, dots and hyphens, or an IPv6 address in brackets; optionally followed by a port. */
const MAY_BE_HOST = /^(?:[\p{L}\p{M}\p{N}_.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/iu;

/**
 * Returns a host name in the crawler's form: lower case, ASCII, no leading or trailing dots. Keeps the port unless it
 * is the scheme's default.
 */
export function hostNamed(text: string, scheme = 'http'): string | undefined {
  const name = text.trim().replace(/^\./, '');
  const url = MAY_BE_HOST.test(name) ? canonicalize(`${scheme}://${name}/`) : undefined;
  return url === undefined ? undefined : hostOf(url);
}

interface Numbered extends UrlRule {
  /** Index in the setting, from 0. */
  readonly number: number;
}

/** Rules of one setting, indexed by host, so that thousands of rules stay fast. */
class RuleList {
  readonly #anywhere: Numbered[] = [];
  readonly #byHost = new Map<string, Numbered[]>();

  /** @throws RangeError for an invalid rule; settings are validated before */
  constructor(texts: readonly string[]) {
    for (const [number, text] of texts.entries()) {
      const read = readUrlRule(text);
      if (!read.ok) throw new RangeError(`Expected a rule on addresses, got "${text}"`);
      this.#add({ ...read.rule, number });
    }
  }

  get isEmpty(): boolean {
    return this.#anywhere.length === 0 && this.#byHost.size === 0;
  }

  /** Returns the first rule that matches a URL. */
  match(url: CanonicalUrl): Numbered | undefined {
    if (this.isEmpty) return undefined;
    const host = hostOf(url);
    const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
    const fits = ({ pattern }: UrlRule): boolean => matchesPattern(pattern, path);
    let first = this.#anywhere.find(fits);
    for (const rules of this.#of(host)) {
      const found = rules.find(fits);
      if (found !== undefined && (first === undefined || found.number < first.number)) first = found;
    }
    return first;
  }

  #add(rule: Numbered): void {
    if (rule.host === '') {
      this.#anywhere.push(rule);
      return;
    }
    const known = this.#byHost.get(rule.host);
    if (known === undefined) this.#byHost.set(rule.host, [rule]);
    else known.push(rule);
  }

  /** Returns the rules for a host: by name with port, by name, and by parent domains. */
  *#of(host: string): Generator<readonly Numbered[]> {
    const name = withoutPort(host);
    for (const site of sitesOf(host)) {
      const rules = this.#byHost.get(site) ?? [];
      yield site === host || site === name ? rules.filter(({ isBelow }) => !isBelow) : rules;
    }
  }
}

/** Settings that contain URL rules. */
export type RuleSettings = Pick<Config['crawl'], 'exclude' | 'include' | 'prefer' | 'defer'>;

/** Why a URL is excluded: a rule of `exclude` matches, or no rule of `include` does. */
export type KeptOut =
  /** `number` is the rule's index in the setting, from 0. */
  | { readonly setting: 'crawl.exclude'; readonly rule: string; readonly number: number }
  | { readonly setting: 'crawl.include'; readonly rule: undefined };

/** A rule that places links to a URL before or behind others. `number` is its index in the setting, from 0. */
export interface Preference {
  readonly setting: 'crawl.prefer' | 'crawl.defer';
  readonly rule: string;
  readonly number: number;
}

/** The user's URL rules. */
export class UrlRules {
  readonly #exclude: RuleList;
  readonly #include: RuleList;
  readonly #prefer: RuleList;
  readonly #defer: RuleList;

  /** Absent settings have no rules. @throws RangeError for an invalid rule */
  constructor({ exclude = [], include = [], prefer = [], defer = [] }: Partial<RuleSettings>) {
    this.#exclude = new RuleList(exclude);
    this.#include = new RuleList(include);
    this.#prefer = new RuleList(prefer);
    this.#defer = new RuleList(defer);
  }

  /** Returns why a URL is excluded, if it is. Rules that match an archive also apply to its members. */
  against(url: CanonicalUrl): KeptOut | undefined {
    if (this.#exclude.isEmpty && this.#include.isEmpty) return undefined;
    const archive = archiveOfMember(url);
    const match = (rules: RuleList): Numbered | undefined =>
      rules.match(url) ?? (archive === undefined ? undefined : rules.match(archive));
    const excluded = match(this.#exclude);
    if (excluded !== undefined) return { setting: 'crawl.exclude', rule: excluded.text, number: excluded.number };
    if (this.#include.isEmpty || match(this.#include) !== undefined) return undefined;
    return { setting: 'crawl.include', rule: undefined };
  }

  /** True if some rules place URLs before or behind others. */
  get areOrdering(): boolean {
    return !this.#prefer.isEmpty || !this.#defer.isEmpty;
  }

  /** Returns the rule that places a URL before or behind others; `prefer` wins over `defer`. */
  preference(url: CanonicalUrl): Preference | undefined {
    const preferred = this.#prefer.match(url);
    if (preferred !== undefined) return { setting: 'crawl.prefer', rule: preferred.text, number: preferred.number };
    const deferred = this.#defer.match(url);
    return deferred && { setting: 'crawl.defer', rule: deferred.text, number: deferred.number };
  }

  /** Returns the band in which links to the URL wait. */
  bandOf(url: CanonicalUrl): Band {
    const preference = this.preference(url);
    if (preference === undefined) return 0;
    return preference.setting === 'crawl.prefer' ? 1 : -1;
  }
}

/** Describes the reason as the end of a sentence that begins with "which". */
export function describeKeptOut({ setting, rule }: KeptOut): string {
  return rule === undefined ? `no rule of ${setting} matches` : `${setting} excludes ("${rule}")`;
}
