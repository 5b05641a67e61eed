import {
  type CanonicalUrl,
  type Config,
  type HeldPart,
  hostOf,
  PART_STATUS,
  type PageRecord,
  type VisitRecord,
} from '../../core/index.ts';
import { type Fields, hash32, hash53, LruMap, ownCopy } from '../../kit/index.ts';
import { AddressRules } from './address-rules.ts';
import { MetPages } from './met-pages.ts';
import { Mirrors } from './mirrors.ts';
import { distance, type Fingerprint, MAX_DISTANCE, NearPages } from './near-pages.ts';
import { PatternYield } from './pattern-yield.ts';
import { RecentPages } from './recent-pages.ts';
import { addWords, type SectionChange, Sections, titleWords, type Voucher } from './sections.ts';
import { ownerOf, siteOf } from './site-of.ts';
import { barredShape, patternsOf, shapeStanding, type TrapStanding } from './url-patterns.ts';

export type TrapSettings = Config['traps'];

/** A page as far as traps are concerned. */
export type GuardedPage = Pick<PageRecord, 'sequence' | 'finalUrl' | 'host' | 'status'> & {
  /** The page on which its address was found. */
  readonly origin: Pick<PageRecord['origin'], 'from'>;
  /** Addresses that redirected to it, first one first. */
  readonly redirects?: PageRecord['redirects'];
  readonly document: Pick<PageRecord['document'], 'simhash' | 'tokens' | 'title'>;
  /** It was accepted into a topic that the crawl is for. */
  readonly isRelevant: boolean;
};

/** A fetch that gave no page of its own. */
type GuardedVisit = Pick<VisitRecord, 'url'> & Pick<GuardedPage, 'origin'>;

/** Hosts of one domain. */
interface Crowd {
  readonly visited: Set<string>;
  /** Those of them that had a relevant page whose title was news to the domain. */
  readonly relevant: Set<string>;
  /** Words of titles, as hashes. */
  readonly words: Set<number>;
  /** How hosts that were not visited yet are treated. */
  standing: TrapStanding;
}

/** The page behind a document's `rel=canonical`. */
export interface Canonical {
  readonly page: number;
  readonly isSameSite: boolean;
}

/** The page that another one is a copy of, and how that was seen. */
export interface NearDuplicate {
  readonly page: number;
  readonly how: 'near-duplicate' | 'canonical';
}

/** A text of fewer words changes its fingerprint too much with each: only exact copies of it count. */
export const MIN_NEAR_TOKENS = 64;
const MAX_SUSPECTS = 20_000;
/** Hosts, and words of titles, noted of all domains together; those of domains that got no new host for long are forgotten. */
const MAX_NOTED = 300_000;
/** Pages not to be stored that may yet lead to something. */
const MAX_UNSTORED = 50_000;
/** Hosts of a domain beyond this many times the allowance are not followed at all. */
const BARRED_HOSTS = 5;
/** A domain of which this share of hosts had a relevant page has no limit. Our choice. */
const RELEVANT_HOSTS = 0.4;
/** Blamed for what addresses of one page under many names cost: the narrow patterns alone. */
const NARROW = ['template', 'path'] as const;
/** Reasons of failures that say nothing of the address, but of its host or of us. */
const HOST_TROUBLE: ReadonlySet<string> = new Set([
  'dns',
  'connect',
  'tls',
  'robots',
  'private-address',
  'port',
  'locked-host',
  'bad-host',
]);

/**
 * Sees what wastes a crawl's time, by what came of the pages fetched so far, and says which links to leave for the end or
 * altogether. General rules alone: patterns of addresses whose pages are copies, next to copies, errors, or not to be stored and
 * lead nowhere; parts of addresses that do not choose the page; hosts that repeat another; domains of countless hosts; paths that
 * repeat themselves. A fold over the journal: it reads no clock, and the same records give the same answers. Bounded memory.
 */
export class TrapGuard {
  readonly #settings: TrapSettings;
  readonly #near = new NearPages();
  readonly #yield: PatternYield;
  readonly #rules = new AddressRules();
  readonly #mirrors: Mirrors;
  readonly #sections: Sections;
  /** Copies are compared with their addresses. */
  readonly #met = new MetPages();
  readonly #recent: RecentPages;
  /** Pages that were not to be stored and led nowhere yet, by the hash of their address. */
  readonly #unstored = new LruMap<number, true>(MAX_UNSTORED);
  /** Hosts with a pattern that is not free. */
  readonly #suspects = new LruMap<string, true>(MAX_SUSPECTS);
  /** Hosts fetched from, by the domain that they are registered below. */
  readonly #domains = new LruMap<string, Crowd>(MAX_NOTED, ({ visited, words }) => visited.size + words.size);
  #changed = new Set<string>();
  #crowded = new Set<string>();
  /** See `#isPlain`; forgotten whenever something is learned. */
  #plainHost = '';
  #isPlainHost = true;

