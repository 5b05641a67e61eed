import { promises as dns } from 'node:dns';
import { LruMap } from './lru.ts';

/** What a name stands for. Failures are values: names that do not exist are everyday matters. */
export type Resolution =
  | { readonly kind: 'resolved'; readonly addresses: readonly string[] }
  /** `temporary`: no server gave an answer; else the name does not exist or has no address. */
  | { readonly kind: 'unresolved'; readonly temporary: boolean; readonly code: string };

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
}

interface Answer {
  readonly resolution: Resolution;
  readonly ttlMs: number;
}

interface CachedAnswer {
  readonly resolution: Resolution;
  readonly expiresAt: number;
}

/** Shorter TTLs are stretched to this: politeness to name servers. Rebinding is met by dialling what was checked. */
const MIN_TTL_MS = 10_000;
/** The system's resolver tells no TTL. */
const SYSTEM_TTL_MS = 300_000;
/** Negative answers (RFC 2308 lets them live longer), and silence or SERVFAIL, which may pass soon. */
const NEGATIVE_TTL_MS = 60_000;
const TROUBLE_TTL_MS = 5_000;
/** Each server is asked this often before a name is given up for now. */
const ROUNDS = 2;
/** Codes by which a server says for certain that there is no such name, or no address. */
const DEFINITE: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Resolves names with a cache (TTL, LRU bound, negative answers too); askers of one name share one question. With
 * several servers the one that answered last is asked first, the next one when it is silent for `dnsTimeoutMs` or has
 * no usable answer; the first definite answer wins (BINGO! §4.2).
 */
export class Resolver {
  readonly #settings: ResolverSettings;
  readonly #ports: ResolverPorts;
  readonly #open = new Set<dns.Resolver>();
  readonly #cache: LruMap<string, CachedAnswer>;
  readonly #inFlight = new Map<string, Promise<Resolution>>();
  #preferred = 0;

  /** @throws TypeError for a server that is no address */
  constructor(settings: ResolverSettings, ports: Partial<ResolverPorts> = {}) {
    this.#settings = settings;
    this.#ports = { now: () => performance.now(), lookup: systemLookup, ...ports };
    this.#cache = new LruMap(settings.dnsCacheSize);
    new dns.Resolver().setServers(settings.dnsServers);
  }

  /** Never rejects. Addresses come IPv4 first; IPv6 is asked for when there is no IPv4. */
  resolve(host: string): Promise<Resolution> {
    const name = host.toLowerCase().replace(/\.$/, '');
    const cached = this.#cache.get(name);
    if (cached !== undefined && cached.expiresAt > this.#ports.now()) return Promise.resolve(cached.resolution);
    const asked = this.#inFlight.get(name);
    if (asked !== undefined) return asked;
    const asking = this.#ask(name).finally(() => this.#inFlight.delete(name));
    this.#inFlight.set(name, asking);
    return asking;
  }

  /** Gives up all questions under way. */
  close(): void {
    for (const question of this.#open) question.cancel();
  }

  async #ask(name: string): Promise<Resolution> {
    const { resolution, ttlMs } =
      this.#settings.dnsServers.length === 0 ? await this.#askSystem(name) : await this.#askServers(name);
    const livesMs = Math.min(this.#settings.dnsTtlMaxMs, ttlMs);
    this.#cache.set(name, { resolution, expiresAt: this.#ports.now() + livesMs });
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

  /** Resolves with the first definite answer, or with the last trouble when every try failed. */
  #askServers(name: string): Promise<Answer> {
    const { dnsServers, dnsTimeoutMs } = this.#settings;
    const tries = dnsServers.length * ROUNDS;
    const first = this.#preferred;
    const questions: dns.Resolver[] = [];
    return new Promise((settle) => {
      let failed = 0;
      let timer: NodeJS.Timeout | undefined;
      const finish = (answer: Answer): void => {
        clearTimeout(timer);
        settle(answer);
        for (const question of questions) question.cancel();
      };
      const askNext = (): void => {
        clearTimeout(timer);
        const nth = questions.length;
        if (nth === tries) return;
        const index = (first + nth) % dnsServers.length;
        // Whoever is slow may answer until the last one's time is over.
        const question = this.#question(dnsServers[index]!, (tries - nth) * dnsTimeoutMs);
        questions.push(question);
        if (nth + 1 < tries) timer = setTimeout(askNext, dnsTimeoutMs);
        void ask(question, name).then((answer) => {
          this.#open.delete(question);
          if (answer.resolution.kind === 'resolved' || !answer.resolution.temporary) {
            this.#preferred = index;
            finish(answer);
          } else if (++failed === tries || answer.resolution.code === 'ECANCELLED') {
            finish(answer);
          } else if (failed === questions.length) {
            askNext();
          }
        });
      };
      askNext();
    });
  }

  /**
   * One for each question. A resolver that has had quick answers waits for the next one a second at the most, whatever its
   * `timeout`; names far away take longer.
   */
  #question(server: string, timeout: number): dns.Resolver {
    const question = new dns.Resolver({ timeout, tries: 1 });
    question.setServers([server]);
    this.#open.add(question);
    return question;
  }
}

async function ask(question: dns.Resolver, name: string): Promise<Answer> {
  try {
    return fromRecords(await question.resolve4(name, { ttl: true }));
  } catch (error) {
    if (codeOf(error) !== 'ENODATA') return unresolved(codeOf(error));
  }
  try {
    return fromRecords(await question.resolve6(name, { ttl: true }));
  } catch (error) {
    return unresolved(codeOf(error));
  }
}

function fromRecords(records: readonly { readonly address: string; readonly ttl: number }[]): Answer {
  if (records.length === 0) return unresolved('ENODATA');
  const ttlSeconds = records.reduce((least, record) => Math.min(least, record.ttl), Number.POSITIVE_INFINITY);
  return resolved(
    records.map((record) => record.address),
    Math.max(MIN_TTL_MS, ttlSeconds * 1000),
  );
}

function resolved(addresses: readonly string[], ttlMs: number): Answer {
  return { resolution: { kind: 'resolved', addresses }, ttlMs };
}

function unresolved(code: string): Answer {
  const temporary = !DEFINITE.has(code);
  return { resolution: { kind: 'unresolved', temporary, code }, ttlMs: temporary ? TROUBLE_TTL_MS : NEGATIVE_TTL_MS };
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'EUNKNOWN';
}

async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await dns.lookup(name, { all: true, order: 'ipv4first' });
  return found.map(({ address }) => address);
}
