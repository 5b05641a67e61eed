import type { HeldPart } from '../../core/index.ts';
import { type Fields, hash53, LruMap, ownCopy } from '../../kit/index.ts';
import { bitCount } from './near-duplicates.ts';
import { nameOf, partsOf } from './url-parts.ts';
import { shapeOfPath } from './url-patterns.ts';

/**
 * Hashes of other sites that link into a section, and of other hosts of its own site; at most {@link MAX_VOUCHERS}
 * each.
 */
interface Vouchers {
  sites: readonly number[];
  hosts: readonly number[];
}

/** Outcomes of the URLs of one section of a site. */
interface Section extends Vouchers {
  /** Number of new pages found from pages of the same site, and how many of them were accepted into a topic. */
  pages: number;
  accepted: number;
  /** See {@link Sections.weight}; 0 = full weight. */
  level: number;
  /** Words of its URLs and titles, as hashes. */
  readonly words: Set<number>;
  /** One bit for each of its last pages, the newest in the lowest bit: set if the URL only recombines known words. */
  recombined: number;
}

/** The fields of a page that its section needs. */
interface SectionPage {
  /** The linked URL, before redirects. */
  readonly url: string;
  readonly host: string;
  readonly title: string;
  readonly isAccepted: boolean;
  /** The page on which the URL was found. */
  readonly from: string;
  /** True if that page, the URL and all redirects are on the same site. */
  readonly isInside: boolean;
}

/** How a page changes its section. */
interface SectionNews {
  /** Its title or URL has a word that is new in the section. */
  readonly bringsWords: boolean;
  /** The section has just become doubtful. */
  readonly isWorse: boolean;
}

/** A page that links into a section. */
export interface Voucher {
  /** Hash of the linking page's site, or of its host if the site is the same. */
  readonly hash: number;
  readonly isInside: boolean;
}

/** A section whose links changed their weight. */
export interface SectionChange {
  readonly host: string;
  /** See {@link sectionOf}. */
  readonly section: number;
  /** New weight divided by the old weight. */
  readonly factor: number;
  /** See {@link Sections.weight}. */
  readonly weight: number;
  /** The section for the user: a URL without scheme, with `…` for the parts in which its pages differ. */
  readonly name: string;
  readonly pages: number;
  /** Number of other sites that link into it, at most 15. */
  readonly sites: number;
}

/** Maximum number of linking sites that raise the trust in a section. */
const MAX_VOUCHERS = 15;
const MAX_WORDS = 1_000;
/**
 * Maximum number of words in all sections, about 60 bytes each; a section takes 30 bytes besides. The least recently
 * used are forgotten.
 */
const MAX_NOTED = 300_000;
const SECTION_WEIGHT = 30;
/** Maximum number of sections known only from links. They are far more numerous and must not displace the others. */
const MAX_HEARD = 20_000;
/** Maximum number of hosts with a section of reduced weight. */
const MAX_HOSTS = 20_000;
/** Maximum number of sections listed as held back. */
const MAX_HELD = 1_000;
/** Factor on the weight of links each time the pages of a section double beyond its allowance. Our choice. */
const DECAY = 0.5;
/** Factor on the allowance of a section with more than this share of accepted pages. Our choice. */
const ALLOWED_IF_ACCEPTED = 6;
const ACCEPTED_SHARE = 0.2;
/** A section is doubtful if this many of its last 32 pages have recombined URLs. */
const RECOMBINED_OF_32 = 28;
/** Maximum number of pages with a recombined URL whose links may still prove useful. */
const MAX_UNREDEEMED = 50_000;

/**
 * Detects endless sections whose pages are all different and on topic, so that the pages themselves reveal nothing.
 * Two rules use URLs and links alone. First, a section that few other sites link into has an allowance; beyond it,
 * its links lose weight as long as other links wait (budgets by the number of linking sites: IRLbot, Lee and others
 * 2008). Second, URLs that repeatedly recombine words of earlier URLs, and lead to nothing else, are doubtful.
 * Depends only on the calls. Bounded memory.
 */
export class Sections {
  readonly #allowance: number;
  readonly #sections = new LruMap<number, Section>(MAX_NOTED, ({ words }) => SECTION_WEIGHT + words.size);
  readonly #heard = new LruMap<number, Vouchers>(MAX_HEARD);
  readonly #weighed = new LruMap<string, true>(MAX_HOSTS);
  readonly #held = new LruMap<number, { readonly part: string; section: Section }>(MAX_HELD);
  readonly #unredeemed = new LruMap<number, true>(MAX_UNREDEEMED);
  #changes: SectionChange[] = [];

  /** @param allowance - number of full-weight pages in a section that no other site links into; 0 = unlimited */
  constructor(allowance: number) {
    this.#allowance = allowance;
  }

  /** Records that a new page was fetched. */
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

