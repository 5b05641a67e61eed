import { domainToUnicode } from 'node:url';
import { canonicalize, withoutPort } from './url.ts';

/**
 * An address as people write it: letters of all scripts in the place of their escapes, names of hosts in their own letters where
 * no other name looks the same. It reads back as the same address; one that would not, and what is no address, comes out unchanged.
 * For people alone: programs are given the address.
 */
export function readableUrl(url: string): string {
  if (!MAY_CHANGE.test(url)) return url;
  const [, scheme, host, rest] = /^(https?:\/\/)([^/?#@]*)(.*)$/s.exec(url) ?? [];
  if (scheme === undefined) return url;
  const readable = `${scheme}${readableHost(host!)}${rest!.replace(ESCAPED, lettersOf)}`;
  return canonicalize(readable) === canonicalize(url) ? readable : url;
}

const MAY_CHANGE = /%[C-F][0-9A-F]|\bxn--/i;
/** What stands for characters beyond ASCII. */
const ESCAPED = /(?:%[89A-F][0-9A-F])+/gi;
/** Letters with their marks, and digits. Dashes, blanks and what cannot be seen stay as they are. */
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

/** The name of a host, with its port where it has one, in its own letters where no other name looks the same. */
export function readableHost(host: string): string {
  if (!host.includes('xn--')) return host;
  const name = withoutPort(host);
  const labels = name.split('.');
  const shown = labels.map(shownLabel);
  const top = shown.at(-1)!;
  const safe = shown.map((label, i) => (isLookalike(label, top) ? labels[i] : label));
  return safe.join('.') + host.slice(name.length);
}

/** A label in its own letters if they are of scripts that are written together (UTS 39, highly restrictive). */
function shownLabel(label: string): string {
  if (!label.startsWith('xn--')) return label;
  const text = domainToUnicode(label);
  together ??= patterns();
  return together.some((scripts) => scripts.test(text)) ? text : label;
}

/** Scripts that are written together. Latin letters stand among no others. */
const SCRIPTS: readonly string[] = [
  ...['Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Ethiopic', 'Hebrew', 'Arabic', 'Thai', 'Lao', 'Khmer', 'Myanmar'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
  ...['Tibetan', 'Han Hiragana Katakana', 'Han Hangul'],
];
/** Made at first need: most processes never meet such a name. */
let together: readonly RegExp[] | undefined;

function patterns(): readonly RegExp[] {
  const own = SCRIPTS.map((scripts) => scripts.replace(/\w+/g, '\\p{scx=$&}').replaceAll(' ', ''));
  const latin = 'a-z\u00df-\u00f6\u00f8-\u017f\u1ea0-\u1ef9';
  return [latin, ...own].map((letters) => new RegExp(`^[${letters}0-9-]+$`, 'u'));
}

/** Letters that look like Latin ones. A name of nothing else would pass for another one, unless it is below a top-level name of its script. */
const LATIN_LOOKING = /^[0-9асԁеһіјӏорԗԛѕԝхуъьҽпгѵѡαικνρυωηοτագզէլհյոսցօიოყძხჽჿ-]+$/u;

function isLookalike(label: string, top: string): boolean {
  return LATIN_LOOKING.test(label) && !IS_ASCII.test(label) && IS_ASCII.test(top);
}

const IS_ASCII = /^[\x00-\x7f]*$/;
