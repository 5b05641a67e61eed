import { type CanonicalUrl, hostOf } from '../../core/index.ts';
import { type Fields, hash53, LruMap } from '../../kit/index.ts';
import { joinParts, nameOf, partsOf, type UrlParts } from './url-parts.ts';

/** A part of a host's URLs that does not affect which page is returned. */
export type AddressRule =
  /** The path segment that follows this prefix. */
  | { readonly kind: 'segment'; readonly behind: string; readonly at: number }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'param-order' }
  | { readonly kind: 'scheme' }
  /** `/a/index.html` for `/a/`, or `/a` for `/a/`. */
  | { readonly kind: 'ending'; readonly ending: string };

interface Candidate {
  readonly rule: AddressRule;
  /** Page numbers by identity under the rule. */
  readonly pages: Map<number, number>;
  /** Number of URL pairs that the rule treats as equal: with the same page, and with different pages. */
  support: number;
  against: number;
  /**
   * The first page that supports it, and whether other pages do. A single page under many URLs may be an error page
   * with status 200.
   */
  readonly first: number;
  hasOthers: boolean;
}

interface HostRules {
  readonly candidates: Map<string, Candidate>;
  learned: AddressRule[];
  /** Which URL has claimed an identity, both as hashes. */
  readonly claims: Map<number, number>;
  /** Number of entries in all these maps when the host was last measured. */
  noted: number;
}

/** Number of URL pairs with one page needed to accept a rule, and how many of them one contradicting pair cancels. */
const ENOUGH = 3;
const WEIGHT_AGAINST = 4;
const MAX_HOSTS = 1_000;
const MAX_CANDIDATES = 6;
const MAX_IDENTITIES = 20_000;
/**
 * Limit over all hosts, about 60 bytes per entry; a host takes 300 bytes besides. The least recently used are
 * forgotten.
 */
const MAX_NOTED = 300_000;
const HOST_WEIGHT = MAX_NOTED / MAX_HOSTS;

/**
 * Learns which parts of a host's URLs do not affect the page: a session id in a path, an ignored parameter. Two URLs
 * with one page that differ in one part create a candidate rule. Further pairs confirm it, pairs with different pages
 * refute it. Of the URLs that an accepted rule treats as equal, only one is fetched. Bounded memory. Its state
 * depends only on the calls.
 */
export class AddressRules {
  readonly #hosts = new LruMap<string, HostRules>(MAX_NOTED, ({ noted }) => HOST_WEIGHT + noted);

  /**
   * Records that a URL returned a page already returned by another URL of the host.
   * @returns the rule that explains it, if any; `isNew` if the rule is now accepted for the first time
   */
  same(url: string, page: number, before: string): { readonly explained: boolean; readonly isNew: boolean } {
    const parts = partsOf(url);
    const rule = difference(parts, partsOf(before));
    if (rule === undefined) return { explained: false, isNew: this.#weigh(url, parts, page) };
    const host = this.#host(parts.host);
    const key = JSON.stringify(rule);
    if (!host.candidates.has(key) && host.candidates.size < MAX_CANDIDATES) {
      const pages = new Map([[hash53(identity(partsOf(before), [rule])), page]]);
      host.candidates.set(key, { rule, pages, support: 0, against: 0, first: page, hasOthers: false });
    }
    const isNew = this.#weigh(url, parts, page);
    return { explained: isCredible(host.candidates.get(key)), isNew };
  }

  /** Records that a URL returned a new page. */
  fresh(url: string, page: number): void {
    if (this.#hosts.peek(hostOf(url as CanonicalUrl)) !== undefined) this.#weigh(url, partsOf(url), page);
  }

  /** Returns true if a rule is accepted for the host. */
  has(host: string): boolean {
    return (this.#hosts.peek(host)?.learned.length ?? 0) > 0;
  }

  /** Describes the accepted rules of a host for the user. */
  describe(host: string): readonly string[] {
    return (this.#hosts.peek(host)?.learned ?? []).map(inWords);
  }

  /** Returns true, and claims the identity for this URL, if no other URL of the same identity was followed. */
  claim(url: string, host: string): boolean {
    const rules = this.#hosts.peek(host);
    if (rules === undefined || rules.learned.length === 0) return true;
    const key = hash53(identity(partsOf(url), rules.learned));
    const holder = rules.claims.get(key);
    const own = hash53(url);
    if (holder === undefined && rules.claims.size < MAX_IDENTITIES) rules.claims.set(key, own);
    this.#reweigh(rules);
    return holder === undefined || holder === own;
  }

  /** Updates every candidate rule of the host with the page of a URL. @returns true if a rule is newly accepted */
  #weigh(url: string, parts: UrlParts, page: number): boolean {
    const host = this.#hosts.get(parts.host);
    if (host === undefined) return false;
    for (const candidate of host.candidates.values()) {
      const key = hash53(identity(parts, [candidate.rule]));
      const before = candidate.pages.get(key);
      if (before === undefined) {
        if (candidate.pages.size < MAX_IDENTITIES) candidate.pages.set(key, page);
      } else if (before === page) {
        candidate.support++;
        candidate.hasOthers ||= page !== candidate.first;
      } else candidate.against++;
    }
    const isNew = this.#relearn(host);
    if (host.learned.length > 0) host.claims.set(hash53(identity(parts, host.learned)), hash53(url));
    this.#reweigh(host);
    return isNew;
  }

  /**
   * Rebuilds the claims after a change of rules, because rules define identities. Uses the pages the candidates have
   * seen.
   */
  #relearn(host: HostRules): boolean {
    const learned = [...host.candidates.values()].filter(isBelieved).map(({ rule }) => rule);
    if (learned.length === host.learned.length && learned.every((rule, i) => rule === host.learned[i])) return false;
    const isMore = learned.some((rule) => !host.learned.includes(rule));
    host.learned = learned;
    host.claims.clear();
    const only = learned.length === 1 ? [...host.candidates.values()].find(isBelieved) : undefined;
    for (const key of only?.pages.keys() ?? []) host.claims.set(key, 0);
    return isMore;
  }

  #reweigh(host: HostRules): void {
    let entries = host.claims.size;
    for (const { pages } of host.candidates.values()) entries += pages.size;
    const more = entries - host.noted;
    host.noted = entries;
    if (more !== 0) this.#hosts.grew(more);
  }

  #host(name: string): HostRules {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const made: HostRules = { candidates: new Map(), learned: [], claims: new Map(), noted: 0 };
    this.#hosts.set(name, made);
    return made;
  }