  /** @param isPage - whether a page, its own or another's, came of an address */
  constructor(settings: TrapSettings, isPage: (url: string) => boolean = () => false) {
    this.#settings = settings;
    this.#mirrors = new Mirrors(isPage);
    this.#yield = new PatternYield(settings);
    this.#sections = new Sections(settings.sectionPages);
    this.#recent = new RecentPages(settings.staleBits);
  }

  /**
   * The page that a document is nearly the same as, by title and text.
   * @param canonical - the page that the document itself calls its original, where that was fetched, and whether it is of the same
   * site. A site may say so of its own pages when the texts are alike; of anybody else's its word counts for nothing.
   * @param isCurrent - false for pages that do not say any more what they said: nothing is a copy of them
   */
  nearDuplicateOf(
    { simhash, tokens, title }: GuardedPage['document'],
    canonical?: Canonical,
    isCurrent: (page: number) => boolean = () => true,
  ): NearDuplicate | undefined {
    const { enabled, nearDuplicateBits, staleBits } = this.#settings;
    if (!enabled || nearDuplicateBits < 0) return undefined;
    const limit = Math.min(MAX_DISTANCE, nearDuplicateBits);
    const ownTitle = hash32(title);
    const isCopied = (page: number, its: number): boolean => its === ownTitle && isCurrent(page);
    const near = tokens < MIN_NEAR_TOKENS ? undefined : this.#near.find(simhash, limit, isCopied);
    if (near !== undefined) return { page: near, how: 'near-duplicate' };
    const original = canonical?.isSameSite === true ? this.printOf(canonical.page) : undefined;
    if (original === undefined || distance(original, simhash) > staleBits) return undefined;
    return { page: canonical!.page, how: 'canonical' };
  }

  /** The fingerprint of a page; `undefined` when it is not known any more. */
  printOf(page: number): Fingerprint | undefined {
    return this.#met.print(page);
  }

