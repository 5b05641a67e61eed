import { type CanonicalUrl, type Config, hostOf, type Link } from '../../core/index.ts';
import { type HostClocks, registeredDomain, type TrapGuard } from '../../crawl/index.ts';
import type { Budgets } from './budgets.ts';
import type { SeenUrls } from './seen.ts';

/** What the gate asks of the crawl. */
export interface LinkGatePorts {
  readonly limits: Pick<Config['crawl'], 'maxUrlChars' | 'maxHostChars' | 'maxPagesPerSite'>;
  readonly seen: SeenUrls;
  readonly hosts: HostClocks;
  readonly budgets: Budgets;
  readonly guard: TrapGuard;
  readonly isUnderWay: (url: CanonicalUrl) => boolean;
  /** It waits in the frontier. */
  readonly isWaiting: (url: CanonicalUrl) => boolean;
}

/** A link that may enter the frontier. */
export interface AdmittedLink {
  readonly url: CanonicalUrl;
  readonly host: string;
  readonly link: Link;
  /** It promises only copies and errors. */
  readonly doubtful: boolean;
}

/** Decides which links may enter the frontier at all, whatever the page that names them is worth. */
export class LinkGate {
  readonly #ports: LinkGatePorts;
  #lockedHosts: readonly string[];

  constructor(ports: LinkGatePorts, lockedHosts: readonly string[]) {
    this.#ports = ports;
    this.#lockedHosts = lockedHosts;
  }

  /** From now on these hosts are locked, and no others. */
  lock(hosts: readonly string[]): void {
    this.#lockedHosts = hosts;
  }

  /** True for locked hosts and those below them; one that is locked with a port is so on that port alone. */
  isLocked(host: string): boolean {
    if (this.#lockedHosts.length === 0) return false;
    const name = nameOf(host);
    return this.#lockedHosts.some((lock) => name === lock || host === lock || name.endsWith(`.${lock}`));
  }

  /** It is fetched already, or under way. */
  isTaken(url: CanonicalUrl): boolean {
    return this.#ports.seen.has(url) || this.#ports.isUnderWay(url);
  }

  /** The crawl has heard of it: it is taken, or waits. */
  isKnown(url: CanonicalUrl): boolean {
    return this.isTaken(url) || this.#ports.isWaiting(url);
  }

  /** True where limits, locks and hosts allow the URL. */
  isAdmissible(url: string, host: string): boolean {
    const { limits, hosts, budgets } = this.#ports;
    if (url.length > limits.maxUrlChars) return false;
    if (host.length > limits.maxHostChars && nameOf(host).length > limits.maxHostChars) return false;
    if (this.isLocked(host) || hosts.isBad(host)) return false;
    return limits.maxPagesPerSite === 0 || !budgets.isSiteSpent(registeredDomain(host));
  }

  /** Another address of a page that was fetched or waits, by what is known of its host. */
  isRepeat(url: CanonicalUrl, host: string): boolean {
    const { guard, seen, isWaiting } = this.#ports;
    const original = guard.originalOf(url, host) as CanonicalUrl | undefined;
    if (original !== undefined && (seen.has(original) || isWaiting(original))) return true;
    return !guard.claim(url, host);
  }

  /** Those of a page's links that may enter. */
  admitted(links: readonly Link[]): AdmittedLink[] {
    const admitted: AdmittedLink[] = [];
    for (const link of links) {
      const url = link.url as CanonicalUrl;
      if (this.isTaken(url)) continue;
      const host = hostOf(url);
      if (!this.isAdmissible(url, host)) continue;
      const standing = this.#ports.guard.standing(url, host);
      if (standing === 'barred' || this.isRepeat(url, host)) continue;
      admitted.push({ url, host, link, doubtful: standing === 'doubtful' });
    }
    return admitted;
  }
}

/** A host without its port. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '');
}
