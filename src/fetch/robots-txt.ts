import { isUtf8 } from 'node:buffer';
import { matchesPattern, utf8 } from '../kit/index.ts';

/** One `Allow` or `Disallow` line. */
export interface RobotsRule {
  readonly allow: boolean;
  /** As the matcher uses it: what no canonical URL holds is escaped, hex digits in upper case. */
  readonly pattern: string;
  /** Counted from 1. */
  readonly line: number;
  /** The line as it stands, without its comment. */
  readonly text: string;
}

/** Rules for one crawler, or for `*`. */
export interface RobotsGroup {
  readonly rules: readonly RobotsRule[];
  readonly crawlDelayMs: number | undefined;
}

/** What stands behind one name. Names that stand together share their rules: a file of half a megabyte may have ten thousand of both. */
interface NamedRules {
  /** Those of each place at which the name stands. */
  readonly parts: ReadonlySet<readonly RobotsRule[]>;
  readonly crawlDelayMs: number | undefined;
}

/** A robots.txt, read. */
export interface RobotsTxt {
  /** By product token in lower case; `*` is everybody's. See {@link robotsGroup}. */
  readonly groups: ReadonlyMap<string, NamedRules>;
  readonly sitemaps: readonly string[];
}

/** What the file says of one URL. `rule` is the deciding one; without one everything is allowed. */
export interface RobotsVerdict {
  readonly allowed: boolean;
  readonly rule: RobotsRule | undefined;
}

interface MutableGroup extends NamedRules {
  readonly parts: Set<readonly RobotsRule[]>;
  crawlDelayMs: number | undefined;
}

/** Longer lines are cut: nobody writes them, and every rule is matched against every URL. */
const MAX_LINE_CHARS = 16_664;

/**
 * Reads a robots.txt (RFC 9309 §2.2). It never fails: lines that say nothing are skipped, a missing colon and common
 * misspellings are forgiven.
 * @param body - bytes as received; the caller has cut them at its limit
 */
export function parseRobotsTxt(body: Uint8Array): RobotsTxt {
  const groups = new Map<string, MutableGroup>();
  const sitemaps: string[] = [];
  /** Behind the names read last. */
  let rules: RobotsRule[] = [];
  /** Those of these names that no delay was read for yet. */
  let undelayed: MutableGroup[] = [];
  let namesOpen = false;
  // Bytes, not characters: rules are compared with percent-encoded bytes, whatever charset they are in.
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
 * The group for a crawler: its own, or everybody's. Groups of one name are merged (RFC 9309 §2.2.1).
 * @param product - its product token; case does not matter. `''`: it has none
 * @returns `undefined` when the file says nothing to it
 */
export function robotsGroup(robots: RobotsTxt, product: string): RobotsGroup | undefined {
  const group = robots.groups.get(product.toLowerCase()) ?? robots.groups.get('*');
  return group && { rules: [...group.parts].flat(), crawlDelayMs: group.crawlDelayMs };
}

/**
 * Decides about one URL: the longest matching pattern wins, `Allow` wins a tie (RFC 9309 §2.2.2).
 * @param group - of our crawler, see {@link robotsGroup}; `undefined`: nothing is said to it
 * @param path - path and query, percent-encoded, as they will be asked for
 */
export function judgeByGroup(group: RobotsGroup | undefined, path: string): RobotsVerdict {
  let best: RobotsRule | undefined;
  // Once for all rules: there may be thousands.
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
 * RFC 9309 compares after decoding unreserved characters, and has `%2A` and `%24` for a star and a dollar that stand for themselves;
 * Google's matcher compares as written. We stay on the careful side of both: a `Disallow` counts in either reading, an `Allow` only as
 * written.
 * @param literal - the path with its stars and dollars escaped
 */
function matches(rule: RobotsRule, path: string, literal: string): boolean {
  if (matchesPattern(rule.pattern, path)) return true;
  if (rule.allow || isTooLong(rule.pattern, literal) || !rule.pattern.includes('%')) return false;
  const pattern = decodeUnreserved(rule.pattern);
  return (pattern !== rule.pattern && matchesPattern(pattern, path)) || matchesPattern(pattern, literal);
}

/** Without a star, which may stand for nothing, no pattern of more escapes than the path has characters fits. To decode long ones for each URL takes time. */
function isTooLong(pattern: string, path: string): boolean {
  return pattern.length > ESCAPE_CHARS * path.length + 1 && !pattern.includes('*');
}

const ESCAPE_CHARS = 3;

// ── Reading lines.

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
  // Without a colon, white space may part key and value, if there are just two words.
  const words = colon < 0 ? /^([^\t-\r ]+)[\t-\r ]+([^\t-\r ]+)$/.exec(text) : undefined;
  if (colon < 0 && !words) return undefined;
  const key = trimmed(words?.[1] ?? text.slice(0, colon)).toLowerCase();
  const value = trimmed(words?.[2] ?? text.slice(colon + 1));
  return { key: MISSPELLINGS.get(key) ?? key, value, text };
}

/**
 * Without the blanks around it. Characters are bytes here: \xa0 by itself is the end of a letter such as à. No-break spaces come
 * with rules that are copied from a page.
 */
function trimmed(text: string): string {
  if (!isBlank(text.charCodeAt(0)) && !isBlank(text.charCodeAt(text.length - 1))) return text;
  return text.replace(/^(?:[\t-\r ]|\xc2\xa0)+/, '').replace(/(?<![\t-\r ]|\xc2\xa0)(?:[\t-\r ]|\xc2\xa0)+$/, '');
}

/** A line that is not UTF-8 may be Latin-1, where \xa0 is a no-break space unless it can end a letter of UTF-8. */
function withBlanks(line: string): string {
  if (!line.includes('\xa0') || isUtf8(Buffer.from(line, 'latin1'))) return line;
  return line.replace(/(?<![\xc2-\xf4][\x80-\xbf]{0,2})\xa0/g, ' ');
}

/** Or a part of one. */
function isBlank(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d) || c === 0xc2 || c === 0xa0;
}

