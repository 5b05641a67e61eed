import { isUtf8 } from 'node:buffer';
import { matchesPattern, utf8 } from '../kit/index.ts';

/** One `Allow` or `Disallow` line. */
export interface RobotsRule {
  readonly allow: boolean;
  /** Normalised for matching: characters that no canonical URL contains are escaped, with upper-case hex digits. */
  readonly pattern: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line as written, without its comment. */
  readonly text: string;
}

/** Rules for one crawler, or for `*`. */
export interface RobotsGroup {
  readonly rules: readonly RobotsRule[];
  readonly crawlDelayMs: number | undefined;
}

/**
 * Rules for one name. Names in one group share their rules: a file of half a megabyte may have ten thousand of both.
 */
interface NamedRules {
  /** The rules of each group that lists the name. */
  readonly parts: ReadonlySet<readonly RobotsRule[]>;
  readonly crawlDelayMs: number | undefined;
}

/** A parsed robots.txt. */
export interface RobotsTxt {
  /** By lower-case product token; `*` applies to all crawlers. See {@link robotsGroup}. */
  readonly groups: ReadonlyMap<string, NamedRules>;
  readonly sitemaps: readonly string[];
}

/** The verdict of the file on one URL. `rule` is the deciding rule; without one, everything is allowed. */
export interface RobotsVerdict {
  readonly allowed: boolean;
  readonly rule: RobotsRule | undefined;
}

interface MutableGroup extends NamedRules {
  readonly parts: Set<readonly RobotsRule[]>;
  crawlDelayMs: number | undefined;
}

/** Longer lines are cut: they do not occur in practice, and every rule is matched against every URL. */
const MAX_LINE_CHARS = 16_664;

/**
 * Parses a robots.txt (RFC 9309 §2.2). Never fails: skips unknown lines, accepts a missing colon and common
 * misspellings.
 * @param body - bytes as received, cut at the limit by the caller
 */
export function parseRobotsTxt(body: Uint8Array): RobotsTxt {
  const groups = new Map<string, MutableGroup>();
  const sitemaps: string[] = [];
  /** Rules of the last names read. */
  let rules: RobotsRule[] = [];
  /** Groups of these names that have no delay yet. */
  let undelayed: MutableGroup[] = [];
  let namesOpen = false;
  // As bytes, not characters: rules are compared with percent-encoded bytes, whatever their charset.
  const lines = withoutMark(Buffer.from(inUtf8(body)).toString('latin1')).split(/\r\n|\r|\n/);
  for (const [i, line] of lines.entries()) {
    const directive = readDirective(withBlanks(line.slice(0, MAX_LINE_CHARS)));
    if (directive === undefined) continue;
    const { key, value, text } = directive;
    if (key === 'user-agent') {
      if (!namesOpen) [rules, undelayed] = [[], []];
      namesOpen = true;
      const group = groupOf(groups, value);
      group.parts.add(rules);
      undelayed.push(group);
    } else if (key === 'allow' || key === 'disallow') {
      namesOpen = false;
      rules.push(...rulesOf(key === 'allow', value, i + 1, utf8(text)));
    } else if (key === 'crawl-delay') {
      const delay = delayOf(value);
      if (delay === undefined) continue;
      for (const group of undelayed) group.crawlDelayMs ??= delay;
      undelayed = [];
    } else if (key === 'sitemap') {
      sitemaps.push(utf8(value));
    }
  }
  return { groups, sitemaps };
}

/**
 * Returns the group for a crawler: its own, or the group for all. Groups with the same name are merged (RFC 9309
 * §2.2.1).
 * @param product - its product token, in any case; `''`: none
 * @returns `undefined` if no group applies to it
 */
export function robotsGroup(robots: RobotsTxt, product: string): RobotsGroup | undefined {
  const group = robots.groups.get(product.toLowerCase()) ?? robots.groups.get('*');
  return group && { rules: [...group.parts].flat(), crawlDelayMs: group.crawlDelayMs };
}

/**
 * Decides about one URL: the longest matching pattern wins, and `Allow` wins a tie (RFC 9309 §2.2.2).
 * @param group - the group of our crawler, see {@link robotsGroup}; `undefined`: no group applies
 * @param path - path and query, percent-encoded, as they will be requested
 */
export function judgeByGroup(group: RobotsGroup | undefined, path: string): RobotsVerdict {
  let best: RobotsRule | undefined;
  // Computed once for all rules: there may be thousands.
  const literal = path.replaceAll('*', '%2A').replaceAll('$', '%24');
  for (const rule of group?.rules ?? []) {
    if (best !== undefined && !outranks(rule, best)) continue;
    if (matches(rule, path, literal)) best = rule;
  }
  return { allowed: best?.allow ?? true, rule: best };
}

function outranks(rule: RobotsRule, best: RobotsRule): boolean {
  const longer = rule.pattern.length - best.pattern.length;
  return longer > 0 || (longer === 0 && rule.allow && !best.allow);
}

/**
 * Returns true if the rule matches. RFC 9309 compares after decoding unreserved characters, and uses `%2A` and `%24`
 * for a literal star and dollar. Google's matcher compares as written. We take the careful side: a `Disallow` counts
 * in either reading, an `Allow` only as written.
 * @param literal - the path with its stars and dollars escaped
 */
function matches(rule: RobotsRule, path: string, literal: string): boolean {
  if (matchesPattern(rule.pattern, path)) return true;
  if (rule.allow || isTooLong(rule.pattern, literal) || !rule.pattern.includes('%')) return false;
  const pattern = decodeUnreserved(rule.pattern);
  return (pattern !== rule.pattern && matchesPattern(pattern, path)) || matchesPattern(pattern, literal);
}

