import { BingoError, type Config, registeredDomain } from '../core/index.ts';
import { hashedShare } from '../kit/index.ts';
import { SharedPace } from './shared-pace.ts';

/** How many requests hosts and domains bear, and how fast. */
export interface HostLimits
  extends Pick<
    Config['network'],
    'perHost' | 'perDomain' | 'delayMs' | 'backoffMs' | 'backoffMaxMs' | 'backoffJitter' | 'maxCrawlDelayMs'
  > {
  /** Failures in a row that make a host bad. >= 1 */
  readonly maxTries: number;
  /** Least time between two requests to one registered domain and to one address, in ms; never more than `delayMs`. Default: 0. */
  readonly domainDelayMs?: number;
  readonly addressDelayMs?: number;
  /** Parallel requests to one address; 0 = no limit. Default: 0. */
  readonly perAddress?: number;
  /** A host gets its first request alone, because only that shows what delay its robots.txt asks for. Default: false. */
  readonly meetAlone?: boolean;
  /** The address that a host has now; `undefined` if it is not known. Default: no host's is known. */
  readonly addressOf?: (host: string) => string | undefined;
}

/** Whether a host takes a request now, and what must happen when it does not. */
export type Standing =
  | { readonly kind: 'willing' }
  /** Time must pass. `isCrowded`: because of other hosts of its domain or address. */
  | { readonly kind: 'resting'; readonly until: number; readonly isCrowded?: boolean }
  /** A request to this host must end first, or be on its way. */
  | { readonly kind: 'host-full' }
  /** A request to some host of its domain must end first. */
  | { readonly kind: 'domain-full' }
  /** Left alone for the rest of the crawl. */
  | { readonly kind: 'bad' };

/** What came of a request, for its host. `unsent`: nothing was asked of it. */
export type HostResult = 'ok' | 'failed' | 'nameless' | 'unsent';

const WILLING: Standing = { kind: 'willing' };
const HOST_FULL: Standing = { kind: 'host-full' };
const DOMAIN_FULL: Standing = { kind: 'domain-full' };
const BAD: Standing = { kind: 'bad' };

interface HostRecord {
  readonly domain: string;
  /** The address that its requests under way count for, and that it had last; `''` = not known. */
  address: string;
  active: number;
  /** Requests that were announced and whose first exchange is not sent yet. */
  unsent: number;
  /** Requests among those that are not on their way yet. */
  preparing: number;
  /** Start of the last request; its end where the host asks for a delay, which no slow connection may shorten. */
  lastStart: number;
  crawlDelayMs: number;
  /** Failures in a row. */
  failures: number;
  pausedUntil: number;
  /** Asked for a longer pause than we are ready to wait for. */
  asksTooMuch: boolean;
  /** A request to it has ended: what its robots.txt asks for is known. */
  isMet: boolean;
  /** When it was asked for last, its name did not exist. */
  isNameless: boolean;
}

/** Where a host stands, as far as people are told: `nameless` is a name that does not exist, until its links are given up. */
type HostStanding = 'bad' | 'slow' | 'active' | 'nameless';

/** After so long a host of a full address is looked at again. */
const FULL_ADDRESS_MS = 50;

/** Hosts remembered before the first look for those that can be forgotten. */
const FIRST_SWEEP = 1024;

/**
 * Politeness: who may be asked, and when (BINGO! §4.2). Every request is announced by `acquire`, may be said to
 * be `prepared` before it is on its way, and is ended by `release`. After a failure a host is *slow*: it gets a pause, each one twice as long as the last; after `maxTries` failures in a row it is *bad*. A
 * success forgives, and so does a quiet time as long as the longest pause or Crawl-delay. Hosts are counted with their port, domains without.
 */
export class HostClocks {
  readonly #limits: HostLimits;
  readonly #hosts = new Map<string, HostRecord>();
  readonly #domains: SharedPace;
  readonly #addresses: SharedPace;
  #listener: ((host: string, domain: string) => void) | undefined;
  #sweepAt = FIRST_SWEEP;

  constructor(limits: HostLimits) {
    this.#limits = limits;
    const { delayMs, perDomain, perAddress = 0, domainDelayMs = 0, addressDelayMs = 0 } = limits;
    this.#domains = new SharedPace(perDomain, Math.min(delayMs, domainDelayMs));
    this.#addresses = new SharedPace(perAddress, Math.min(delayMs, addressDelayMs));
  }

