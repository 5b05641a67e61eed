import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';
import { addWords, titleWords } from './sections.ts';
import { siteOf } from './site-of.ts';
import type { TrapStanding } from './url-patterns.ts';

/** Visited hosts of one domain. */
interface Crowd {
  readonly visited: Set<string>;
  /** Hosts with a relevant page whose title was new in the domain. */
  readonly relevant: Set<string>;
  /** Words of titles, as hashes. */
  readonly words: Set<number>;
  /** Standing of hosts that were not visited yet. */
  standing: TrapStanding;
}

/**
 * Maximum number of hosts and title words of all domains together. Domains without a new host for long are forgotten.
 */
const MAX_NOTED = 300_000;
/** Further hosts of a domain are barred beyond this many times the allowance. */
const BARRED_HOSTS = 5;
/** A domain has no limit if this share of its hosts had a relevant page. Our choice. */
const RELEVANT_HOSTS = 0.4;

/** Visited hosts by registered domain. Detects domains with countless hosts. */
export class HostCrowds {
  readonly #hostsPerDomain: number;
  readonly #domains = new LruMap<string, Crowd>(MAX_NOTED, ({ visited, words }) => visited.size + words.size);
  #changed = new Set<string>();

  /** @param hostsPerDomain - hosts after which further ones of the domain are deferred; 0 = no limit */
  constructor(hostsPerDomain: number) {
    this.#hostsPerDomain = hostsPerDomain;
  }

  /** Records a visit. `title` is that of a relevant page; missing for other visits. */
  note(host: string, title: string | undefined): void {
    const domain = siteOf(host);
    if (domain === undefined) return;
    let crowd = this.#domains.get(domain);
    if (crowd === undefined) {
      crowd = { visited: new Set(), relevant: new Set(), words: new Set(), standing: 'free' };
      this.#domains.set(ownCopy(domain), crowd);
    }
    const { visited, relevant, words } = crowd;
    const noted = visited.size + words.size;
    if (visited.size < this.#hostsPerDomain * BARRED_HOSTS && !visited.has(host)) visited.add(ownCopy(host));
    const isRelevantHost = title !== undefined && visited.has(host) && !relevant.has(host);
    if (isRelevantHost && addWords(words, titleWords(title))) relevant.add(ownCopy(host));
    this.#domains.grew(visited.size + words.size - noted);
    const before = crowd.standing;
    crowd.standing = this.#standingOf(crowd);
    if (crowd.standing !== before && crowd.standing !== 'free') this.#changed.add(domain);
  }

  /** Returns the standing of an unvisited host of a domain with many visited hosts. */
  standing(host: string): TrapStanding {
    const domain = this.#hostsPerDomain > 0 ? siteOf(host) : undefined;
    const crowd = domain === undefined ? undefined : this.#domains.get(domain);
    return crowd === undefined || crowd.visited.has(host) ? 'free' : crowd.standing;
  }

  /** Returns the domains whose unvisited hosts got a worse standing since the last call. */
  takeChanged(): readonly string[] {
    const changed = [...this.#changed];
    if (changed.length > 0) this.#changed = new Set();
    return changed;
  }

  #standingOf({ visited, relevant }: Crowd): TrapStanding {
    if (this.#hostsPerDomain === 0 || visited.size < this.#hostsPerDomain) return 'free';
    if (relevant.size >= RELEVANT_HOSTS * visited.size) return 'free';
    return visited.size >= this.#hostsPerDomain * BARRED_HOSTS ? 'barred' : 'doubtful';
  }

  exchange(fields: Fields): void {
    this.#domains.exchange(fields);
    fields.set(this.#changed);
  }
}