/** Some editors save UTF-16, with its mark. */
function inUtf8(body: Uint8Array): Uint8Array {
  const [first, second] = body;
  if (first === 0xff && second === 0xfe) return Buffer.from(new TextDecoder('utf-16le').decode(body));
  if (first === 0xfe && second === 0xff) return Buffer.from(new TextDecoder('utf-16be').decode(body));
  return body;
}

/** A byte order mark, or as much of one as is there. */
function withoutMark(text: string): string {
  return text.replace(/^\xef(?:\xbb\xbf?)?/, '');
}

function groupOf(groups: Map<string, MutableGroup>, value: string): MutableGroup {
  const everybody = value === '*' || /^\*\s/.test(value);
  const name = everybody ? '*' : (/^[A-Za-z_-]*/.exec(value)?.[0] ?? '').toLowerCase();
  const group = groups.get(name) ?? { parts: new Set(), crawlDelayMs: undefined };
  // An empty name is nobody's, but its rules must not fall to the group before it.
  if (name !== '') groups.set(name, group);
  return group;
}

function rulesOf(allow: boolean, value: string, line: number, text: string): RobotsRule[] {
  if (value === '') return [];
  const pattern = escapePattern(value);
  const rule = { allow, pattern, line, text };
  // Who allows /x/index.html means /x/ as well.
  const folder = allow ? /^(.*\/)index\.html?$/.exec(pattern)?.[1] : undefined;
  return folder === undefined ? [rule] : [rule, { allow, pattern: `${folder}$`, line, text }];
}

/** An escape, or a byte that stands for itself in a rule and is escaped in a canonical URL: `Disallow: /*?f[0]=` is for `/?f%5B0%5D=x`. */
const ESCAPE_OR_FORBIDDEN = /%(?:[0-9a-fA-F]{2})?|[ "<>[\]^`{|}\\\x80-\xff]+/g;
/** Of each byte. */
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

/** Seconds, whatever stands behind them: `10s`, `5 seconds`; minutes where they are named. */
function delayOf(value: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+(?:[.,]\d*)?|[.,]\d+)\s*([a-z]*)/i.exec(value) ?? [];
  if (digits === '') return undefined;
  return Math.round(Number(digits.replace(',', '.')) * (/^m(?:in|$)/i.test(unit) ? 60_000 : 1000));
}
