import {
  type CanonicalUrl,
  type Config,
  canonicalize,
  hostOf,
  type LeftOutRule,
  type Link,
  registeredDomain,
  sitesOf,
  withoutPort,
} from '../../core/index.ts';
import {
  describeKeptOut,
  type FrontierEntry,
  type HostClocks,
  type KeptOut,
  type TrapGuard,
  type UrlRules,
} from '../../crawl/index.ts';
import { count, counted } from '../../kit/index.ts';
import type { SiteMarks } from '../training/site-marks.ts';
import type { Budgets } from './budgets.ts';
import type { LeftOutLinks } from './excluded-links.ts';
import type { OtherShards } from './other-shards.ts';
import type { SeenUrls } from './seen-urls.ts';

/** What the gate needs from the crawl. */
export interface LinkGatePorts {
  readonly limits: Pick<Config['crawl'], 'maxUrlChars' | 'maxHostChars' | 'maxPagesPerSite'>;
  readonly seen: SeenUrls;
  readonly hosts: HostClocks;
  readonly rules: UrlRules;
  /** True if bingo.yaml names the address: no address rule excludes it. */
  readonly isNamed: (url: CanonicalUrl) => boolean;
  readonly budgets: Budgets;
  readonly guard: TrapGuard;
  /** Receives links that may not enter. */
  readonly leftOut: LeftOutLinks;
  /** Links to other shards may not enter. */
  readonly others: Pick<OtherShards, 'isForeign'>;
  readonly isAsked: (url: CanonicalUrl) => boolean;
  /** True if the URL waits in the frontier. */
  readonly isWaiting: (url: CanonicalUrl) => boolean;
}

/** A link that may enter the frontier. */
export interface AdmittedLink {
  readonly url: CanonicalUrl;
  readonly host: string;
  readonly link: Link;
  /** True if the link promises only copies and errors. */
  readonly doubtful: boolean;
}

/** Decides which links may enter the frontier at all, whatever their page is worth. */
export class LinkGate {
  readonly #ports: LinkGatePorts;
  #locked: ReadonlySet<string>;
  #sites: SiteMarks | undefined;

  constructor(ports: LinkGatePorts, lockedHosts: readonly string[]) {
    this.#ports = ports;
    this.#locked = new Set(lockedHosts);
  }

  /** Locks these hosts and unlocks all others. */
  lock(hosts: readonly string[]): void {
    this.#locked = new Set(hosts);
  }

  /** Sets the user's site marks. Links to bad sites may wait but are not fetched. */
  mark(sites: SiteMarks): void {
    this.#sites = sites;
  }

  /** True if the user marked the host's site bad. */
  isOnBadSite(host: string): boolean {
    return this.#sites?.markOf(host) === 'bad-site';
  }

