import {
  type CanonicalUrl,
  type Config,
  type HeldPart,
  hostOf,
  PART_STATUS,
  type PageRecord,
  type VisitRecord,
} from '../../core/index.ts';
import { type Fields, hash53, LruMap, ownCopy } from '../../kit/index.ts';
import { AddressRules } from './address-rules.ts';
import { MetPages } from './met-pages.ts';
import { Mirrors } from './mirrors.ts';
import { distance, type Fingerprint, MAX_DISTANCE, NearPages } from './near-pages.ts';
import { PatternYield } from './pattern-yield.ts';
import { RecentPages } from './recent-pages.ts';
import { type SectionChange, Sections, type Voucher } from './sections.ts';
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

/** Hosts of one domain. */
interface Crowd {
  readonly visited: Set<string>;
  /** Those of them that had a relevant page. */
  readonly relevant: Set<string>;
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
/** Hosts noted of all domains together; of domains that got no new host for long they are forgotten. */
const MAX_HOSTS_NOTED = 100_000;
/** Pages not to be stored that may yet lead to something. */
const MAX_UNSTORED = 50_000;
/** Hosts of a domain beyond this many times the allowance are not followed at all, unless such a share of those before had a relevant page. */
const BARRED_HOSTS = 5;
const BARRED_RELEVANT = 0.25;
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
  readonly #domains = new LruMap<string, Crowd>(MAX_HOSTS_NOTED, ({ visited }) => visited.size);
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
   * The page that a document is nearly the same as, by its text.
   * @param canonical - the page that the document itself calls its original, where that was fetched, and whether it is of the same
   * site. A site may say so of its own pages when the texts are alike; of anybody else's its word counts for nothing.
   * @param isCurrent - false for pages that do not say any more what they said: nothing is a copy of them
   */
  nearDuplicateOf(
    { simhash, tokens }: GuardedPage['document'],
    canonical?: Canonical,
    isCurrent?: (page: number) => boolean,
  ): NearDuplicate | undefined {
    const { enabled, nearDuplicateBits, staleBits } = this.#settings;
    if (!enabled || nearDuplicateBits < 0) return undefined;
    const limit = Math.min(MAX_DISTANCE, nearDuplicateBits);
    const near = tokens < MIN_NEAR_TOKENS ? undefined : this.#near.find(simhash, limit, isCurrent);
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
    const { sequence, finalUrl, host, document } = page;
    if (document.tokens >= MIN_NEAR_TOKENS) this.#near.add(document.simhash, sequence);
    this.#met.add(sequence, finalUrl, document.simhash);
    this.#rules.fresh(finalUrl, sequence);
    this.#mirrors.fetched(host);
    this.#mirrors.fresh(finalUrl, host);
    this.#noteHost(host, page.isRelevant);
    const isStale = this.#recent.note(host, document);
    if (!isStale || page.isRelevant) this.#redeem(page.origin.from);
    this.#noteSection(page);
    // A part of a page took every try: a web of such pages has no end, either.
    if (page.status === PART_STATUS) this.#waste(finalUrl, host);
    else if (!isStale) this.#yield.fresh(finalUrl);
    else if (this.#yield.stale(finalUrl, page.isRelevant)) this.#suspect(host);
  }

  /** An address gave a copy, or nearly one, of a page. */
  duplicate(url: CanonicalUrl, host: string, page: number): void {
    if (!this.#settings.enabled) return;
    this.#plainHost = '';
    const before = this.#met.url(page);
    this.#mirrors.fetched(host);
    this.#noteHost(host);
    if (before !== undefined && this.#mirrors.same(url, before)) this.#changed.add(host);
    const { explained, isNew } = before === undefined ? UNEXPLAINED : this.#rules.same(url, page, before);
    if (isNew) this.#changed.add(host);
    if (this.#yield.wasted(url, explained ? NARROW : undefined)) this.#suspect(host);
  }

  /** A fetch gave no page. */
  visit(record: Pick<VisitRecord, 'url' | 'result' | 'reason' | 'status' | 'retried'>, host: string): void {
    if (!this.#settings.enabled) return;
    if (record.result === 'noindex') this.#noteUnstored(record.url, host);
    if (!isWasted(record)) return;
    this.#plainHost = '';
    this.#waste(record.url, host);
  }

  /** A chain of redirects goes on and on. */
  endlessRedirect(url: CanonicalUrl, host: string): void {
    this.#plainHost = '';
    if (this.#settings.enabled) this.#waste(url, host);
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

  #waste(url: string, host: string): void {
    if (this.#yield.wasted(url)) this.#suspect(host);
  }

  /** What it says is not kept, so it cannot be compared: it is worth what its links lead to, and nothing until then. */
  #noteUnstored(url: string, host: string): void {
    this.#plainHost = '';
    this.#noteHost(host);
    this.#unstored.set(hash53(url), true);
    if (this.#yield.stale(url, false)) this.#suspect(host);
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

  #noteSection({ origin: { from }, redirects: [linked] = [], finalUrl }: GuardedPage): void {
    const url = (linked ?? finalUrl) as CanonicalUrl;
    const host = hostOf(url);
    const owner = ownerOf(host);
    const isInside = [from as CanonicalUrl, finalUrl].every((address) => ownerOf(hostOf(address)) === owner);
    if (this.#sections.page(url, host, { from, isInside })) this.#suspect(host);
  }

  #noteHost(host: string, isRelevant = false): void {
    const domain = siteOf(host);
    if (domain === undefined) return;
    const { hostsPerDomain } = this.#settings;
    let crowd = this.#domains.get(domain);
    if (crowd === undefined) {
      crowd = { visited: new Set([ownCopy(host)]), relevant: new Set() };
      this.#domains.set(ownCopy(domain), crowd);
    } else if (!crowd.visited.has(host) && crowd.visited.size < hostsPerDomain * BARRED_HOSTS) {
      const { size } = crowd.visited.add(ownCopy(host));
      this.#domains.grew(1);
      if (size === hostsPerDomain || size === hostsPerDomain * BARRED_HOSTS) this.#crowded.add(domain);
    }
    if (isRelevant && crowd.visited.has(host) && !crowd.relevant.has(host)) crowd.relevant.add(ownCopy(host));
  }

  /** A host that was not visited yet, of a domain of which many were. */
  #crowdStanding(host: string): TrapStanding {
    const { hostsPerDomain } = this.#settings;
    const domain = hostsPerDomain > 0 ? siteOf(host) : undefined;
    const crowd = domain === undefined ? undefined : this.#domains.get(domain);
    if (crowd === undefined || crowd.visited.size < hostsPerDomain || crowd.visited.has(host)) return 'free';
    const { visited, relevant } = crowd;
    const isBarred = visited.size >= hostsPerDomain * BARRED_HOSTS && relevant.size < BARRED_RELEVANT * visited.size;
    return isBarred ? 'barred' : 'doubtful';
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
const UNEXPLAINED = { explained: false, isNew: false } as const;

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
