import { NOT_NOW, type OfKind, productToken } from '../core/index.ts';
import { LruMap, ownCopy } from '../kit/index.ts';
import type { Trouble } from './fetch-error.ts';
import {
  judgeByGroup,
  parseRobotsTxt,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
  type RobotsVerdict,
  robotsGroup,
} from './robots-txt.ts';

/** Result of requesting a robots.txt (RFC 9309 §2.3.1). */
export type RobotsAnswer =
  | {
      readonly kind: 'file';
      readonly body: Uint8Array;
      /** Target of a redirect: another origin with its own file, or any other URL. */
      readonly of?: string;
    }
  /** A redirect led to a file that is already known. */
  | KnownRobots
  /** The file does not exist: everything is allowed. */
  | { readonly kind: 'absent' }
  /** Unknown: everything is disallowed for now. */
  | { readonly kind: 'unreachable'; readonly trouble: Trouble };

/** The parts of a robots.txt that apply to this crawler. */
interface OurRobots extends Pick<RobotsTxt, 'sitemaps'> {
  readonly group: RobotsGroup | undefined;
  /** Approximate memory use. */
  readonly bytes: number;
}

/** A robots.txt that does not need to be requested. */
export interface KnownRobots {
  readonly kind: 'known';
  readonly robots: OurRobots;
  /** Time on the clock of the cache. */
  readonly expiresAt: number;
}

/** The part of `network` that robots.txt needs. */
export interface RobotsSettings {
  /** Its product token, the part before the first character not allowed in one, is matched against robots.txt. */
  readonly userAgent: string;
  readonly robotsMaxAgeMs: number;
  /** First pause before an unreachable file is requested again; it doubles up to the maximum. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
}

export interface RobotsPorts {
  /**
   * Requests the robots.txt of an origin (`http://host:port`), following redirects. Never rejects.
   * @param known - returns the known file of another origin or URL, so that it is not requested again
   */
  readonly fetch: (origin: string, known: (place: string) => KnownRobots | undefined) => Promise<RobotsAnswer>;
  /** Clock for the age of answers, in ms from an arbitrary start; never goes back. */
  readonly now: () => number;
}

/** The verdict of robots.txt on a URL; or why it is unknown, and when it will be requested again. */
export type RobotsDecision =
  | ({ readonly kind: 'verdict' } & RobotsVerdict)
  | { readonly kind: 'unreachable'; readonly trouble: Trouble; readonly retryAfterMs: number };

interface Entry {
  readonly robots: OurRobots | undefined;
  readonly trouble: Trouble | undefined;
  readonly failures: number;
  readonly expiresAt: number;
}

/** Maximum memory of all files, in bytes. */
const MAX_BYTES = 80 * 1000 * 1000;
/** Fixed size of an entry, which limits the cache to 20,000 hosts. */
const ENTRY_BYTES = 4_000;
/** Fixed size of a rule or a sitemap, without its text. */
const ITEM_BYTES = 120;
const NOTHING: OurRobots = { group: undefined, sitemaps: [], bytes: 0 };
const MAX_SITEMAPS = 50;

/**
 * The robots.txt of every host, requested once a day. A missing file is cached as long. An unreachable file is
 * requested again after growing pauses; meanwhile its last known text applies, if there is one (RFC 9309 §2.4).
 * Bounded: the least recently used files are removed first, and are requested again if needed.
 */
export class RobotsCache {
  readonly #settings: RobotsSettings;
  readonly #ports: RobotsPorts;
  readonly #product: string;
  #entries = noEntries();
  #asking = new Map<string, Promise<Entry>>();

  constructor(settings: RobotsSettings, ports: RobotsPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#product = productToken(settings.userAgent);
  }

