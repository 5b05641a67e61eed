import type { HeldPart } from '../../core/index.ts';
import { type Fields, hash53, LruMap, ownCopy } from '../../kit/index.ts';
import { bitCount } from './near-pages.ts';
import { nameOf, partsOf } from './url-parts.ts';
import { shapeOfPath } from './url-patterns.ts';

/** Other sites that link into a part of a site, and other hosts of its own site, as hashes, {@link MAX_VOUCHERS} each at the most. */
interface Vouchers {
  sites: readonly number[];
  hosts: readonly number[];
}

/** What came of the addresses of one part of a site. */
interface Section extends Vouchers {
  /** Pages of its own that were found on pages of the same site, and how many of these were accepted into a topic. */
  pages: number;
  accepted: number;
  /** See {@link Sections.weight}: 0 = in full. */
  level: number;
  /** Words of its addresses and titles, as hashes. */
  readonly words: Set<number>;
  /** Of its last pages, those whose addresses were put together from old words: a bit each, the youngest lowest. */
  recombined: number;
}

/** A page as far as its section is concerned. */
interface SectionPage {
  /** The address that was linked, if that redirected. */
  readonly url: string;
  readonly host: string;
  readonly title: string;
  readonly isAccepted: boolean;
  /** The page on which the address was found. */
  readonly from: string;
  /** That page, and all that became of the address, is of the same site. */
  readonly isInside: boolean;
}

/** What a page means for its section. */
interface SectionNews {
  /** Its title or address has a word that the section did not have. */
  readonly bringsWords: boolean;
  /** The section is doubtful from now on. */
  readonly isWorse: boolean;
}

/** Who links into a section. */
export interface Voucher {
  /** Hash of the site of the page that does, or of its host where the site is the same. */
  readonly hash: number;
  readonly isInside: boolean;
}

/** A section whose links weigh more or less than before. */
export interface SectionChange {
  readonly host: string;
  /** See {@link sectionOf}. */
  readonly section: number;
  /** The new weight is so many times the old one. */
  readonly factor: number;
  /** See {@link Sections.weight}. */
  readonly weight: number;
  /** In words: an address without scheme, with `…` for what its pages differ in. */
  readonly name: string;
  readonly pages: number;
  /** Other sites that link into it; of more than 15, 15. */
  readonly sites: number;
}

/** Others beyond these do not make a section any more trustworthy. */
const MAX_VOUCHERS = 15;
const MAX_WORDS = 1_000;
/** Words of all sections together, some 60 bytes each; a section weighs thirty besides. Those used least recently are forgotten. */
const MAX_NOTED = 300_000;
const SECTION_WEIGHT = 30;
/** Sections known by links to them alone: there are far more of these, and they must not displace the others. */
const MAX_HEARD = 20_000;
/** Hosts with a section that does not count in full. */
const MAX_HOSTS = 20_000;
/** Sections that can be named as held back. */
const MAX_HELD = 1_000;
/** Each doubling of the pages of a section beyond its allowance makes its links weigh this times as much. Our choice. */
const DECAY = 0.5;
/** The level at most if more than half of a section's pages were accepted: its links must not fall below those of irrelevant pages. */
const MOST_IF_ACCEPTED = 2;
/** Such a section has this many times the allowance. Our choice. */
const ALLOWED_IF_ACCEPTED = 6;
/** Of the last 32 pages of a section so many must have recombined addresses for it to be doubtful. */
const RECOMBINED_OF_32 = 28;
/** Pages with a recombined address that may yet lead to something. */
const MAX_UNREDEEMED = 50_000;

/**
 * Sees parts of sites that have no end although every page of them is another one and speaks of the topic: what nobody can tell from
 * the pages. Two rules, both of addresses and links alone. What few other sites link into gets its share, and counts less and
 * less beyond it while anything else waits (budgets by the number of sites that link to a site: IRLbot, Lee and others 2008). And
 * addresses put together from words of earlier ones, over and over, that lead to nothing else promise nothing new. A fold; bounded.
 */
export class Sections {
  readonly #allowance: number;
  readonly #sections = new LruMap<number, Section>(MAX_NOTED, ({ words }) => SECTION_WEIGHT + words.size);
  readonly #heard = new LruMap<number, Vouchers>(MAX_HEARD);
  readonly #weighed = new LruMap<string, true>(MAX_HOSTS);
  readonly #held = new LruMap<number, { readonly part: string; section: Section }>(MAX_HELD);
  readonly #unredeemed = new LruMap<number, true>(MAX_UNREDEEMED);
  #changes: SectionChange[] = [];