  isWilling(host: string, now: number): boolean {
    return this.standing(host, now).kind === 'willing';
  }

  /** True: left alone for the rest of the crawl. */
  isBad(host: string): boolean {
    const record = this.#hosts.get(host);
    return record !== undefined && this.#isBad(record);
  }

  /** How long its pause after trouble still lasts, or one that it asked for, in ms; 0 = it has none. */
  pauseLeftMs(host: string, now: number): number {
    return Math.max(0, (this.#hosts.get(host)?.pausedUntil ?? now) - now);
  }

  /** How long the host rests, whatever for, in ms; 0 = it does not. */
  restLeftMs(host: string, now: number): number {
    const record = this.#hosts.get(host);
    return record === undefined ? 0 : Math.max(0, this.#restsUntil(record) - now);
  }

  /**
   * Takes the host's next start, but no place, for a request that nobody announced: another host's robots.txt led there.
   * @returns how long that request has to wait, in ms
   */
  reserve(host: string, now: number): number {
    const record = this.#record(host, now);
    record.lastStart = Math.max(now, this.#restsUntil(record));
    return record.lastStart - now;
  }

  standing(host: string, now: number): Standing {
    const record = this.#hosts.get(host);
    if (record !== undefined && this.#isBad(record)) return BAD;
    const domain = record?.domain ?? registeredDomain(host);
    if (this.#domains.isFull(domain)) return DOMAIN_FULL;
    if (record !== undefined && record.active >= this.#limitOf(record)) return HOST_FULL;
    if (record !== undefined && record.preparing > 0 && this.#delayOf(record) > 0) return HOST_FULL;
    const until = record === undefined ? now : this.#restsUntil(record);
    return until > now ? { kind: 'resting', until } : this.#standingAmong(host, domain, now);
  }

  /** What the other hosts of its domain and its address leave to a host that is willing. */
  #standingAmong(host: string, domain: string, now: number): Standing {
    const address = this.#addressOf(host);
    const isFull = address !== '' && this.#addresses.isFull(address);
    const freeAt = Math.max(this.#domains.freeAt(domain), address === '' ? 0 : this.#addresses.freeAt(address));
    const until = isFull ? Math.max(freeAt, now + FULL_ADDRESS_MS) : freeAt;
    return until > now ? { kind: 'resting', until, isCrowded: true } : WILLING;
  }

  /** Earliest time at which the host may be willing when no request begins or ends; Infinity when only that can help. */
  nextWillingAt(host: string, now: number): number {
    const standing = this.standing(host, now);
    if (standing.kind === 'willing') return now;
    return standing.kind === 'resting' ? standing.until : Number.POSITIVE_INFINITY;
  }

  /** A request to the host begins. */
  acquire(host: string, now: number): void {
    const record = this.#record(host, now);
    if (this.#wasQuiet(record, now)) record.failures = 0;
    if (record.active === 0) record.address = this.#addressOf(host);
    record.active++;
    record.unsent++;
    record.lastStart = now;
    this.#domains.enter(record.domain, now);
    if (record.address !== '') this.#addresses.enter(record.address, now);
  }

  /**
   * An exchange with the host is sent: for a page, a robots.txt, or once more. All but the first one of an announced request count for the
   * pace of its domain and its address here.
   */
  sent(host: string, now: number): void {
    const record = this.#hosts.get(host);
    if (record !== undefined && record.unsent > 0) {
      record.unsent--;
      return;
    }
    this.#domains.charge(record?.domain ?? registeredDomain(host), now);
    const address = record?.address || this.#addressOf(host);
    if (address !== '') this.#addresses.charge(address, now);
  }

  /**
   * A request that was announced waits: for robots.txt, for room at its address, for its connection. Where there are pauses to keep, no other
   * request to the host begins before it is on its way.
   * @returns to be told when it is, and at the end without a time
   */
  prepare(host: string): (startedAt?: number) => void {
    const record = this.#hosts.get(host);
    if (record === undefined) return () => {};
    record.preparing++;
    let isPreparing = true;
    return (startedAt = record.lastStart) => {
      record.lastStart = Math.max(record.lastStart, startedAt);
      if (!isPreparing) return;
      isPreparing = false;
      record.preparing--;
      if (this.#delayOf(record) > 0) this.#listener?.(host, record.domain);
    };
  }

  /**
   * A request to the host ended. `failed` is trouble of the host (no answer, an overload status), not of one page; `nameless` that its
   * name does not exist: nobody was asked, and nobody is spared by a pause; `unsent` that the host was too busy to be asked.
   * @param retryAfterMs - pause that the server asked for; beyond the longest one, a host that failed is left alone
   * @throws BingoError when no request to this host is under way
   */
  release(host: string, now: number, result: HostResult, retryAfterMs = 0): void {
    const record = this.#hosts.get(host);
    if (record === undefined || record.active === 0)
      throw new BingoError({
        code: 'HOST_NOT_ACQUIRED',
        message: `A request to ${host} ended that had not begun.`,
        hint: 'Please report this: it is a mistake in the program, not in your settings.',
      });
    record.active--;
    record.unsent = Math.min(record.unsent, record.active);
    this.#domains.leave(record.domain);
    if (record.address !== '') this.#addresses.leave(record.address);
    if (result === 'unsent') {
      record.pausedUntil = Math.max(record.pausedUntil, now + retryAfterMs);
      this.#listener?.(host, record.domain);
      return;
    }
    record.isMet = true;
    record.isNameless = result === 'nameless';
    if (record.crawlDelayMs > 0) record.lastStart = Math.max(record.lastStart, now);
    if (result === 'ok') this.#forgive(record, { now, retryAfterMs });
    else if (result === 'nameless') record.failures++;
    else this.#blame(host, record, { now, retryAfterMs });
    this.#listener?.(host, record.domain);
  }

  /** A host of which something is remembered is bad from now on, until a request that is under way goes well. */
  leaveAlone(host: string): void {
    const record = this.#hosts.get(host);
    if (record === undefined) return;
    record.failures = Math.max(record.failures, this.#limits.maxTries);
    this.#listener?.(host, record.domain);
  }

  /** Least time between the starts of two requests that robots.txt asks for; a longer one than we accept parks the host. */
  setCrawlDelay(host: string, ms: number): void {
    const record = this.#hosts.get(host);
    if ((record?.crawlDelayMs ?? 0) === ms) return;
    const changed = record ?? this.#record(host, Number.NEGATIVE_INFINITY);
    changed.crawlDelayMs = ms;
    this.#listener?.(host, changed.domain);
  }

  /** Number of hosts about which something is remembered; idle healthy ones are forgotten. */
  get remembered(): number {
    return this.#hosts.size;
  }

  /** Hosts with a request under way, slow hosts, bad hosts. A name that does not exist is no slow host. */
  counts(): { active: number; slow: number; bad: number } {
    const counts = { active: 0, slow: 0, bad: 0 };
    for (const record of this.#hosts.values()) {
      if (record.active > 0) counts.active++;
      if (this.#isBad(record)) counts.bad++;
      else if (record.failures > 0 && !record.isNameless) counts.slow++;
    }
    return counts;
  }

  /** Hosts by name, at most `limit`: bad ones first, then slow ones, those with a request under way, and names that do not exist. */
  named(limit: number): { host: string; standing: HostStanding }[] {
    const groups: Readonly<Record<HostStanding, string[]>> = { bad: [], slow: [], active: [], nameless: [] };
    for (const [host, record] of this.#hosts) {
      if (this.#isBad(record)) groups.bad.push(host);
      else if (record.failures > 0) groups[record.isNameless ? 'nameless' : 'slow'].push(host);
      else if (record.active > 0) groups.active.push(host);
    }
    const standings = ['bad', 'slow', 'active', 'nameless'] as const;
    return standings.flatMap((standing) => groups[standing].map((host) => ({ host, standing }))).slice(0, limit);
  }

  /**
   * Told of every host that may have become more willing, or bad. One listener: the frontier in use; a new one takes the
   * place of the old.
   */
  onChange(listener: (host: string, domain: string) => void): void {
    this.#listener = listener;
  }

  #limitOf({ isMet, crawlDelayMs }: HostRecord): number {
    const alone = crawlDelayMs > 0 || (this.#limits.meetAlone === true && !isMet);
    return alone ? 1 : this.#limits.perHost;
  }

  #isBad(record: HostRecord): boolean {
    const { maxTries, maxCrawlDelayMs } = this.#limits;
    return record.failures >= maxTries || record.asksTooMuch || record.crawlDelayMs > maxCrawlDelayMs;
  }

  #restsUntil(record: HostRecord): number {
    return Math.max(record.lastStart + this.#delayOf(record), record.pausedUntil);
  }

  #delayOf({ crawlDelayMs }: HostRecord): number {
    return Math.max(this.#limits.delayMs, crawlDelayMs);
  }

  /** A pause under way stays: the success may have begun before the trouble that the pause is for. */
  #forgive(record: HostRecord, { now, retryAfterMs }: { now: number; retryAfterMs: number }): void {
    const pause = Math.min(retryAfterMs, this.#limits.backoffMaxMs);
    if (pause > 0) record.pausedUntil = Math.max(record.pausedUntil, now + pause);
    record.failures = 0;
    record.asksTooMuch = false;
  }

  /** Requests that fail while the host has its pause already began before it: they count as one failure. */
  #blame(host: string, record: HostRecord, { now, retryAfterMs }: { now: number; retryAfterMs: number }): void {
    const { backoffMs, backoffMaxMs } = this.#limits;
    if (now >= record.pausedUntil) {
      const pause = backoffMs * 2 ** record.failures * this.#jitter(host, record.failures);
      record.failures++;
      record.pausedUntil = now + Math.min(backoffMaxMs, pause);
    }
    // Asking again earlier than we were told would be rude, waiting for days would never end.
    if (retryAfterMs > backoffMaxMs) record.asksTooMuch = true;
    else record.pausedUntil = Math.max(record.pausedUntil, now + retryAfterMs);
  }

  /**
   * Nobody asked for a slow host for long although it was willing: its failures are old. What a request takes is no quiet time, or
   * a host that fails slowly were never bad where pauses are short.
   */
  #wasQuiet(record: HostRecord, now: number): boolean {
    const isSlow = record.failures > 0 && !this.#isBad(record);
    return isSlow && record.active === 0 && now - this.#restsUntil(record) > this.#graceMs;
  }

  /** How long trouble is remembered. Where pauses are short, or none, the longest Crawl-delay is the measure. */
  get #graceMs(): number {
    return Math.max(this.#limits.backoffMaxMs, this.#limits.maxCrawlDelayMs);
  }

  /** Keeps hosts of one provider from being asked again all at once; the same for a host each time, so that runs repeat. */
  #jitter(host: string, failures: number): number {
    const share = this.#limits.backoffJitter;
    return share === 0 ? 1 : 1 + share * hashedShare(`${host} ${failures}`);
  }

  #addressOf(host: string): string {
    return this.#limits.addressOf?.(host) ?? this.#hosts.get(host)?.address ?? '';
  }

  #record(host: string, now: number): HostRecord {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    if (this.#hosts.size >= this.#sweepAt) this.#sweep(now);
    const record: HostRecord = {
      domain: registeredDomain(host),
      address: '',
      active: 0,
      unsent: 0,
      preparing: 0,
      lastStart: Number.NEGATIVE_INFINITY,
      crawlDelayMs: 0,
      failures: 0,
      pausedUntil: Number.NEGATIVE_INFINITY,
      asksTooMuch: false,
      isMet: false,
      isNameless: false,
    };
    this.#hosts.set(host, record);
    return record;
  }

  #sweep(now: number): void {
    for (const [host, record] of this.#hosts) if (this.#isForgettable(record, now)) this.#hosts.delete(host);
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#hosts.size);
  }

  /** A slow host, or one with a crawl delay of its own, is forgotten when nobody asked for it for long. */
  #isForgettable(record: HostRecord, now: number): boolean {
    if (record.active > 0 || this.#isBad(record)) return false;
    const isPlain = record.failures === 0 && record.crawlDelayMs === 0;
    const grace = isPlain ? 0 : this.#graceMs;
    return this.#restsUntil(record) + grace <= now;
  }
}