  /** True for locked hosts and their subdomains. A host locked with a port is locked on that port only. */
  isLocked(host: string): boolean {
    if (this.#locked.size === 0) return false;
    for (const site of sitesOf(host)) if (this.#locked.has(site)) return true;
    return false;
  }

  /** True if nothing may be requested from the host: it is locked, or the user marked its site bad. */
  isLeftAlone(host: string): boolean {
    return this.isOnBadSite(host) || this.isLocked(host);
  }

  /** True if the URL is fetched or about to be. */
  isTaken(url: CanonicalUrl): boolean {
    return this.#ports.seen.has(url) || this.#ports.isAsked(url);
  }

  /** True if the crawl knows the URL: it is taken or waits. */
  isKnown(url: CanonicalUrl): boolean {
    return this.isTaken(url) || this.#ports.isWaiting(url);
  }

  /**
   * Returns why the user's rules exclude an entry, if they do. Sitemaps of a site may be read outside the included
   * addresses.
   */
  keptOut({ url, via }: Pick<FrontierEntry, 'url'> & { readonly via?: FrontierEntry['via'] }): KeptOut | undefined {
    const { rules, isNamed } = this.#ports;
    const kept = rules.against(url);
    if (kept === undefined || isNamed(url)) return undefined;
    return via === 'sitemap' && kept.setting === 'crawl.include' ? undefined : kept;
  }

  /** True if the entry may not wait: it is locked, or the user's rules exclude it. */
  isBarred(entry: Pick<FrontierEntry, 'url' | 'host' | 'via'>): boolean {
    return this.isLocked(entry.host) || this.keptOut(entry) !== undefined;
  }

  /**
   * Returns why a redirect may not lead there, as the end of a sentence; '' if it may. Counts the address as left out
   * if an address rule excludes it.
   */
  whyNotTo(url: CanonicalUrl, host: string): string {
    const kept = this.keptOut({ url });
    if (kept === undefined) return this.isAdmissible(url, host) ? '' : this.#whyInadmissible(url, host);
    this.#ports.leftOut.note(url, kept.setting);
    return `${url}: ${describeKeptOut(kept)}`;
  }

  /**
   * Returns why the user excluded the whole host, as a sentence; '' if not. Rules on paths and those of
   * `crawl.include` are about pages.
   */
  whyShut(url: CanonicalUrl): string {
    const host = hostOf(url);
    if (this.isLocked(host)) return `${host} is locked (crawl.lockedHosts)`;
    if (this.isOnBadSite(host)) return `the site of ${host} is marked bad`;
    const kept = this.#ports.rules.against(canonicalize('/', url)!);
    const isOfHost = kept?.setting === 'crawl.exclude' && !kept.rule.startsWith('/');
    return isOfHost ? `${host} is excluded (crawl.exclude: "${kept.rule}")` : '';
  }

  /** True if limits, locks, site marks, rules and hosts allow the URL, and no other shard fetches it. */
  isAdmissible(url: CanonicalUrl, host: string): boolean {
    return (
      !this.#ports.others.isForeign(host) &&
      !this.isOnBadSite(host) &&
      this.#ruleAgainst(url, host) === undefined &&
      !this.#isSpent(host)
    );
  }

  #ruleAgainst(url: CanonicalUrl, host: string): LeftOutRule | undefined {
    const { limits, hosts } = this.#ports;
    if (url.length > limits.maxUrlChars) return 'crawl.maxUrlChars';
    if (host.length > limits.maxHostChars && withoutPort(host).length > limits.maxHostChars)
      return 'crawl.maxHostChars';
    if (this.isLocked(host)) return 'crawl.lockedHosts';
    const kept = this.keptOut({ url });
    if (kept !== undefined) return kept.setting;
    return hosts.isBad(host) ? 'bad-host' : undefined;
  }

  #whyInadmissible(url: CanonicalUrl, host: string): string {
    const { maxUrlChars } = this.#ports.limits;
    if (url.length <= maxUrlChars) return `${host}, which may not be fetched`;
    return `an address of ${counted(url.length, 'character')} on ${host} (crawl.maxUrlChars is ${count(maxUrlChars)})`;
  }

  /** True if the site's pages are used up. */
  #isSpent(host: string): boolean {
    const { limits, budgets } = this.#ports;
    return limits.maxPagesPerSite > 0 && budgets.isSiteSpent(registeredDomain(host));
  }

  /**
   * True if the URL is probably another address of a page that was fetched or waits, judged by what is known about
   * its host.
   */
  isRepeat(url: CanonicalUrl, host: string): boolean {
    const { guard, seen, isWaiting } = this.#ports;
    const original = guard.originalOf(url, host) as CanonicalUrl | undefined;
    if (original !== undefined && (seen.has(original) || isWaiting(original))) return true;
    return !guard.claim(url, host);
  }

  /**
   * Returns the links of a page that may enter the frontier, even if only to wait until the user changes a site mark.
   */
  admitted(links: readonly Link[]): AdmittedLink[] {
    const { guard, leftOut } = this.#ports;
    const admitted: AdmittedLink[] = [];
    for (const link of links) {
      const url = link.url as CanonicalUrl;
      if (this.isTaken(url)) continue;
      const host = hostOf(url);
      if (this.#ports.others.isForeign(host)) continue;
      const rule = this.#ruleAgainst(url, host);
      if (rule !== undefined) leftOut.note(url, rule);
      if (rule !== undefined || this.#isSpent(host)) continue;
      const standing = guard.standing(url, host);
      if (standing === 'barred') leftOut.note(url, guard.barredBy(url, host));
      if (standing === 'barred' || this.isRepeat(url, host)) continue;
      leftOut.letIn(url);
      admitted.push({ url, host, link, doubtful: standing === 'doubtful' });
    }
    return admitted;
  }
}
