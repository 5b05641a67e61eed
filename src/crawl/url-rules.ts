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

/** A rule on addresses as a person writes it, read: hosts, and the beginning of a path. */
export interface UrlRule {
  /** As settings keep it; it reads as the same rule. */
  readonly text: string;
  /** In lower case, with its port where the rule names one; `''`: any host. */
  readonly host: string;
  /** Only hosts below that name (`*.example.org`), not the host itself. */
  readonly isBelow: boolean;
  /** As robots.txt writes it; `''`: any path. */
  readonly pattern: string;
}

/** A rule, or why it is none and what to write. */
export type ReadRule =
  | { readonly ok: true; readonly rule: UrlRule }
  | { readonly ok: false; readonly hint: string | undefined };

const NO_REGEX =
  'Rules are no regular expressions: * stands for anything, $ at the end for the end. "/*.pdf$" is all that ends in .pdf, "/shop/" all that begins so.';
/** What a rule of only a star, a dot and one of these means. Others are top-level domains. */
const FILE_ENDING =
  /^\*\.(?:pdf|docx?|pptx?|xlsx?|zip|gz|jpe?g|png|gif|svg|mp[34]|html?|php|aspx?|jsp|xml|json|txt|csv)$/i;

/**
 * Reads a rule: a host with those below it (`example.org`), with a path (`example.org/shop/`), a path on any host (`/login`), or the hosts below a
 * name alone (`*.example.org`). The path is that of robots.txt: `*` is anything, `$` at the end the end, the query is part of it. An address as a
 * browser shows it is a rule, too.
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
  if (text === '') return 'An empty rule says nothing: take it out.';
  if (/[\s\p{Cc}]/u.test(text)) return 'A rule has no blanks in it: write %20 for one.';
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme !== undefined && !/^https?$/i.test(scheme)) return 'Only http and https are ever asked for.';
  const hash = text.indexOf('#');
  if (hash >= 0)
    return `No server hears of what stands behind "#": write "${text.slice(0, hash) || '/'}", if that is what you mean.`;
  if (text.startsWith('//')) return `Leave the slashes in front away: "${text.replace(/^\/+/, '')}".`;
  if (FILE_ENDING.test(text)) return `For addresses that end so write "/${text}$".`;
  return /\\|^\^|^\.\*|\/\.\*/.test(text) ? NO_REGEX : undefined;
}

function hostHint(name: string): string | undefined {
  if (name.includes('*')) return 'In the name of a host a star can only stand in front, before a dot: "*.example.org".';
  return name.includes('@') ? 'Leave the user and the password away.' : undefined;
}

function oneWordHint(word: string): string {
  return `Write "/${word}" for addresses whose path begins so, or "${word}/" for the host of that name and those below it.`;
}

/** Letters of all scripts, digits, dots and hyphens, or an IPv6 address in brackets; then a port. */
const MAY_BE_HOST = /^(?:[\p{L}\p{M}\p{N}_.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/iu;

/** The name of a host as the crawl knows it: lower case, ASCII letters, no dots at its ends; with its port unless that is the scheme's. */
export function hostNamed(text: string, scheme = 'http'): string | undefined {
  const name = text.trim().replace(/^\./, '');
  const url = MAY_BE_HOST.test(name) ? canonicalize(`${scheme}://${name}/`) : undefined;
  return url === undefined ? undefined : hostOf(url);
}

interface Numbered extends UrlRule {
  /** Its place in the setting, from 0. */
  readonly number: number;
}

/** Rules of one setting. Those of other hosts are not looked at, so that there may be thousands. */
class RuleList {
  readonly #anywhere: Numbered[] = [];
  readonly #byHost = new Map<string, Numbered[]>();

  /** @throws RangeError for what is no rule: settings are checked before */
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

  /** The first rule that fits an address. */
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

  /** Rules on a host: by its name with its port, by its name, and by those above it. */
  *#of(host: string): Generator<readonly Numbered[]> {
    const name = withoutPort(host);
    for (const site of sitesOf(host)) {
      const rules = this.#byHost.get(site) ?? [];
      yield site === host || site === name ? rules.filter(({ isBelow }) => !isBelow) : rules;
    }
  }
}

/** Settings that are rules on addresses. */
export type RuleSettings = Pick<Config['crawl'], 'exclude' | 'include' | 'prefer' | 'defer'>;

/** What keeps an address out: a rule of `exclude`, or that none of `include` fits it. */
export type KeptOut =
  /** `number` is the rule's place in the setting, from 0. */
  | { readonly setting: 'crawl.exclude'; readonly rule: string; readonly number: number }
  | { readonly setting: 'crawl.include'; readonly rule: undefined };

/** A rule that puts the links to an address before others, or behind them. `number` is its place in the setting, from 0. */
export interface Preference {
  readonly setting: 'crawl.prefer' | 'crawl.defer';
  readonly rule: string;
  readonly number: number;
}

/** What a person's rules say of addresses. */
export class UrlRules {
  readonly #exclude: RuleList;
  readonly #include: RuleList;
  readonly #prefer: RuleList;
  readonly #defer: RuleList;

  /** What is absent has no rules. @throws RangeError for what is no rule */
  constructor({ exclude = [], include = [], prefer = [], defer = [] }: Partial<RuleSettings>) {
    this.#exclude = new RuleList(exclude);
    this.#include = new RuleList(include);
    this.#prefer = new RuleList(prefer);
    this.#defer = new RuleList(defer);
  }

  /** What keeps an address out, if anything does. A member of an archive is kept out, or let in, by rules on the archive, too. */
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

  /** Some addresses go before others, or behind them. */
  get areOrdering(): boolean {
    return !this.#prefer.isEmpty || !this.#defer.isEmpty;
  }

  /** What puts an address before others, or behind them; the former counts more. */
  preference(url: CanonicalUrl): Preference | undefined {
    const preferred = this.#prefer.match(url);
    if (preferred !== undefined) return { setting: 'crawl.prefer', rule: preferred.text, number: preferred.number };
    const deferred = this.#defer.match(url);
    return deferred && { setting: 'crawl.defer', rule: deferred.text, number: deferred.number };
  }

  /** Where its links wait. */
  bandOf(url: CanonicalUrl): Band {
    const preference = this.preference(url);
    if (preference === undefined) return 0;
    return preference.setting === 'crawl.prefer' ? 1 : -1;
  }
}

/** The same in words, as the end of "which …". */
export function describeKeptOut({ setting, rule }: KeptOut): string {
  return rule === undefined ? `no rule of ${setting} fits` : `${setting} keeps out ("${rule}")`;
}