  /** Records a link from a page of another host. */
  vouch(url: string, host: string, { hash, isInside }: Voucher): void {
    if (this.#allowance === 0 || isFrontPage(url)) return;
    const key = sectionOf(url);
    const section = this.#sections.get(key);
    const vouchers = section ?? this.#heardOf(key);
    const kind = isInside ? 'hosts' : 'sites';
    const known = vouchers[kind];
    if (known.length >= MAX_VOUCHERS || known.includes(hash)) return;
    // Not pushed: V8 would reserve room for sixteen more, and thousands of sections have one.
    vouchers[kind] = known.concat(hash);
    if (section !== undefined) this.#weigh(key, section, url, host);
  }

  /** Returns the factor on the priority of a link, in (0,1]. */
  weight(url: string, host: string): number {
    if (!this.#weighed.peek(host)) return 1;
    return DECAY ** (this.#sections.peek(sectionOf(url))?.level ?? 0);
  }

  /** Returns true if the section's URLs are recombinations of known words. */
  isDoubtful(url: string): boolean {
    const section = this.#sections.peek(sectionOf(url));
    return section !== undefined && this.#isDoubtful(section);
  }

  /** Returns sections of reduced weight, lowest weight first, then those with most pages. */
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
    const times = isAccepted(section) ? ALLOWED_IF_ACCEPTED : 1;
    const share = section.pages / (times * this.#allowance * (1 + credit(section)));
    const level = share < 1 ? 0 : 1 + Math.floor(Math.log2(share));
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

  /**
   * Sections of mostly accepted pages are not doubtful because of their URLs; only their weight is reduced at some
   * point.
   */
  #isDoubtful(section: Section): boolean {
    return bitCount(section.recombined) >= RECOMBINED_OF_32 && !isAccepted(section);
  }

  /** @returns true if the page has words that are new in the section */
  #noteWords(section: Section, { url, title }: SectionPage): boolean {
    const before = section.words.size;
    const address = wordsOf(url);
    const numbered = address.filter(hasNumber);
    const named = address.filter((word) => !hasNumber(word));
    // A number makes a URL distinct, so new words beside it prove nothing.
    const bringsNames = addWords(section.words, named) && numbered.length === 0;
    const bringsWords = addWords(section.words, titleWords(title)) || bringsNames;
    this.#sections.grew(section.words.size - before);
    const isRecombined = !bringsWords && numbered.length === 0 && named.length > 1;
    section.recombined = ((section.recombined << 1) | (isRecombined ? 1 : 0)) >>> 0;
    if (isRecombined) this.#unredeemed.set(hash53(url), true);
    return bringsWords;
  }

  /** The page on which a page with a distinct URL was found is useful, whatever its own URL. */
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
    // Held-back parts belong to known sections, unless these were forgotten.
    this.#held.exchange(fields);
    if (fields.isLoading)
      for (const [key, held] of this.#held.entries()) held.section = this.#sections.peek(key) ?? held.section;
    this.#unredeemed.exchange(fields);
    this.#changes = fields.value(this.#changes);
  }
}

const UNCHANGED: readonly SectionChange[] = [];
const NOBODY: readonly number[] = [];

/** Returns the number of the section that a URL belongs to. */
export function sectionOf(url: string): number {
  return hash53(sectionStart(url));
}

function sectionName(url: string): string {
  return `${sectionStart(url)}…`;
}

/**
 * Returns the URL prefix, without scheme, that the URLs of a section share. URLs with parameters form one section per
 * path. Other URLs form one section per first folder. Numbers and ids in the prefix are treated as equal.
 */
function sectionStart(url: string): string {
  const host = url.indexOf('//') + 2;
  const path = url.indexOf('/', host);
  const query = url.indexOf('?', path);
  const folder = url.indexOf('/', path + 1);
  const end = query >= 0 ? query : folder < 0 ? path : folder;
  // Including the slash or the question mark.
  if (!HAS_DIGIT.test(url.slice(path, end))) return url.slice(host, end + 1);
  return url.slice(host, path) + shapeOfPath(url.slice(path, end)) + url.slice(end, end + 1);
}

const HAS_DIGIT = /\d/;

/** Returns true if a good part of its pages is on a topic. */
function isAccepted({ pages, accepted }: Section): boolean {
  return accepted > ACCEPTED_SHARE * pages;
}

/**
 * Returns the number of sources that vouch for a section. A site can create its own hosts at no cost, so all of them
 * together count as the logarithm of their number.
 */
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

/** Returns the words of a title. Numbers are ignored; numbers inside names such as `cvtsi2sd` are treated as equal. */
export function titleWords(title: string): readonly string[] {
  const words = title.toLowerCase().match(TITLE_WORD) ?? [];
  return words.filter((word) => LETTERS.test(word)).map((word) => word.replace(/\d+/g, '#'));
}

const TITLE_WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Letters only, or at least two letters beside numbers: `M8` is a size, `H2O` a name. */
const LETTERS = /^[^\d]*$|[^\d].*[^\d]/u;

/** Returns the words of the path and of parameter values. */
function wordsOf(url: string): readonly string[] {
  const { segments, params } = partsOf(url);
  const values = params.map((param) => param.slice(nameOf(param).length + 1));
  return [...segments, ...values].join('/').toLowerCase().replace(SEPARATOR, ' ').match(WORD) ?? [];
}

function hasNumber(word: string): boolean {
  return HAS_DIGIT.test(word) && HAS_DIGIT.test(word.replace(ESCAPE, ''));
}

/** Escaped spaces and punctuation. Other escapes are part of a word. */
const SEPARATOR = /%(?:2[0-9a-f]|3[abd]|5f|7c)/g;
const ESCAPE = /%[0-9a-f]{2}/g;
const WORD = /(?:[a-z0-9]|%[0-9a-f]{2})+/g;
