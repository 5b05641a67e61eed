import { crc32 } from 'node:zlib';
import { type FetchOutcome, hostOf, registeredDomain, siteOfUrl } from '../../core/index.ts';

/** RFC 6585 §6: the network wants a login, says whoever intercepts the request. */
const NETWORK_LOGIN = 511;

/** What many sites have in common that a network answers for: one target, one page, one wrong certificate or address. */
type Sign = string;

/**
 * Sees that answers come from the network and not from those who were asked: a hotel's Wi-Fi that wants a login leads every request to
 * one host, or gives one page to all, or breaks into connections that are to be safe.
 */
export class Forgery {
  readonly #sites: number;
  /** Sites by what they have in common, since the last answer that had nothing to do with any other. */
  readonly #strange = new Map<Sign, Set<string>>();
  #last: (Pick<FetchOutcome, 'url'> & { readonly sign: Sign }) | undefined;

  /** @param sites so many with one sign rouse doubt */
  constructor(sites: number) {
    this.#sites = sites;
  }

  /** Takes an outcome in. True: it is one of several that rouse doubt. */
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

  /** Whether what a site that answered before says now is what the others say, or nothing. */
  isForged(outcome: FetchOutcome): boolean {
    const sign = signOf(outcome);
    return (sign !== undefined && this.#strange.has(sign)) || (outcome.kind === 'failed' && outcome.status === 0);
  }

  /** Many were led to its host: that it answers says nothing. */
  isAccused({ url }: Pick<FetchOutcome, 'url'>): boolean {
    return this.#strange.size > 0 && this.#strange.has(leadsTo(hostOf(url)));
  }

  forget(): void {
    this.#strange.clear();
  }
}

/** `undefined`: an answer of the site's own, or none. */
function signOf(outcome: FetchOutcome): Sign | undefined {
  switch (outcome.kind) {
    case 'redirected': {
      const target = hostOf(outcome.target);
      return registeredDomain(target) === siteOfUrl(outcome.url) ? undefined : leadsTo(target);
    }
    case 'fetched':
      // Where pages are alike by accident nothing follows but a question.
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
