import {
  type CanonicalUrl,
  type Config,
  countStatements,
  type HeldPart,
  hostOf,
  PART_STATUS,
  type PageRecord,
  type VisitRecord,
} from '../../core/index.ts';
import { type Fields, hash32, hash53, LruMap } from '../../kit/index.ts';
import { AddressRules } from './address-rules.ts';
import { type FarMirror, FarMirrors } from './far-mirrors.ts';
import { HostCrowds } from './hosts-per-domain.ts';
import { Mirrors } from './mirrors.ts';
import { distance, type Fingerprint, MAX_DISTANCE, NearPages } from './near-duplicates.ts';
import { MetPages } from './page-history.ts';
import { PatternYield } from './pattern-yield.ts';
import { RecentPages } from './recent-pages.ts';
import { SaidBefore } from './said-before.ts';
import { type SectionChange, Sections, titleWords, type Voucher } from './sections.ts';
import { ownerOf } from './site-of.ts';
import { barredShape, patternsOf, shapeStanding, type TrapStanding } from './url-patterns.ts';

export type TrapSettings = Config['traps'];

/** The fields of a page that trap detection needs. */
export type GuardedPage = Pick<PageRecord, 'sequence' | 'finalUrl' | 'host' | 'status'> & {
  /** The page on which its URL was found. */
  readonly origin: Pick<PageRecord['origin'], 'from'>;
  /** URLs that redirected to it, in order. */
  readonly redirects?: PageRecord['redirects'];
  readonly document: Pick<PageRecord['document'], 'simhash' | 'tokens' | 'title' | 'statements'>;
  /** It was accepted into a topic of the crawl. */
  readonly isRelevant: boolean;
};

/** A fetch that returned no new page. */
type GuardedVisit = Pick<VisitRecord, 'url'> & Pick<GuardedPage, 'origin'>;

/** The page that a document's `rel=canonical` points to. */
export interface Canonical {
  readonly page: number;
  readonly isSameSite: boolean;
}

/** The original of a near-duplicate page, and how it was detected. */
export interface NearDuplicate {
  readonly page: number;
  readonly how: 'near-duplicate' | 'canonical';
}

/** A shorter text changes its fingerprint too much with each word, so only exact copies of it count. */
export const MIN_NEAR_TOKENS = 64;
const MAX_SUSPECTS = 20_000;
/** Maximum number of pages without news whose links may still prove useful. */
const MAX_BARREN = 50_000;
/** Statements that a page must add to what its site has said, besides one for each word of its title. Our choice. */
const NEWS = 4;
/** Only narrow patterns are blamed if URLs of one page under many names waste fetches. */
const NARROW = ['template', 'path'] as const;
/** Failure reasons that concern the host or the crawler, not the URL. */
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
 * Detects crawler traps from the outcomes of earlier fetches, and decides which links to defer or to skip. It uses
 * general rules only: URL patterns whose pages are copies, near-copies, errors, or unstored pages with useless links;
 * URL parts that do not affect the page; mirror hosts; domains with countless hosts; paths that repeat themselves. It
 * replays from the journal: it reads no clock, and the same records give the same answers. Bounded memory.
 */
export class TrapGuard {
  readonly #settings: TrapSettings;
  readonly #near = new NearPages();
  readonly #yield: PatternYield;
  readonly #rules = new AddressRules();
  readonly #mirrors: Mirrors;
  readonly #farMirrors = new FarMirrors();
  readonly #sections: Sections;
  /** Used to compare the URLs of copies. */
  readonly #met = new MetPages();
  readonly #recent: RecentPages;
  readonly #said = new SaidBefore();
  /** Pages without news, or not stored, that led to no news so far, by URL hash. */
  readonly #barren = new LruMap<number, 'stored' | 'unstored'>(MAX_BARREN);
  /** Hosts with a pattern that is not free. */
  readonly #suspects = new LruMap<string, true>(MAX_SUSPECTS);
  readonly #crowds: HostCrowds;
  #changed = new Set<string>();
  /** Cache of `#isPlain`; cleared whenever the guard learns something. */
  #plainHost = '';
  #isPlainHost = true;

  /** @param isPage - returns whether a URL returned a page, new or known */
  constructor(settings: TrapSettings, isPage: (url: string) => boolean = () => false) {
    this.#settings = settings;
    this.#crowds = new HostCrowds(settings.hostsPerDomain);
    this.#mirrors = new Mirrors(isPage);
    this.#yield = new PatternYield(settings);
    this.#sections = new Sections(settings.sectionPages);
    this.#recent = new RecentPages(settings.staleBits);
  }

  /**
   * Returns the page that a document nearly repeats, by title and text.
   * @param canonical - the fetched page that the document names as its original, and whether it is on the same site.
   * For pages of the same site the claim counts if the texts are alike; for other sites it is ignored.
   * @param isCurrent - returns false for pages whose content has changed since; they have no copies
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

  /** Returns the fingerprint of a page; `undefined` if it was forgotten. */
  printOf(page: number): Fingerprint | undefined {
    return this.#met.print(page);
  }

