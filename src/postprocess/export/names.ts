import { hash32 } from '../../kit/index.ts';

/** Names reserved by Windows for devices, with any ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const MAX_CHARS = 60;

/** Latin letters that are not a plain letter with a mark. */
const PLAIN: ReadonlyMap<string, string> = new Map(
  'ß:ss æ:ae œ:oe ø:o ł:l đ:d ð:d þ:th ı:i'.split(' ').map((pair) => [pair[0]!, pair.slice(2)]),
);

/** Returns text as part of a file name valid on every system and web server: a–z, 0–9 and single hyphens. */
export function slugOf(text: string, fallback: string): string {
  const slug = latinOf(text)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^-+|-+$/g, '');
  return slug === '' || DEVICES.test(slug) ? `${fallback}${slug === '' ? '' : `-${slug}`}` : slug;
}

function latinOf(text: string): string {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return folded.replace(/[ßæœøłđðþı]/g, (letter) => PLAIN.get(letter)!);
}

/**
 * Returns a slug for the name of a topic. Names in other scripts end in a number of their own, so that the address
 * stays the same if a topic is added before it.
 */
export function topicSlug(text: string, fallback: string): string {
  const isLatin = !/[^\p{ASCII}\p{P}\p{S}\p{Z}]/u.test(latinOf(text));
  return isLatin ? slugOf(text, fallback) : `${slugOf(text, fallback)}-${hash32(text).toString(36)}`;
}

/** Returns distinct slugs for topic names; equal ones are numbered in order. */
export function slugsOf(texts: readonly string[], fallback: string): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const slugs = new Map<string, string>();
  for (const text of texts) {
    const plain = topicSlug(text, fallback);
    let slug = plain;
    for (let n = 2; taken.has(slug); n++) slug = `${plain}-${n}`;
    taken.add(slug);
    slugs.set(text, slug);
  }
  return slugs;
}
