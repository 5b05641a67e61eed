import { domainToUnicode } from 'node:url';
import { canonicalize, withoutPort } from './url.ts';

/**
 * Returns an address in readable form: decoded letters of all scripts, and host names in their own script if they
 * cannot be confused with others. Parses back to the same address; other addresses and texts stay unchanged. Only for
 * people: programs receive the address itself.
 */
export function readableUrl(url: string): string {
  if (!MAY_CHANGE.test(url)) return url;
  const [, scheme, host, rest] = /^(https?:\/\/)([^/?#@]*)(.*)$/s.exec(url) ?? [];
  if (scheme === undefined) return url;
  const readable = `${scheme}${readableHost(host!)}${rest!.replace(ESCAPED, lettersOf)}`;
  return canonicalize(readable) === canonicalize(url) ? readable : url;
}

const MAY_CHANGE = /%[C-F][0-9A-F]|\bxn--/i;
/** Escapes of characters beyond ASCII. */
const ESCAPED = /(?:%[89A-F][0-9A-F])+/gi;
/** Letters with their marks, and digits. Dashes, blanks and invisible characters stay escaped. */
const LETTERS = /(?:(?!\p{DI})[\p{L}\p{Nd}](?:(?!\p{DI})\p{M}){0,4})+/gu;

function lettersOf(escaped: string): string {
  let text: string;
  try {
    text = decodeURIComponent(escaped);
  } catch {
    return escaped; // Not UTF-8.
  }
  let shown = '';
  let end = 0;
  for (const { 0: letters, index } of text.matchAll(LETTERS)) {
    shown += encodeURIComponent(text.slice(end, index)) + letters;
    end = index + letters.length;
  }
  return shown + encodeURIComponent(text.slice(end));
}

/** Returns a host, with its port if any, in its own script if it cannot be confused with another. */
export function readableHost(host: string): string {
  if (!host.includes('xn--')) return host;
  const name = withoutPort(host);
  const labels = name.split('.');
  const shown = labels.map(shownLabel);
  const top = shown.at(-1)!;
  const safe = shown.map((label, i) => (isLookalike(label, top) ? labels[i] : label));
  return safe.join('.') + host.slice(name.length);
}

/** Returns a label in its own script if its scripts may be mixed (UTS 39, highly restrictive). */
function shownLabel(label: string): string {
  if (!label.startsWith('xn--')) return label;
  const text = domainToUnicode(label);
  together ??= patterns();
  return together.some((scripts) => scripts.test(text)) ? text : label;
}

/** Scripts that one label may mix. Latin may not be mixed with any other script. */
const SCRIPTS: readonly string[] = [
  ...['Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Ethiopic', 'Hebrew', 'Arabic', 'Thai', 'Lao', 'Khmer', 'Myanmar'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
  ...['Tibetan', 'Han Hiragana Katakana', 'Han Hangul'],
];
/** Created on first use; most processes never need it. */
let together: readonly RegExp[] | undefined;

function patterns(): readonly RegExp[] {
  const own = SCRIPTS.map((scripts) => scripts.replace(/\w+/g, '\\p{scx=$&}').replaceAll(' ', ''));
  const latin = 'a-z\u00df-\u00f6\u00f8-\u017f\u1ea0-\u1ef9';
  return [latin, ...own].map((letters) => new RegExp(`^[${letters}0-9-]+$`, 'u'));
}

/**
 * Letters that look like Latin ones. A name of only these could imitate another one, unless it is under a top-level
 * domain of its script.
 */
const LATIN_LOOKING = /^[0-9асԁеһіјӏорԗԛѕԝхуъьҽпгѵѡαικνρυωηοτագզէլհյոսցօიოყძხჽჿ-]+$/u;

function isLookalike(label: string, top: string): boolean {
  return LATIN_LOOKING.test(label) && !IS_ASCII.test(label) && IS_ASCII.test(top);
}

const IS_ASCII = /^[\x00-\x7f]*$/;