  exchange(fields: Fields): void {
    // Accepted rules are a subset of the candidates and are compared by identity.
    this.#hosts.exchange(fields, {
      pack: ({ learned, ...host }) => ({ ...host, learned: learned.map((rule) => JSON.stringify(rule)) }),
      unpack: ({ learned, ...host }): HostRules => ({
        ...host,
        learned: learned.flatMap((key) => host.candidates.get(key)?.rule ?? []),
      }),
    });
  }
}

function isBelieved({ support, against, hasOthers }: Candidate): boolean {
  return hasOthers && support >= ENOUGH && support >= WEIGHT_AGAINST * against;
}

/** Returns true if the candidate is not refuted. */
function isCredible(candidate: Candidate | undefined): boolean {
  return candidate !== undefined && candidate.support >= WEIGHT_AGAINST * candidate.against;
}

/** Returns the URL without the parts that the rules ignore. Equal identities mean one page. */
function identity(parts: UrlParts, rules: readonly AddressRule[]): string {
  let { scheme, segments, params } = parts;
  for (const rule of rules) {
    if (rule.kind === 'scheme') scheme = 'http';
    else if (rule.kind === 'param') params = params.filter((param) => nameOf(param) !== rule.name);
    else if (rule.kind === 'param-order') params = [...params].sort();
    else if (rule.kind === 'ending') segments = withoutEnding(segments, rule.ending);
    else if (segments.length > rule.at && segments.slice(0, rule.at).join('/') === rule.behind)
      segments = segments.with(rule.at, '*');
  }
  return joinParts({ ...parts, scheme, segments, params });
}

function withoutEnding(segments: readonly string[], ending: string): readonly string[] {
  if (segments.at(-1) !== ending) return segments;
  return ending === '' ? segments.slice(0, -1) : segments.with(-1, '');
}

const INDEX = /^(?:index|default|home)\.[a-z]{3,5}$/i;

/** Returns the one part in which two URLs of a host differ; `undefined` if they differ in more. */
function difference(a: UrlParts, b: UrlParts): AddressRule | undefined {
  if (a.host !== b.host) return undefined;
  const samePath = a.segments.join('/') === b.segments.join('/');
  const sameQuery = a.params.join('&') === b.params.join('&');
  if (a.scheme !== b.scheme) return samePath && sameQuery ? { kind: 'scheme' } : undefined;
  if (samePath) return sameQuery ? undefined : queryDifference(a.params, b.params);
  return sameQuery ? pathDifference(a.segments, b.segments) : undefined;
}

function queryDifference(a: readonly string[], b: readonly string[]): AddressRule | undefined {
  const names = new Set(
    [...a.filter((param) => !b.includes(param)), ...b.filter((param) => !a.includes(param))].map(nameOf),
  );
  const [name] = names;
  if (name === undefined) return { kind: 'param-order' };
  return names.size === 1 ? { kind: 'param', name } : undefined;
}

function pathDifference(a: readonly string[], b: readonly string[]): AddressRule | undefined {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length === short.length + 1) {
    const ending = long.at(-1)!;
    const isPrefix = short.every((segment, i) => segment === long[i]);
    return isPrefix && ending === '' ? { kind: 'ending', ending } : undefined;
  }
  if (long.length !== short.length) return undefined;
  const at = a.findIndex((segment, i) => segment !== b[i]);
  if (a.some((segment, i) => i > at && segment !== b[i])) return undefined;
  if (at === a.length - 1) {
    if (a[at] === '' && INDEX.test(b[at]!)) return { kind: 'ending', ending: b[at]! };
    if (b[at] === '' && INDEX.test(a[at]!)) return { kind: 'ending', ending: a[at]! };
  }
  return { kind: 'segment', behind: a.slice(0, at).join('/'), at };
}

function inWords(rule: AddressRule): string {
  switch (rule.kind) {
    case 'segment':
      return `the path segment after /${rule.behind}`;
    case 'param':
      return `the parameter ${rule.name}`;
    case 'param-order':
      return 'the order of parameters';
    case 'scheme':
      return 'http or https';
    case 'ending':
      return rule.ending === '' ? 'a slash at the end' : `${rule.ending} at the end`;
  }
}
