import { crc32 } from 'node:zlib';
import { type FetchOutcome, hostOf, registeredDomain, siteOfUrl } from '../../core/index.ts';

/** RFC 6585 §6: the intercepting network demands a login. */
const NETWORK_LOGIN = 511;

/**
 * What many sites share if the network answers for them: one redirect target, one page, one invalid certificate or
 * address.
 */
type Sign = string;

/**
 * Detects answers that come from the network instead of the host. A hotel Wi-Fi that requires a login redirects every
 * request to one host, returns one page for all, or intercepts secure connections.
 */
export class Forgery {
  readonly #sites: number;
  /** Sites by shared sign, since the last answer that resembled no other. */
  readonly #strange = new Map<Sign, Set<string>>();
  #last: (Pick<FetchOutcome, 'url'> & { readonly sign: Sign }) | undefined;

  /** @param sites number of sites with one sign that is suspicious */
  constructor(sites: number) {
    this.#sites = sites;
  }

  /** Adds an outcome. Returns true if enough sites share its sign to be suspicious. */
  rousesDoubt(outcome: FetchOutcome): boolean {
    if (this.isAccused(outcome)) return false;
    const sign = signOf(outcome);
    const last = this.#last;
    this.#last = sign === undefined ? undefined : { sign, url: outcome.url };
    if (sign === undefined || (outcome.kind === 'fetched' && last?.sign !== sign)) {
      this.forget();
      return false;
    }
    const sites = this.#strange.get(sign) ?? new Set(last?.sign === sign ? [siteOfUrl(last.url)] : []);
    this.#strange.set(sign, sites.add(siteOfUrl(outcome.url)));
    return sites.size >= this.#sites;
  }

  /** True if a site that answered before now gives the same answer as the others, or none. */
  isForged(outcome: FetchOutcome): boolean {
    const sign = signOf(outcome);
    return (sign !== undefined && this.#strange.has(sign)) || (outcome.kind === 'failed' && outcome.status === 0);
  }

  /** True if many sites were redirected to this host: its own answer then proves nothing. */
  isAccused({ url }: Pick<FetchOutcome, 'url'>): boolean {
    return this.#strange.size > 0 && this.#strange.has(leadsTo(hostOf(url)));
  }

  forget(): void {
    this.#strange.clear();
  }
}

/** Returns `undefined` if there is no answer, or if the answer is the site's own. */
function signOf(outcome: FetchOutcome): Sign | undefined {
  switch (outcome.kind) {
    case 'redirected': {
      const target = hostOf(outcome.target);
      return registeredDomain(target) === siteOfUrl(outcome.url) ? undefined : leadsTo(target);
    }
    case 'fetched':
      // If pages are alike by accident, the only effect is one extra check.
      return `page ${outcome.body.byteLength} ${crc32(outcome.body)}`;
    case 'refused':
      return outcome.reason === 'private-address' ? outcome.reason : undefined;
    case 'failed':
      return outcome.status === NETWORK_LOGIN || outcome.reason === 'tls'
        ? `${outcome.status} ${outcome.reason}`
        : undefined;
    default:
      return undefined;
  }
}

function leadsTo(host: string): Sign {
  return `leads to ${host}`;
}