  /** A page of its own was fetched. */
  page(page: GuardedPage): void {
    if (!this.#settings.enabled) return;
    this.#plainHost = '';
    const { sequence, finalUrl, host, document, isRelevant, origin } = page;
    const { simhash: print, tokens, title } = document;
    if (tokens >= MIN_NEAR_TOKENS) this.#near.add(print, sequence, title);
    this.#met.add(sequence, finalUrl, print);
    this.#rules.fresh(finalUrl, sequence);
    this.#mirrors.fetched(host);
    this.#mirrors.fresh(finalUrl, host);
    this.#noteHost(page, host);
    const isAlike = this.#recent.note(host, document);
    const isNew = this.#noteSection(page) || !isAlike;
    if (isNew || isRelevant) this.#redeem(origin.from);
    // A part of a page took every try: a web of such pages has no end, either.
    if (isNew && page.status !== PART_STATUS) this.#yield.fresh(finalUrl);
    else this.#waste(page, host, isRelevant && page.status !== PART_STATUS);
  }

  /** An address gave a copy, or nearly one, of a page. */
  duplicate({ url, origin }: GuardedVisit, host: string, page: number): void {
    if (!this.#settings.enabled) return;
    this.#plainHost = '';
    const before = this.#met.url(page);
    this.#mirrors.fetched(host);
    if (!isChosenBySite(origin, host)) return;
    this.#noteHost({ origin }, host);
    // The page of another site is not the original just because it was fetched first.
    if (before === undefined || ownerOf(hostOf(before as CanonicalUrl)) !== ownerOf(host)) return;
    if (this.#mirrors.same(url, before)) this.#changed.add(host);
    const { explained, isNew } = this.#rules.same(url, page, before);
    if (isNew) this.#changed.add(host);
    if (this.#yield.wasted(url, false, explained ? NARROW : undefined)) this.#suspect(host);
  }

  /** A fetch gave no page. */
  visit(record: GuardedVisit & Pick<VisitRecord, 'result' | 'reason' | 'status' | 'retried'>, host: string): void {
    if (!this.#settings.enabled) return;
    const isUnstored = record.result === 'noindex';
    if (!isUnstored && !isWasted(record)) return;
    this.#plainHost = '';
    if (isUnstored) this.#noteHost(record, host);
    // What it says is not kept, so it cannot be compared: it is worth what its links lead to, and nothing until then.
    if (isUnstored) this.#unstored.set(hash53(record.url), true);
    this.#waste({ finalUrl: record.url, origin: record.origin }, host);
  }

  /** A chain of redirects goes on and on. */
  endlessRedirect(url: CanonicalUrl, origin: Pick<PageRecord['origin'], 'from'>): void {
    this.#plainHost = '';
    if (this.#settings.enabled) this.#waste({ finalUrl: url, origin }, hostOf(url));
  }

  /** True when a redirect to `target` is one too many of its kind. */
  isEndlessRedirect(redirects: readonly string[], target: CanonicalUrl): boolean {
    const { enabled, similarRedirects } = this.#settings;
    if (!enabled || redirects.length < similarRedirects) return false;
    const { template } = patternsOf(target);
    return redirects.filter((url) => patternsOf(url).template === template).length >= similarRedirects;
  }

  /** A page of `host` links to these pages: others vouch for what a site has. */
  linked(host: string, links: readonly { readonly url: string }[]): void {
    if (!this.#settings.enabled) return;
    const owner = ownerOf(host);
    const ofSite: Voucher = { hash: hash53(owner), isInside: false };
    const ofHost: Voucher = { hash: hash53(host), isInside: true };
    let last = '';
    let voucher = ofSite;
    for (const { url } of links) {
      const target = hostOf(url as CanonicalUrl);
      if (target === host) continue;
      if (target !== last) voucher = ownerOf(target) === owner ? ofHost : ofSite;
      last = target;
      this.#sections.vouch(url, target, voucher);
    }
  }

  /** What the priority of a link is to be multiplied by, in (0,1]: less than 1 where its part of a site has had its share. */
  weight(url: string, host: string): number {
    return this.#settings.enabled ? this.#sections.weight(url, host) : 1;
  }

  /** Parts of hosts that have had their share, those held back most first. */
  held(limit: number): readonly HeldPart[] {
    return this.#settings.enabled ? this.#sections.held(limit) : [];
  }

  /** Parts of hosts whose links weigh more or less than before, since the last call. */
  takeSectionChanges(): readonly SectionChange[] {
    return this.#sections.takeChanges();
  }

  /** How a link is to be treated. */
  standing(url: string, host: string): TrapStanding {
    if (!this.#settings.enabled) return 'free';
    const shape = shapeStanding(url, this.#settings);
    if (shape === 'barred' || this.#isPlain(host)) return shape;
    const crowd = this.#crowdStanding(host);
    if (crowd === 'barred') return crowd;
    const isSuspect = this.#suspects.peek(host) === true;
    const earned = isSuspect ? this.#yield.standing(url) : 'free';
    if (earned === 'barred') return earned;
    if (shape === 'doubtful' || crowd === 'doubtful' || earned === 'doubtful') return 'doubtful';
    return isSuspect && this.#sections.isDoubtful(url) ? 'doubtful' : 'free';
  }

  /** The setting that keeps a barred link out. */
  barredBy(
    url: string,
    host: string,
  ): `traps.${'maxPathDepth' | 'maxSegmentRepeats' | 'hostsPerDomain' | 'wastedFetches'}` {
    const shape = barredShape(url, this.#settings);
    if (shape !== undefined) return `traps.${shape}`;
    return this.#crowdStanding(host) === 'barred' ? 'traps.hostsPerDomain' : 'traps.wastedFetches';
  }

  /**
   * True when this URL is the one to follow among those that lead to one page, as far as the rules learned of its host can tell. The
   * first one that asks is.
   */
  claim(url: string, host: string): boolean {
    return !this.#settings.enabled || this.#isPlain(host) || this.#rules.claim(url, host);
  }

  /** The same address on the host that this one repeats, if it is a mirror. */
  originalOf(url: string, host: string): string | undefined {
    if (!this.#settings.enabled || this.#isPlain(host)) return undefined;
    return this.#mirrors.originalOf(url, host);
  }

  /** Hosts, and domains, some of whose links are to be treated worse than before, since the last call. */
  takeChanged(): { readonly hosts: readonly string[]; readonly domains: readonly string[] } {
    if (this.#changed.size === 0 && this.#crowded.size === 0) return UNCHANGED;
    const changed = { hosts: [...this.#changed], domains: [...this.#crowded] };
    this.#changed = new Set();
    this.#crowded = new Set();
    return changed;
  }

  /** Nothing speaks against the host. Links of a page mostly lead to one host: the last answer is remembered. */
  #isPlain(host: string): boolean {
    if (host === this.#plainHost) return this.#isPlainHost;
    this.#plainHost = host;
    this.#isPlainHost =
      !this.#suspects.peek(host) &&
      !this.#rules.has(host) &&
      this.#mirrors.mirrored(host) === undefined &&
      this.#crowdStanding(host) === 'free';
    return this.#isPlainHost;
  }

  /** Links that another site chose say nothing of the addresses of this one. */
  #waste({ finalUrl, origin }: Pick<GuardedPage, 'finalUrl' | 'origin'>, host: string, isAccepted = false): void {
    if (isChosenBySite(origin, host) && this.#yield.wasted(finalUrl, isAccepted)) this.#suspect(host);
  }

  #redeem(url: string): void {
    const key = hash53(url);
    if (!this.#unstored.peek(key)) return;
    this.#unstored.delete(key);
    this.#yield.redeemed(url);
  }

  #suspect(host: string): void {
    this.#suspects.set(host, true);
    this.#changed.add(host);
  }

  /** @returns true if title or address bring words that their part of the site did not have */
  #noteSection({ origin: { from }, redirects: [linked] = [], finalUrl, document, isRelevant }: GuardedPage): boolean {
    const url = (linked ?? finalUrl) as CanonicalUrl;
    const host = hostOf(url);
    const owner = ownerOf(host);
    const isInside = [from as CanonicalUrl, finalUrl].every((address) => ownerOf(hostOf(address)) === owner);
    const page = { url, host, title: document.title, isAccepted: isRelevant, from, isInside };
    const { bringsWords, isWorse } = this.#sections.page(page);
    if (isWorse) this.#suspect(host);
    return bringsWords;
  }

  #noteHost({ origin, document, isRelevant }: Pick<GuardedPage, 'origin'> & Partial<GuardedPage>, host: string): void {
    const domain = siteOf(host);
    if (domain === undefined || !isChosenBySite(origin, host)) return;
    let crowd = this.#domains.get(domain);
    if (crowd === undefined) {
      crowd = { visited: new Set(), relevant: new Set(), words: new Set(), standing: 'free' };
      this.#domains.set(ownCopy(domain), crowd);
    }
    const { visited, relevant, words } = crowd;
    const noted = visited.size + words.size;
    if (visited.size < this.#settings.hostsPerDomain * BARRED_HOSTS && !visited.has(host)) visited.add(ownCopy(host));
    const isRelevantHost = document !== undefined && isRelevant === true && visited.has(host) && !relevant.has(host);
    if (isRelevantHost && addWords(words, titleWords(document.title))) relevant.add(ownCopy(host));
    this.#domains.grew(visited.size + words.size - noted);
    const before = crowd.standing;
    crowd.standing = this.#standingOf(crowd);
    if (crowd.standing !== before && crowd.standing !== 'free') this.#crowded.add(domain);
  }

  #standingOf({ visited, relevant }: Crowd): TrapStanding {
    const { hostsPerDomain } = this.#settings;
    if (hostsPerDomain === 0 || visited.size < hostsPerDomain) return 'free';
    if (relevant.size >= RELEVANT_HOSTS * visited.size) return 'free';
    return visited.size >= hostsPerDomain * BARRED_HOSTS ? 'barred' : 'doubtful';
  }

  /** A host that was not visited yet, of a domain of which many were. */
  #crowdStanding(host: string): TrapStanding {
    const domain = this.#settings.hostsPerDomain > 0 ? siteOf(host) : undefined;
    const crowd = domain === undefined ? undefined : this.#domains.get(domain);
    return crowd === undefined || crowd.visited.has(host) ? 'free' : crowd.standing;
  }

  exchange(fields: Fields): void {
    this.#near.exchange(fields);
    this.#yield.exchange(fields);
    this.#rules.exchange(fields);
    this.#mirrors.exchange(fields);
    this.#sections.exchange(fields);
    this.#met.exchange(fields);
    this.#recent.exchange(fields);
    this.#unstored.exchange(fields);
    this.#suspects.exchange(fields);
    this.#domains.exchange(fields);
    fields.set(this.#changed);
    fields.set(this.#crowded);
    this.#plainHost = fields.value(this.#plainHost);
    this.#isPlainHost = fields.value(this.#isPlainHost);
  }
}

const UNCHANGED = { hosts: [], domains: [] } as const;

/** The address stood on a page of its own site, or a person named it. */
function isChosenBySite({ from }: Pick<PageRecord['origin'], 'from'>, host: string): boolean {
  return from === '' || ownerOf(hostOf(from as CanonicalUrl)) === ownerOf(host);
}

function isWasted({
  result,
  reason,
  status,
  retried,
}: Pick<VisitRecord, 'result' | 'reason' | 'status' | 'retried'>): boolean {
  if (result !== 'failed' && result !== 'refused') return false;
  if (HOST_TROUBLE.has(reason) || status >= 500 || status === 429) return false;
  return !retried || reason === 'timeout' || reason === 'truncated';
}