  /** @param allowance - pages of a section that nobody vouches for that count in full; 0 = all */
  constructor(allowance: number) {
    this.#allowance = allowance;
  }

  /** A page of its own was fetched. */
  page(page: SectionPage): SectionNews {
    const key = sectionOf(page.url);
    const section = this.#section(key);
    const before = this.#isDoubtful(section);
    const bringsWords = this.#noteWords(section, page);
    if ((section.recombined & 1) === 0) this.#redeem(page.from);
    if (page.isInside) {
      section.pages++;
      if (page.isAccepted) section.accepted++;
      this.#weigh(key, section, page.url, page.host);
    }
    return { bringsWords, isWorse: !before && this.#isDoubtful(section) };
  }

  /** A page of another host links here. */
  vouch(url: string, host: string, { hash, isInside }: Voucher): void {
    if (this.#allowance === 0 || isFrontPage(url)) return;
    const key = sectionOf(url);
    const section = this.#sections.get(key);
    const vouchers = section ?? this.#heardOf(key);
    const kind = isInside ? 'hosts' : 'sites';
    const known = vouchers[kind];
    if (known.length >= MAX_VOUCHERS || known.includes(hash)) return;
    // Not pushed: V8 would hold room for sixteen more, of thousands that have one.
    vouchers[kind] = known.concat(hash);
    if (section !== undefined) this.#weigh(key, section, url, host);
  }

  /** What the priority of a link is to be multiplied by, in (0,1]. */
  weight(url: string, host: string): number {
    if (!this.#weighed.peek(host)) return 1;
    return DECAY ** (this.#sections.peek(sectionOf(url))?.level ?? 0);
  }

  /** True when the section's addresses are old words in new combinations. */
  isDoubtful(url: string): boolean {
    const section = this.#sections.peek(sectionOf(url));
    return section !== undefined && this.#isDoubtful(section);
  }

  /** Sections that do not count in full, those that count least first, then those with most pages. */
  held(limit: number): readonly HeldPart[] {
    return [...this.#held.values()]
      .sort((a, b) => b.section.level - a.section.level || b.section.pages - a.section.pages)
      .slice(0, limit)
      .map(({ part, section }) => ({ part, pages: section.pages, weight: DECAY ** section.level }));
  }

  takeChanges(): readonly SectionChange[] {
    if (this.#changes.length === 0) return UNCHANGED;
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  #weigh(key: number, section: Section, url: string, host: string): void {
    if (this.#allowance === 0) return;
    const [times, most] = isAccepted(section) ? [ALLOWED_IF_ACCEPTED, MOST_IF_ACCEPTED] : [1, Number.POSITIVE_INFINITY];
    const share = section.pages / (times * this.#allowance * (1 + credit(section)));
    const level = share < 1 ? 0 : Math.min(most, 1 + Math.floor(Math.log2(share)));
    if (level === section.level) return;
    const factor = DECAY ** (level - section.level);
    section.level = level;
    const { pages, sites } = section;
    const name = ownCopy(sectionName(url));
    this.#changes.push({
      ...{ host, section: key, factor, weight: DECAY ** level },
      ...{ name, pages, sites: sites.length },
    });
    if (level > 0) this.#weighed.set(ownCopy(host), true);
    if (level > 0) this.#held.set(key, { part: name, section });
    else this.#held.delete(key);
  }

  /** Accepted pages are not doubted for their addresses: they have had their share at some time, that is all. */
  #isDoubtful(section: Section): boolean {
    return bitCount(section.recombined) >= RECOMBINED_OF_32 && !isAccepted(section);
  }

  /** @returns true if the page brings words that the section did not have */
  #noteWords(section: Section, { url, title }: SectionPage): boolean {
    const before = section.words.size;
    const address = wordsOf(url);
    const numbered = address.filter(hasNumber);
    const named = address.filter((word) => !hasNumber(word));
    // A number sets an address apart: the words beside it say nothing more.
    const bringsNames = addWords(section.words, named) && numbered.length === 0;
    const bringsWords = addWords(section.words, titleWords(title)) || bringsNames;
    this.#sections.grew(section.words.size - before);
    const isRecombined = !bringsWords && numbered.length === 0 && named.length > 1;
    section.recombined = ((section.recombined << 1) | (isRecombined ? 1 : 0)) >>> 0;
    if (isRecombined) this.#unredeemed.set(hash53(url), true);
    return bringsWords;
  }

  /** The page on which a page with an address of its own was found is worth its fetch, whatever its own address. */
  #redeem(from: string): void {
    const key = hash53(from);
    if (!this.#unredeemed.peek(key)) return;
    this.#unredeemed.delete(key);
    const section = this.#sections.peek(sectionOf(from));
    if (section !== undefined) section.recombined = (section.recombined & (section.recombined - 1)) >>> 0;
  }

  #section(key: number): Section {
    const known = this.#sections.get(key);
    if (known !== undefined) return known;
    const made: Section = { ...this.#heardOf(key), pages: 0, accepted: 0, level: 0, words: new Set(), recombined: 0 };
    this.#heard.delete(key);
    this.#sections.set(key, made);
    return made;
  }

  #heardOf(key: number): Vouchers {
    const known = this.#heard.get(key);
    if (known !== undefined) return known;
    const made: Vouchers = { sites: NOBODY, hosts: NOBODY };
    this.#heard.set(key, made);
    return made;
  }

  exchange(fields: Fields): void {
    this.#sections.exchange(fields);
    this.#heard.exchange(fields);
    this.#weighed.exchange(fields);
    // Held parts are those of sections, unless these were forgotten.
    this.#held.exchange(fields);
    if (fields.isLoading)
      for (const [key, held] of this.#held.entries()) held.section = this.#sections.peek(key) ?? held.section;
    this.#unredeemed.exchange(fields);
    this.#changes = fields.value(this.#changes);
  }
}

const UNCHANGED: readonly SectionChange[] = [];
const NOBODY: readonly number[] = [];

/** Number of the part of its site that a URL belongs to. */
export function sectionOf(url: string): number {
  return hash53(sectionStart(url));
}

function sectionName(url: string): string {
  return `${sectionStart(url)}…`;
}

/**
 * How the URLs of a part of a site begin, behind their scheme: of those with parameters all with one path are a part, of others all in the first
 * folder, or in none. Numbers and ids in it stand for each other.
 */
function sectionStart(url: string): string {
  const host = url.indexOf('//') + 2;
  const path = url.indexOf('/', host);
  const query = url.indexOf('?', path);
  const folder = url.indexOf('/', path + 1);
  const end = query >= 0 ? query : folder < 0 ? path : folder;
  // With the slash or the question mark behind it.
  if (!HAS_DIGIT.test(url.slice(path, end))) return url.slice(host, end + 1);
  return url.slice(host, path) + shapeOfPath(url.slice(path, end)) + url.slice(end, end + 1);
}

const HAS_DIGIT = /\d/;

/** Most of its pages are on a topic. */
function isAccepted({ pages, accepted }: Section): boolean {
  return 2 * accepted > pages;
}

/** How many others vouch for a section. Hosts of one's own are made in no time: all of them together count as the logarithm of their number. */
function credit({ sites, hosts }: Vouchers): number {
  return sites.length + Math.log2(1 + hosts.length);
}

function isFrontPage(url: string): boolean {
  return url.indexOf('/', 8) === url.length - 1;
}

/** @returns true if one of the words was not known */
export function addWords(known: Set<number>, words: readonly string[]): boolean {
  let isNew = false;
  for (const word of words) {
    const key = hash53(word);
    if (known.has(key)) continue;
    isNew = true;
    if (known.size < MAX_WORDS) known.add(key);
  }
  return isNew;
}

/** Words of a title. Numbers say nothing; in names that hold some, such as `cvtsi2sd`, they stand for each other. */
export function titleWords(title: string): readonly string[] {
  const words = title.toLowerCase().match(TITLE_WORD) ?? [];
  return words.filter((word) => LETTERS.test(word)).map((word) => word.replace(/\d+/g, '#'));
}

const TITLE_WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** At least one letter beside numbers, or two of them: `M8` is a size, `H2O` a name. */
const LETTERS = /^[^\d]*$|[^\d].*[^\d]/u;

/** Words of the path and of the values of parameters. */
function wordsOf(url: string): readonly string[] {
  const { segments, params } = partsOf(url);
  const values = params.map((param) => param.slice(nameOf(param).length + 1));
  return [...segments, ...values].join('/').toLowerCase().replace(SEPARATOR, ' ').match(WORD) ?? [];
}

function hasNumber(word: string): boolean {
  return HAS_DIGIT.test(word) && HAS_DIGIT.test(word.replace(ESCAPE, ''));
}

/** Escaped spaces and punctuation. Other escapes belong to the word they stand in. */
const SEPARATOR = /%(?:2[0-9a-f]|3[abd]|5f|7c)/g;
const ESCAPE = /%[0-9a-f]{2}/g;
const WORD = /(?:[a-z0-9]|%[0-9a-f]{2})+/g;
