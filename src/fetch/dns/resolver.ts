import { promises as dns } from 'node:dns';
import { LruMap } from '../../kit/index.ts';
import { type Answer, codeOf, type Resolution, resolved, unresolved } from './dns-answer.ts';
import { DnsChannels } from './dns-channels.ts';
import { inquire } from './inquiry.ts';

export type { Resolution } from './dns-answer.ts';

/** The slice of `network` that names need. */
export interface ResolverSettings {
  /** `address` or `address:port`; empty = the system's own way, /etc/hosts included. */
  readonly dnsServers: readonly string[];
  /** After this long without an answer the next server is asked as well, and the first still listened to. > 0 */
  readonly dnsTimeoutMs: number;
  readonly dnsCacheSize: number;
  readonly dnsTtlMaxMs: number;
}

/** What a resolver takes from outside; tests pass their own. */
export interface ResolverPorts {
  /** For the age of answers, in ms from any beginning: never goes back. Default: the steady clock. */
  readonly now: () => number;
  /** The system's way to resolve: all addresses of a name, or a rejection with a `code`. */
  readonly lookup: (name: string) => Promise<readonly string[]>;
  /** The addresses of a name that are worth their memory. Default: all. */
  readonly kept: (addresses: readonly string[]) => readonly string[];
}

interface CachedAnswer {
  readonly resolution: Resolution;
  readonly expiresAt: number;
}

/** The system's resolver tells no TTL. */
const SYSTEM_TTL_MS = 300_000;

/**
 * Resolves names with a cache (TTL, LRU bound, negative answers too); askers of one name share one question. With
 * several servers the one that answered last is asked first, the next one when it is silent for `dnsTimeoutMs` or has
 * no usable answer; see {@link inquire} (BINGO! §4.2).
 */
export class Resolver {
  readonly #settings: ResolverSettings;
  readonly #ports: ResolverPorts;
  readonly #channels = new DnsChannels();
  #cache: LruMap<string, CachedAnswer>;
  #inFlight = new Map<string, Promise<Resolution>>();
  #preferred = 0;

  /** @throws TypeError for a server that is no address */
  constructor(settings: ResolverSettings, ports: Partial<ResolverPorts> = {}) {
    this.#settings = settings;
    this.#ports = { now: () => performance.now(), lookup: systemLookup, kept: (all) => all, ...ports };
    this.#cache = new LruMap(settings.dnsCacheSize);
    new dns.Resolver().setServers(settings.dnsServers);
  }

  /** Never rejects. Addresses come IPv4 first, IPv6 behind them. */
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

  /** The first address of a name whose answer is still valid; `undefined` if there is none. */
  known(host: string): string | undefined {
    const cached = this.#cache.peek(nameOf(host));
    if (cached === undefined || cached.expiresAt <= this.#ports.now()) return undefined;
    return cached.resolution.kind === 'resolved' ? cached.resolution.addresses[0] : undefined;
  }

  /** Whether there is an address for a name now, whatever is remembered of it. Never rejects. */
  async isKnown(host: string): Promise<boolean> {
    return (await this.#ask(nameOf(host))).resolution.kind === 'resolved';
  }

  /** Nothing is remembered, nor will be what is asked just now. */
  forget(): void {
    this.#cache = new LruMap(this.#settings.dnsCacheSize);
    this.#inFlight = new Map();
  }

  /** Gives up all questions under way. */
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