  /** Decides at once if the file is known. `path` includes the query, as it will be requested. */
  check(origin: string, path: string): RobotsDecision | Promise<RobotsDecision> {
    const entry = this.#entries.get(origin);
    if (entry !== undefined && entry.expiresAt > this.#ports.now()) return this.#decide(entry, path);
    return this.#ask(origin).then((fresh) => this.#decide(fresh, path));
  }

  /** Returns the host's Crawl-delay, in ms; 0 = none, or not known yet. */
  crawlDelayMs(origin: string): number {
    return this.#entries.peek(origin)?.robots?.group?.crawlDelayMs ?? 0;
  }

  /** Returns the sitemaps listed in the host's file; empty if the file is not known. */
  sitemaps(origin: string): readonly string[] {
    return this.#entries.peek(origin)?.robots?.sitemaps ?? [];
  }

  /**
   * Discards files that could not be fetched, so that they are requested again when next needed.
   * @param all - also discard fetched and pending files, which may not be the hosts' own
   */
  forget(all: boolean): void {
    if (all) {
      this.#entries = noEntries();
      this.#asking = new Map();
    }
    for (const [origin, entry] of [...this.#entries.entries()])
      if (entry.trouble !== undefined) this.#entries.set(origin, { ...entry, failures: 0, expiresAt: 0 });
  }

  #decide(entry: Entry, path: string): RobotsDecision {
    if (entry.robots !== undefined) return { kind: 'verdict', ...judgeByGroup(entry.robots.group, path) };
    const retryAfterMs = Math.max(0, entry.expiresAt - this.#ports.now());
    return { kind: 'unreachable', trouble: entry.trouble!, retryAfterMs };
  }

  /** Concurrent callers for one host share one request. */
  #ask(origin: string): Promise<Entry> {
    // An answer goes into the maps that were current when it was requested, so `forget` also applies to pending
    // requests.
    const [entries, asking] = [this.#entries, this.#asking];
    const known = asking.get(origin);
    if (known !== undefined) return known;
    const fresh = this.#ports
      .fetch(origin, (place) => this.#known(place))
      .then((answer) => {
        const entry = this.#entry(answer, entries.peek(origin));
        entries.set(origin, entry);
        if (answer.kind === 'file' && answer.of !== undefined) entries.set(answer.of, entry);
        return entry;
      })
      .finally(() => asking.delete(origin));
    asking.set(origin, fresh);
    return fresh;
  }

  #known(place: string): KnownRobots | undefined {
    const { robots, trouble, expiresAt = 0 } = this.#entries.peek(place) ?? {};
    const isFresh = trouble === undefined && expiresAt > this.#ports.now();
    return robots !== undefined && isFresh ? { kind: 'known', robots, expiresAt } : undefined;
  }

  #entry(answer: RobotsAnswer, before: Entry | undefined): Entry {
    const now = this.#ports.now();
    if (answer.kind === 'unreachable' && isNotNow(answer.trouble)) {
      const { trouble } = answer;
      const expiresAt = now + (trouble.retryAfterMs ?? 0);
      return { robots: before?.robots, trouble, failures: before?.failures ?? 0, expiresAt };
    }
    if (answer.kind === 'unreachable') {
      const failures = (before?.failures ?? 0) + 1;
      const { trouble } = answer;
      const expiresAt = now + this.#pauseMs(failures, trouble);
      return { robots: before?.robots, trouble, failures, expiresAt };
    }
    const robots = this.#robotsOf(answer);
    const expiresAt = answer.kind === 'known' ? answer.expiresAt : now + this.#settings.robotsMaxAgeMs;
    return { robots, trouble: undefined, failures: 0, expiresAt };
  }

  #robotsOf(answer: Exclude<RobotsAnswer, { readonly kind: 'unreachable' }>): OurRobots {
    if (answer.kind === 'known') return answer.robots;
    return answer.kind === 'file' ? this.#ours(parseRobotsTxt(answer.body)) : NOTHING;
  }

  /** Returns the pause. The server's own pause always applies; its pages wait as long, or are skipped. */
  #pauseMs(failures: number, trouble: Trouble): number {
    const { backoffMs, backoffMaxMs } = this.#settings;
    const asked = trouble.kind === 'failed' ? (trouble.retryAfterMs ?? 0) : 0;
    return Math.max(asked, Math.min(backoffMaxMs, backoffMs * 2 ** Math.min(failures - 1, 30)));
  }

  /** Keeps only the rules for this crawler, and copies them, so that they do not keep the whole file in memory. */
  #ours(robots: RobotsTxt): OurRobots {
    const group = robotsGroup(robots, this.#product);
    const rules = group?.rules.map(ownRule) ?? [];
    const sitemaps = robots.sitemaps.slice(0, MAX_SITEMAPS).map(ownCopy);
    const texts = [...rules.flatMap(({ pattern, text }) => [pattern, text]), ...sitemaps];
    // Two bytes per character, the most that a string takes.
    const bytes = texts.reduce((sum, { length }) => sum + 2 * length, ITEM_BYTES * (rules.length + sitemaps.length));
    return { group: group && { ...group, rules }, sitemaps, bytes };
  }
}

function isNotNow(trouble: Trouble): trouble is OfKind<Trouble, 'failed'> {
  return trouble.kind === 'failed' && trouble.reason === NOT_NOW;
}

function noEntries(): LruMap<string, Entry> {
  return new LruMap(MAX_BYTES, ({ robots }) => ENTRY_BYTES + (robots?.bytes ?? 0));
}

function ownRule({ allow, pattern, line, text }: RobotsRule): RobotsRule {
  return { allow, pattern: ownCopy(pattern), line, text: ownCopy(text) };
}
