/** Separators between the title of a page and the name of its site: ` - `, ` | `. */
const SEPARATOR = /\s(?:[-–—|·•»«]|::?)\s/gu;
/** A name at the start may be followed by a colon. */
const FIRST_SEPARATOR = /\s(?:[-–—|·•»«]|::?)\s|:\s/u;
/** Fewer titles are not enough to detect a common part. */
const LEAST_TITLES = 5;
/**
 * Minimum share of titles with the part minus those without it: a part of four in five titles is always found, one of
 * less than three in five never.
 */
const LEAST_LEAD = 0.6;

/**
 * The part shared by a majority of titles, if any (Boyer and Moore 1981); stores a single part, however many there
 * are.
 */
interface Majority {
  readonly part: string | undefined;
  lead: number;
}

interface Titles {
  count: number;
  readonly ends: Majority;
  readonly beginnings: Majority;
}

/**
 * Removes the name of a site from titles if nearly all titles of a host, or else of its site, end or start with it:
 * *WireGuard - ArchWiki*, *Netctl - ArchWiki*. Time and memory do not depend on the number of different parts.
 */
export class SiteNames {
  readonly #places = new Map<string, Titles>();
  readonly #sites = new Map<string, string>();

  /** Adds a title; call for all titles before the first {@link plain}. */
  add(title: string, host: string, site: string): void {
    this.#sites.set(host, site);
    const ends = endOf(title);
    const beginning = beginningOf(title);
    for (const place of new Set([host, site])) {
      const known = this.#places.get(place) ?? { count: 0, ends: nobody(), beginnings: nobody() };
      this.#places.set(place, known);
      known.count++;
      vote(known.ends, ends);
      vote(known.beginnings, beginning);
    }
  }

  /** Returns the title for lists of its site. */
  plain(title: string, host: string): string {
    for (const place of [host, this.#sites.get(host) ?? host]) {
      const { count, ends, beginnings } = this.#places.get(place) ?? NONE;
      if (count < LEAST_TITLES) continue;
      const end = endOf(title);
      if (isName(end, ends, count)) return restOf(title, title.slice(0, -end.length));
      const beginning = beginningOf(title);
      if (isName(beginning, beginnings, count)) return restOf(title, title.slice(beginning.length));
    }
    return title;
  }
}

const NONE: Titles = { count: 0, ends: nobody(), beginnings: nobody() };

function isName(part: string | undefined, { part: common, lead }: Majority, count: number): part is string {
  return part !== undefined && part === common && lead >= LEAST_LEAD * count;
}

/** Keeps a title that consists only of the site's name. */
function restOf(title: string, rest: string): string {
  return /[\p{L}\p{N}]/u.test(rest) ? rest : title;
}

function nobody(): Majority {
  return { part: undefined, lead: 0 };
}

function vote(majority: Majority, part: string | undefined): void {
  if (part === majority.part) majority.lead++;
  else if (majority.lead > 0) majority.lead--;
  else Object.assign(majority, { part, lead: 1 });
}

/** Returns the end with its separator; `undefined` without one. */
function endOf(title: string): string | undefined {
  const last = [...title.matchAll(SEPARATOR)].at(-1);
  return last === undefined ? undefined : title.slice(last.index);
}

/** Returns the start with its separator; `undefined` without one. */
function beginningOf(title: string): string | undefined {
  const first = FIRST_SEPARATOR.exec(title);
  return first === null ? undefined : title.slice(0, first.index + first[0].length);
}