  /** Records that a new page was fetched. */
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
    const isNew = this.#hasNews(page);
    this.#redeem(origin.from, { isNew, isRelevant });
    if (!isNew) this.#barren.set(hash53(finalUrl), 'stored');
    // A truncated page used up every try, and a web of truncated pages has no end either.
    if (isNew && page.status !== PART_STATUS) this.#yield.fresh(finalUrl);
    else this.#waste(page, host, isRelevant && page.status !== PART_STATUS);
  }

  /** Records that a URL returned a copy, or a near-copy, of a page. */
  duplicate({ url, origin }: GuardedVisit, host: string, page: number): void {
    if (!this.#settings.enabled) return;
    this.#plainHost = '';
    const before = this.#met.url(page);
    this.#mirrors.fetched(host);
    if (before !== undefined) this.#farMirrors.same(url, { page, before }, (any) => this.#mirrors.fetchedOf(any));
    if (!isChosenBySite(origin, host)) return;
    this.#noteHost({ origin }, host);
    // A page of another site is not the original just because it was fetched first.
    if (before === undefined || ownerOf(hostOf(before as CanonicalUrl)) !== ownerOf(host)) return;
    if (this.#mirrors.same(url, before)) this.#changed.add(host);
    const { explained, isNew } = this.#rules.same(url, page, before);
    if (isNew) this.#changed.add(host);
    if (this.#yield.wasted(url, false, explained ? NARROW : undefined)) this.#suspect(host);
  }

  /** Mirrors in other domains that were found and are not noted yet. */
  get unnotedMirrors(): readonly FarMirror[] {
    return this.#farMirrors.unnoted;
  }

  /**
   * Notes a mirror.
   * @param isLeft true if its pages lead nowhere from now on, and links to it from other hosts wait below all others
   */
  noteMirror({ host }: FarMirror, isLeft: boolean): void {
    this.#farMirrors.note(host, isLeft);
    if (isLeft) this.#changed.add(host);
    this.#plainHost = '';
  }

  /** True if the links of a host's pages are not followed, because it repeats a host of another shard. */
  isMirror(host: string): boolean {
    return this.#settings.enabled && this.#farMirrors.isLeft(host);
  }

  /** Records a fetch that returned no page. */
  visit(record: GuardedVisit & Pick<VisitRecord, 'result' | 'reason' | 'status' | 'retried'>, host: string): void {
    if (!this.#settings.enabled) return;
    const isUnstored = record.result === 'noindex';
    if (!isUnstored && !isWasted(record)) return;
    this.#plainHost = '';
    if (isUnstored) this.#noteHost(record, host);
    // The content is not stored, so it cannot be compared. The page counts as wasted until one of its links proves
    // useful.
    if (isUnstored) this.#barren.set(hash53(record.url), 'unstored');
    this.#waste({ finalUrl: record.url, origin: record.origin }, host);
  }

  /** Records a redirect chain that does not end. */
  endlessRedirect(url: CanonicalUrl, origin: Pick<PageRecord['origin'], 'from'>): void {
    this.#plainHost = '';
    if (this.#settings.enabled) this.#waste({ finalUrl: url, origin }, hostOf(url));
  }

  /** Returns true if a redirect to `target` repeats its pattern once too often. */
  isEndlessRedirect(redirects: readonly string[], target: CanonicalUrl): boolean {
    const { enabled, similarRedirects } = this.#settings;
    if (!enabled || redirects.length < similarRedirects) return false;
    const { template } = patternsOf(target);
    return redirects.filter((url) => patternsOf(url).template === template).length >= similarRedirects;
  }

  /** Records the links of a page of `host`: other sites vouch for a site by linking to it. */
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

  /** Returns the factor on the priority of a link, in (0,1]: less than 1 if its section has reached its limit. */
  weight(url: string, host: string): number {
    return this.#settings.enabled ? this.#sections.weight(url, host) : 1;
  }

  /** Returns sections that reached their limit, lowest weight first. */
  held(limit: number): readonly HeldPart[] {
    return this.#settings.enabled ? this.#sections.held(limit) : [];
  }

  /** Returns the sections whose links changed their weight since the last call. */
  takeSectionChanges(): readonly SectionChange[] {
    return this.#sections.takeChanges();
  }

  /** Decides how a link is treated. */
  standing(url: string, host: string): TrapStanding {
    if (!this.#settings.enabled) return 'free';
    const shape = shapeStanding(url, this.#settings);
    if (shape === 'barred' || this.#isPlain(host)) return shape;
    const crowd = this.#crowds.standing(host);
    if (crowd === 'barred') return crowd;
    const isSuspect = this.#suspects.peek(host) === true;
    const earned = isSuspect ? this.#yield.standing(url) : 'free';
    if (earned === 'barred') return earned;
    if (shape === 'doubtful' || crowd === 'doubtful' || earned === 'doubtful') return 'doubtful';
    if (this.#farMirrors.isLeft(host)) return 'doubtful';
    return isSuspect && this.#sections.isDoubtful(url) ? 'doubtful' : 'free';
  }

  /** Returns the setting that bars a link. */
  barredBy(
    url: string,
    host: string,
  ): `traps.${'maxPathDepth' | 'maxSegmentRepeats' | 'hostsPerDomain' | 'wastedFetches'}` {
    const shape = barredShape(url, this.#settings);
    if (shape !== undefined) return `traps.${shape}`;
    return this.#crowds.standing(host) === 'barred' ? 'traps.hostsPerDomain' : 'traps.wastedFetches';
  }

  /**
   * Returns true if this URL is the one to follow among the URLs of one page, according to the rules learned for its
   * host. The first URL that asks wins.
   */
  claim(url: string, host: string): boolean {
    return !this.#settings.enabled || this.#isPlain(host) || this.#rules.claim(url, host);
  }

  /** Returns the same URL on the original host, if this host is a mirror. */
  originalOf(url: string, host: string): string | undefined {
    if (!this.#settings.enabled || this.#isPlain(host)) return undefined;
    return this.#mirrors.originalOf(url, host);
  }

  /** Returns the hosts and domains for which some links got a worse standing since the last call. */
  takeChanged(): { readonly hosts: readonly string[]; readonly domains: readonly string[] } {
    const domains = this.#crowds.takeChanged();
    if (this.#changed.size === 0 && domains.length === 0) return UNCHANGED;
    const hosts = [...this.#changed];
    this.#changed = new Set();
    return { hosts, domains };
  }

  /**
   * Returns true if nothing is known against the host. Most links of a page lead to one host, so the last answer is
   * cached.
   */
  #isPlain(host: string): boolean {
    if (host === this.#plainHost) return this.#isPlainHost;
    this.#plainHost = host;
    this.#isPlainHost =
      !this.#suspects.peek(host) &&
      !this.#rules.has(host) &&
      this.#mirrors.mirrored(host) === undefined &&
      !this.#farMirrors.isLeft(host) &&
      this.#crowds.standing(host) === 'free';
    return this.#isPlainHost;
  }

  /** Counts a wasted fetch. Ignores links from other sites: they prove nothing about the URLs of this site. */
  #waste({ finalUrl, origin }: Pick<GuardedPage, 'finalUrl' | 'origin'>, host: string, isAccepted = false): void {
    if (isChosenBySite(origin, host) && this.#yield.wasted(finalUrl, isAccepted)) this.#suspect(host);
  }

  /** Forgives a page without news that led to some, or, if its own content is unknown, to a relevant page. */
  #redeem(url: string, { isNew, isRelevant }: { readonly isNew: boolean; readonly isRelevant: boolean }): void {
    const key = hash53(url);
    const barren = this.#barren.peek(key);
    if (barren === undefined || !(isNew || (isRelevant && barren === 'unstored'))) return;
    this.#barren.delete(key);
    this.#yield.redeemed(url);
  }

  #suspect(host: string): void {
    this.#suspects.set(host, true);
    this.#changed.add(host);
  }

  /**
   * Returns true if the page says something that no earlier page of its site did, and does not repeat a recent page,
   * title and all. Only a page without text is judged by its title and URL. A short page needs news in half of its
   * text.
   */
  #hasNews(page: GuardedPage): boolean {
    const bringsWords = this.#noteSection(page);
    const repeats = this.#recent.note(page.host, page.document);
    const { statements, title } = page.document;
    if (statements === undefined || statements.length === 0) return bringsWords || !repeats;
    const fresh = this.#said.note(hash32(ownerOf(page.host)), statements);
    return !repeats && fresh >= Math.min(NEWS + titleWords(title).length, countStatements(statements) / 2);
  }

  /** @returns true if the title or URL has words that are new in their section */
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
    if (isChosenBySite(origin, host)) this.#crowds.note(host, isRelevant === true ? document?.title : undefined);
  }

  exchange(fields: Fields): void {
    this.#near.exchange(fields);
    this.#yield.exchange(fields);
    this.#rules.exchange(fields);
    this.#mirrors.exchange(fields);
    this.#farMirrors.exchange(fields);
    this.#sections.exchange(fields);
    this.#met.exchange(fields);
    this.#recent.exchange(fields);
    this.#said.exchange(fields);
    this.#barren.exchange(fields);
    this.#suspects.exchange(fields);
    this.#crowds.exchange(fields);
    fields.set(this.#changed);
    this.#plainHost = fields.value(this.#plainHost);
    this.#isPlainHost = fields.value(this.#isPlainHost);
  }
}

const UNCHANGED = { hosts: [], domains: [] } as const;

/** Returns true if the URL was found on its own site, or was named by the user. */
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
