import { BingoError, type Config, registeredDomain } from '../core/index.ts';
import { hashedShare } from '../kit/index.ts';
import { SharedPace } from './shared-pace.ts';

/** Maximum number and rate of requests to hosts and domains. */
export interface HostLimits
  extends Pick<
    Config['network'],
    'perHost' | 'perDomain' | 'delayMs' | 'backoffMs' | 'backoffMaxMs' | 'backoffJitter' | 'maxCrawlDelayMs'
  > {
  /** Consecutive failures that make a host bad. >= 1 */
  readonly maxTries: number;
  /**
   * Minimum time between two requests to one registered domain or one address, in ms; at most `delayMs`. Default: 0.
   */
  readonly domainDelayMs?: number;
  readonly addressDelayMs?: number;
  /** Parallel requests to one address; 0 = no limit. Default: 0. */
  readonly perAddress?: number;
  /** Number of crawls that request hosts of the same addresses: together they keep the time between two. Default: 1. */
  readonly sharers?: number;
  /**
   * A host gets its first request alone, because only that reveals the Crawl-delay of its robots.txt. Default: false.
   */
  readonly meetAlone?: boolean;
  /** Returns the current address of a host; `undefined` if unknown. Default: all unknown. */
  readonly addressOf?: (host: string) => string | undefined;
}

/** Whether a host takes a request now; if not, what it is waiting for. */
export type Standing =
  | { readonly kind: 'willing' }
  /** Waiting until a known time. `isCrowded`: because of other hosts of its domain or address. */
  | { readonly kind: 'resting'; readonly until: number; readonly isCrowded?: boolean }
  /** A request to this host must end or be sent first. */
  | { readonly kind: 'host-full' }
  /** A request to another host of its domain must end first. */
  | { readonly kind: 'domain-full' }
  /** Not requested for the rest of the crawl. */
  | { readonly kind: 'bad' };

/** Outcome of a request, as far as its host is concerned. `unsent`: no request reached the host. */
export type HostResult = 'ok' | 'failed' | 'nameless' | 'unsent';

const WILLING: Standing = { kind: 'willing' };
const HOST_FULL: Standing = { kind: 'host-full' };
const DOMAIN_FULL: Standing = { kind: 'domain-full' };
const BAD: Standing = { kind: 'bad' };

interface HostRecord {
  readonly domain: string;
  /** The address charged for its active requests, which is its last known address; `''` if unknown. */
  address: string;
  active: number;
  /** Announced requests whose first exchange has not been sent. */
  unsent: number;
  /** How many of these requests have not been sent yet. */
  preparing: number;
  /** Start of the last request. If the host asks for a delay, its end: a slow connection must not shorten the delay. */
  lastStart: number;
  crawlDelayMs: number;
  /** Consecutive failures. */
  failures: number;
  pausedUntil: number;
  /** The host asked for a longer pause than we accept. */
  asksTooMuch: boolean;
  /** A request to the host has ended, so its robots.txt is known. */
  isMet: boolean;
  /** The host's name did not exist at the last request. */
  isNameless: boolean;
}

/** Status of a host as shown to the user. `nameless`: the name does not exist and its links are not yet dropped. */
type HostStanding = 'bad' | 'slow' | 'active' | 'nameless';

/** Delay before a host of a full address is checked again. */
const FULL_ADDRESS_MS = 50;

/** Number of remembered hosts that triggers the first cleanup. */
const FIRST_SWEEP = 1024;

