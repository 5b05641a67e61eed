import { promises as dns } from 'node:dns';
import { LruMap } from '../../kit/index.ts';
import { type Answer, codeOf, type Resolution, resolved, unresolved } from './dns-answer.ts';
import { DnsChannels } from './dns-channels.ts';
import { inquire } from './dns-query.ts';

export type { Resolution } from './dns-answer.ts';

/** The part of `network` that name lookups need. */
export interface ResolverSettings {
  /** `address` or `address:port`; empty = the system's resolver, including /etc/hosts. */
  readonly dnsServers: readonly string[];
  /** After this long without an answer, the next server is queried too; the first one may still answer. > 0 */
  readonly dnsTimeoutMs: number;
  readonly dnsCacheSize: number;
  readonly dnsTtlMaxMs: number;
}

/** External functions used by a resolver; tests pass their own. */
export interface ResolverPorts {
  /** Clock for the age of answers, in ms from an arbitrary start; never goes back. Default: the steady clock. */
  readonly now: () => number;
  /** The system's resolver: returns all addresses of a name, or rejects with a `code`. */
  readonly lookup: (name: string) => Promise<readonly string[]>;
  /** Selects the addresses of a name to store. Default: all. */
  readonly kept: (addresses: readonly string[]) => readonly string[];
}

interface CachedAnswer {
  readonly resolution: Resolution;
  readonly expiresAt: number;
}

/** The system's resolver does not report a TTL. */
const SYSTEM_TTL_MS = 300_000;

/**
 * Resolves names with a cache (TTL, LRU bound, also for negative answers). Concurrent lookups of one name share one
 * query. With several servers, the one that answered last is queried first. The next one is queried if it is silent
 * for `dnsTimeoutMs` or has no usable answer; see {@link inquire} (BINGO! §4.2).
 */
export class Resolver {
  readonly #settings: ResolverSettings;
  readonly #ports: ResolverPorts;
  readonly #channels = new DnsChannels();
  #cache: LruMap<string, CachedAnswer>;
  #inFlight = new Map<string, Promise<Resolution>>();
  #preferred = 0;

  /** @throws TypeError if a server is not an address */
  constructor(settings: ResolverSettings, ports: Partial<ResolverPorts> = {}) {
    this.#settings = settings;
    this.#ports = { now: () => performance.now(), lookup: systemLookup, kept: (all) => all, ...ports };
    this.#cache = new LruMap(settings.dnsCacheSize);
    new dns.Resolver().setServers(settings.dnsServers);
  }

  /** Never rejects. IPv4 addresses are first, then IPv6 addresses. */
  resolve(host: string): Promise<Resolution> {
    const name = nameOf(host);
    const cached = this.#cache.get(name);
    if (cached !== undefined && cached.expiresAt > this.#ports.now()) return Promise.resolve(cached.resolution);
    const inFlight = this.#inFlight;
    const asked = inFlight.get(name);
    if (asked !== undefined) return asked;
    const asking = this.#askAndKeep(name).finally(() => inFlight.delete(name));
    inFlight.set(name, asking);
    return asking;
  }

  /** Returns the first cached address of a name; `undefined` if the cache has no valid answer. */
  known(host: string): string | undefined {
    const cached = this.#cache.peek(nameOf(host));
    if (cached === undefined || cached.expiresAt <= this.#ports.now()) return undefined;
    return cached.resolution.kind === 'resolved' ? cached.resolution.addresses[0] : undefined;
  }

  /** Returns whether a name has an address now, ignoring the cache. Never rejects. */
  async isKnown(host: string): Promise<boolean> {
    return (await this.#ask(nameOf(host))).resolution.kind === 'resolved';
  }

  /** Clears the cache. Answers to pending lookups are not cached either. */
  forget(): void {
    this.#cache = new LruMap(this.#settings.dnsCacheSize);
    this.#inFlight = new Map();
  }

  /** Cancels all pending lookups. */
  close(): void {
    this.#channels.close();
  }

  #ask(name: string): Promise<Answer> {
    return this.#settings.dnsServers.length === 0 ? this.#askSystem(name) : this.#askServers(name);
  }

  async #askAndKeep(name: string): Promise<Resolution> {
    const cache = this.#cache;
    const { resolution: whole, ttlMs } = await this.#ask(name);
    const resolution: Resolution =
      whole.kind === 'resolved' ? { ...whole, addresses: this.#ports.kept(whole.addresses) } : whole;
    const livesMs = Math.min(this.#settings.dnsTtlMaxMs, ttlMs);
    cache.set(name, { resolution, expiresAt: this.#ports.now() + livesMs });
    return resolution;
  }

  async #askSystem(name: string): Promise<Answer> {
    try {
      const addresses = await this.#ports.lookup(name);
      return addresses.length > 0 ? resolved(addresses, SYSTEM_TTL_MS) : unresolved('ENODATA');
    } catch (error) {
      return unresolved(codeOf(error));
    }
  }

  async #askServers(name: string): Promise<Answer> {
    const { dnsServers: servers, dnsTimeoutMs: timeoutMs } = this.#settings;
    const { answer, server } = await inquire(name, {
      ...{ servers, timeoutMs, first: this.#preferred, channels: this.#channels },
    });
    if (server >= 0) this.#preferred = server;
    return answer;
  }
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await dns.lookup(name, { all: true, order: 'ipv4first' });
  return found.map(({ address }) => address);
}