/**
 * Returns true if a pattern without a star has more escapes than the path has characters, so that it cannot match.
 * Avoids decoding long patterns for each URL.
 */
function isTooLong(pattern: string, path: string): boolean {
  return pattern.length > ESCAPE_CHARS * path.length + 1 && !pattern.includes('*');
}

const ESCAPE_CHARS = 3;

// ── Parsing lines.

const MISSPELLINGS: ReadonlyMap<string, string> = new Map([
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['site-map', 'sitemap'],
  ['crawldelay', 'crawl-delay'],
]);

function readDirective(line: string): { key: string; value: string; text: string } | undefined {
  const hash = line.indexOf('#');
  const text = trimmed(hash < 0 ? line : line.slice(0, hash));
  const colon = text.indexOf(':');
  // Without a colon, white space may separate key and value, if there are exactly two words.
  const words = colon < 0 ? /^([^\t-\r ]+)[\t-\r ]+([^\t-\r ]+)$/.exec(text) : undefined;
  if (colon < 0 && !words) return undefined;
  const key = trimmed(words?.[1] ?? text.slice(0, colon)).toLowerCase();
  const value = trimmed(words?.[2] ?? text.slice(colon + 1));
  return { key: MISSPELLINGS.get(key) ?? key, value, text };
}

/**
 * Removes surrounding blanks. Characters are bytes here: \xa0 alone is the end of a letter such as à. No-break spaces
 * appear in rules copied from a web page.
 */
function trimmed(text: string): string {
  if (!isBlank(text.charCodeAt(0)) && !isBlank(text.charCodeAt(text.length - 1))) return text;
  return text.replace(/^(?:[\t-\r ]|\xc2\xa0)+/, '').replace(/(?<![\t-\r ]|\xc2\xa0)(?:[\t-\r ]|\xc2\xa0)+$/, '');
}

/**
 * Replaces no-break spaces. A line that is not UTF-8 may be Latin-1, in which \xa0 is a no-break space unless it can
 * end a UTF-8 letter.
 */
function withBlanks(line: string): string {
  if (!line.includes('\xa0') || isUtf8(Buffer.from(line, 'latin1'))) return line;
  return line.replace(/(?<![\xc2-\xf4][\x80-\xbf]{0,2})\xa0/g, ' ');
}

/** Returns true for a blank, or a byte of one. */
function isBlank(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d) || c === 0xc2 || c === 0xa0;
}

/** Converts UTF-16 with a byte order mark to UTF-8; some editors save that. */
function inUtf8(body: Uint8Array): Uint8Array {
  const [first, second] = body;
  if (first === 0xff && second === 0xfe) return Buffer.from(new TextDecoder('utf-16le').decode(body));
  if (first === 0xfe && second === 0xff) return Buffer.from(new TextDecoder('utf-16be').decode(body));
  return body;
}

/** Removes a byte order mark, or a part of one. */
function withoutMark(text: string): string {
  return text.replace(/^\xef(?:\xbb\xbf?)?/, '');
}

function groupOf(groups: Map<string, MutableGroup>, value: string): MutableGroup {
  const everybody = value === '*' || /^\*\s/.test(value);
  const name = everybody ? '*' : (/^[A-Za-z_-]*/.exec(value)?.[0] ?? '').toLowerCase();
  const group = groups.get(name) ?? { parts: new Set(), crawlDelayMs: undefined };
  // An empty name matches no crawler, but its rules must not join the group before it.
  if (name !== '') groups.set(name, group);
  return group;
}

function rulesOf(allow: boolean, value: string, line: number, text: string): RobotsRule[] {
  if (value === '') return [];
  const pattern = escapePattern(value);
  const rule = { allow, pattern, line, text };
  // A rule that allows /x/index.html also allows /x/.
  const folder = allow ? /^(.*\/)index\.html?$/.exec(pattern)?.[1] : undefined;
  return folder === undefined ? [rule] : [rule, { allow, pattern: `${folder}$`, line, text }];
}

/**
 * Matches an escape, or a byte that is literal in rules but escaped in canonical URLs: `Disallow: /*?f[0]=` applies
 * to `/?f%5B0%5D=x`.
 */
const ESCAPE_OR_FORBIDDEN = /%(?:[0-9a-fA-F]{2})?|[ "<>[\]^`{|}\\\x80-\xff]+/g;
/** The escape of each byte value. */
const ESCAPES: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  `%${byte.toString(16).padStart(2, '0')}`.toUpperCase(),
);

function escapePattern(value: string): string {
  return value.replace(ESCAPE_OR_FORBIDDEN, (found) => {
    if (found.length === 3 && found.startsWith('%')) return found.toUpperCase();
    let escaped = '';
    for (let i = 0; i < found.length; i++) escaped += ESCAPES[found.charCodeAt(i)]!;
    return escaped;
  });
}

function decodeUnreserved(pattern: string): string {
  return pattern.replace(/%[0-9A-F]{2}/g, (found) => {
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : found;
  });
}

/** Seconds, with any suffix: `10s`, `5 seconds`; minutes if the suffix names them. */
function delayOf(value: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+(?:[.,]\d*)?|[.,]\d+)\s*([a-z]*)/i.exec(value) ?? [];
  if (digits === '') return undefined;
  return Math.round(Number(digits.replace(',', '.')) * (/^m(?:in|$)/i.test(unit) ? 60_000 : 1000));
}