/**
 * Politeness: decides which host may be requested, and when (BINGO! §4.2). `acquire` announces every request,
 * `prepare` marks it as waiting before it is sent, and `release` ends it. After a failure a host is *slow*: it gets a
 * pause, and each pause is twice as long as the last. After `maxTries` consecutive failures it is *bad*. A success
 * resets the failures. So does a quiet period as long as the longest pause or Crawl-delay. Hosts are counted with
 * their port, domains without.
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
    const { delayMs, perDomain, perAddress = 0, domainDelayMs = 0, addressDelayMs = 0, sharers = 1 } = limits;
    this.#domains = new SharedPace(perDomain, Math.min(delayMs, domainDelayMs));
    this.#addresses = new SharedPace(perAddress, sharers * Math.min(delayMs, addressDelayMs));
  }

  isWilling(host: string, now: number): boolean {
    return this.standing(host, now).kind === 'willing';
  }

  /** Returns true if the host is not requested for the rest of the crawl. */
  isBad(host: string): boolean {
    const record = this.#hosts.get(host);
    return record !== undefined && this.#isBad(record);
  }

  /** Returns the remaining pause after trouble, or the remaining pause the host asked for, in ms; 0 = none. */
  pauseLeftMs(host: string, now: number): number {
    return Math.max(0, (this.#hosts.get(host)?.pausedUntil ?? now) - now);
  }

  /** Returns how long the host rests for any reason, in ms; 0 = not resting. */
  restLeftMs(host: string, now: number): number {
    const record = this.#hosts.get(host);
    return record === undefined ? 0 : Math.max(0, this.#restsUntil(record) - now);
  }

  /**
   * Reserves the host's next start, without a slot, for an unannounced request that another host's robots.txt
   * redirected here.
   * @returns the wait before that request, in ms
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

  /** Decides whether a willing host may be requested, given the other hosts of its domain and address. */
  #standingAmong(host: string, domain: string, now: number): Standing {
    const address = this.#addressOf(host);
    const isFull = address !== '' && this.#addresses.isFull(address);
    const freeAt = Math.max(this.#domains.freeAt(domain), address === '' ? 0 : this.#addresses.freeAt(address));
    const until = isFull ? Math.max(freeAt, now + FULL_ADDRESS_MS) : freeAt;
    return until > now ? { kind: 'resting', until, isCrowded: true } : WILLING;
  }

  /**
   * Returns the earliest time at which the host may be willing if no request begins or ends; Infinity if only that
   * can help.
   */
  nextWillingAt(host: string, now: number): number {
    const standing = this.standing(host, now);
    if (standing.kind === 'willing') return now;
    return standing.kind === 'resting' ? standing.until : Number.POSITIVE_INFINITY;
  }

  /** Returns the maximum number of requests to the host in so much time, because of the pauses between them. */
  mostWithin(host: string, ms: number): number {
    const record = this.#hosts.get(host);
    const delayMs = record === undefined ? this.#limits.delayMs : this.#delayOf(record);
    return delayMs === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(ms / delayMs));
  }

  /** Records that a request to the host begins. */
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
   * Records that an exchange with the host is sent: for a page, a robots.txt, or a retry. The first exchange of an
   * announced request is already counted; all others are charged to its domain and address here.
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
   * Records that an announced request waits for robots.txt, for room at its address, or for its connection. If pauses
   * apply, no other request to the host begins before this one is sent.
   * @returns a function to call when the request is sent, and at the end without a time
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
   * Records that a request to the host ended. `failed`: the host had trouble (no answer, an overload status), not one
   * page. `nameless`: its name does not exist, so no pause is needed. `unsent`: the host was too busy, so no request
   * was sent.
   * @param retryAfterMs - the pause the server asked for; a failed host is not requested again if it exceeds the
   * longest pause
   * @throws BingoError if no request to this host is active
   */
  release(host: string, now: number, result: HostResult, retryAfterMs = 0): void {
    const record = this.#hosts.get(host);
    if (record === undefined || record.active === 0)
      throw new BingoError({
        code: 'HOST_NOT_ACQUIRED',
        message: `Ended a request to ${host} that had not begun.`,
        hint: 'Please report this: this is a bug in the program, not in your settings.',
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

  /** Marks a remembered host as bad, until an active request succeeds. */
  leaveAlone(host: string): void {
    const record = this.#hosts.get(host);
    if (record === undefined) return;
    record.failures = Math.max(record.failures, this.#limits.maxTries);
    this.#listener?.(host, record.domain);
  }

  /**
   * Sets the minimum time between two requests that robots.txt asks for. A delay longer than we accept parks the
   * host.
   */
  setCrawlDelay(host: string, ms: number): void {
    const record = this.#hosts.get(host);
    if ((record?.crawlDelayMs ?? 0) === ms) return;
    const changed = record ?? this.#record(host, Number.NEGATIVE_INFINITY);
    changed.crawlDelayMs = ms;
    this.#listener?.(host, changed.domain);
  }

  /** Number of remembered hosts; idle healthy hosts are forgotten. */
  get remembered(): number {
    return this.#hosts.size;
  }

  /** Counts hosts with an active request, slow hosts, and bad hosts. A nonexistent name does not count as slow. */
  counts(): { active: number; readonly slow: number; readonly bad: number } {
    const counts = { active: 0, slow: 0, bad: 0 };
    for (const record of this.#hosts.values()) {
      if (record.active > 0) counts.active++;
      if (this.#isBad(record)) counts.bad++;
      else if (record.failures > 0 && !record.isNameless) counts.slow++;
    }
    return counts;
  }

  /** Returns at most `limit` hosts by name: bad ones first, then slow ones, active ones, and nonexistent names. */
  named(limit: number): { readonly host: string; readonly standing: HostStanding }[] {
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
   * Sets the listener for hosts that may have become more willing, or bad. There is one listener, the frontier in
   * use; a new one replaces the old one.
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

  /** Keeps an active pause: the successful request may have begun before the trouble that caused the pause. */
  #forgive(record: HostRecord, { now, retryAfterMs }: { readonly now: number; readonly retryAfterMs: number }): void {
    const pause = Math.min(retryAfterMs, this.#limits.backoffMaxMs);
    if (pause > 0) record.pausedUntil = Math.max(record.pausedUntil, now + pause);
    record.failures = 0;
    record.asksTooMuch = false;
  }

  /** Ignores failures during the host's pause: these requests began before it and count as one failure. */
  #blame(host: string, record: HostRecord, { now, retryAfterMs }: { now: number; retryAfterMs: number }): void {
    const { backoffMs, backoffMaxMs } = this.#limits;
    if (now >= record.pausedUntil) {
      const pause = backoffMs * 2 ** record.failures * this.#jitter(host, record.failures);
      record.failures++;
      record.pausedUntil = now + Math.min(backoffMaxMs, pause);
    }
    // Requesting earlier than the server asked is rude; waiting for days would never end.
    if (retryAfterMs > backoffMaxMs) record.asksTooMuch = true;
    else record.pausedUntil = Math.max(record.pausedUntil, now + retryAfterMs);
  }

  /**
   * Returns true if the host was willing but not requested for a long time: its failures are outdated. The duration
   * of requests does not count as quiet time. Otherwise a host that fails slowly would never become bad if pauses are
   * short.
   */
  #wasQuiet(record: HostRecord, now: number): boolean {
    const isSlow = record.failures > 0 && !this.#isBad(record);
    return isSlow && record.active === 0 && now - this.#restsUntil(record) > this.#graceMs;
  }

  /** How long failures are remembered: the longest pause or the longest Crawl-delay, whichever is longer. */
  get #graceMs(): number {
    return Math.max(this.#limits.backoffMaxMs, this.#limits.maxCrawlDelayMs);
  }

  /** Spreads the retries of hosts of one provider. The same for a host each time, so that runs are reproducible. */
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

  /** Returns true for a slow host, or one with its own Crawl-delay, that was not requested for a long time. */
  #isForgettable(record: HostRecord, now: number): boolean {
    if (record.active > 0 || this.#isBad(record)) return false;
    const isPlain = record.failures === 0 && record.crawlDelayMs === 0;
    const grace = isPlain ? 0 : this.#graceMs;
    return this.#restsUntil(record) + grace <= now;
  }
}
