/** Names that Windows keeps for devices, whatever their ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const MAX_CHARS = 60;

/** Text as part of a file name that every system and every web server takes: a–z, 0–9 and single hyphens. */
export function slugOf(text: string, fallback: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^-+|-+$/g, '');
  return slug === '' || DEVICES.test(slug) ? `${fallback}${slug === '' ? '' : `-${slug}`}` : slug;
}

/** A different slug for each of some texts, those that come out alike numbered in order. */
export function slugsOf(texts: readonly string[], fallback: string): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const slugs = new Map<string, string>();
  for (const text of texts) {
    const plain = slugOf(text, fallback);
    let slug = plain;
    for (let n = 2; taken.has(slug); n++) slug = `${plain}-${n}`;
    taken.add(slug);
    slugs.set(text, slug);
  }
  return slugs;
}
