/** What stands between the title of a page and the name of its site: ` - `, ` | `. */
const SEPARATOR = /\s(?:[-–—|·•»«]|::?)\s/gu;
/** A name at the beginning may have a colon behind it. */
const FIRST_SEPARATOR = /\s(?:[-–—|·•»«]|::?)\s|:\s/u;
/** Of fewer titles nobody can tell what they have in common. */
const LEAST_TITLES = 5;
/** Of all titles, those with the part less those without it: what four in five have is always found, what less than three in five have never. */
const LEAST_LEAD = 0.6;

/** The part that a majority of titles has, if there is one (Boyer and Moore 1981): one part is remembered, however many there are. */
interface Majority {
  part: string | undefined;
  lead: number;
}

interface Titles {
  count: number;
  readonly ends: Majority;
  readonly beginnings: Majority;
}

/**
 * Titles without the name of their site, where nearly all titles of a host, or else of its site, have it at their end or at their
 * beginning: *WireGuard - ArchWiki* beside *Netctl - ArchWiki*. Time and memory do not depend on how many different parts there are.
 */
export class SiteNames {
  readonly #places = new Map<string, Titles>();
  readonly #sites = new Map<string, string>();

  /** Takes note of a title; all come before the first {@link plain}. */
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

  /** The title as it is shown beside others of its site. */
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

/** A title that is nothing but the name of its site stays. */
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

/** With the separator before it; `undefined` where there is none. */
function endOf(title: string): string | undefined {
  const last = [...title.matchAll(SEPARATOR)].at(-1);
  return last === undefined ? undefined : title.slice(last.index);
}

/** With the separator behind it. */
function beginningOf(title: string): string | undefined {
  const first = FIRST_SEPARATOR.exec(title);
  return first === null ? undefined : title.slice(0, first.index + first[0].length);
}
