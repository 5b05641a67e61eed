import { NOT_NOW, productToken } from '../core/index.ts';
import { LruMap, ownCopy } from '../kit/index.ts';
import {
  judgeByGroup,
  parseRobotsTxt,
  type RobotsGroup,
  type RobotsRule,
  type RobotsTxt,
  type RobotsVerdict,
  robotsGroup,
} from './robots-txt.ts';
import type { Trouble } from './trouble.ts';

/** How asking for a robots.txt went (RFC 9309 §2.3.1). */
export type RobotsAnswer =
  | {
      readonly kind: 'file';
      readonly body: Uint8Array;
      /** A redirect led there: to another origin's own file, or to any other address. */
      readonly of?: string;
    }
  /** A redirect led to a file that is known. */
  | KnownRobots
  /** There is none: everything is allowed. */
  | { readonly kind: 'absent' }
  /** Nobody knows: everything is disallowed for now. */
  | { readonly kind: 'unreachable'; readonly trouble: Trouble };

/** What a robots.txt says to us. */
interface OurRobots extends Pick<RobotsTxt, 'sitemaps'> {
  readonly group: RobotsGroup | undefined;
  /** About what it takes in memory. */
  readonly bytes: number;
}

/** A robots.txt that need not be asked for. */
export interface KnownRobots {
  readonly kind: 'known';
  readonly robots: OurRobots;
  /** On the clock of the cache. */
  readonly expiresAt: number;
}

/** The slice of `network` that robots.txt needs. */
export interface RobotsSettings {
  /** Its name up to the first character that no product token may hold is looked for in robots.txt. */
  readonly userAgent: string;
  readonly robotsMaxAgeMs: number;
  /** First pause before an unreachable file is asked for again; doubles up to the greatest. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
}

export interface RobotsPorts {
  /**
   * Asks an origin (`http://host:port`) for its robots.txt, redirects followed. Never rejects.
   * @param known - what is known of another origin's file, or of one at another address, so that nobody asks for it again
   */
  readonly fetch: (origin: string, known: (place: string) => KnownRobots | undefined) => Promise<RobotsAnswer>;
  /** For the age of answers, in ms from any beginning: never goes back. */
  readonly now: () => number;
}

/** What robots.txt says of a URL; or why nobody knows, and how long it will not be asked for. */
export type RobotsDecision =
  | ({ readonly kind: 'verdict' } & RobotsVerdict)
  | { readonly kind: 'unreachable'; readonly trouble: Trouble; readonly retryAfterMs: number };

interface Entry {
  readonly robots: OurRobots | undefined;
  readonly trouble: Trouble | undefined;
  readonly failures: number;
  readonly expiresAt: number;
}

/** What all files together may take, in bytes. */
const MAX_BYTES = 80 * 1000 * 1000;
/** What an entry counts beside its texts, so that at most 20,000 hosts are kept. */
const ENTRY_BYTES = 4_000;
/** A rule, or a sitemap, beside its texts. */
const ITEM_BYTES = 120;
const NOTHING: OurRobots = { group: undefined, sitemaps: [], bytes: 0 };
const MAX_SITEMAPS = 50;

/**
 * The robots.txt of every host, asked for once a day. "None" is kept as long; an unreachable file is asked for again
 * after growing pauses, and meanwhile its last known text holds, if there is one (RFC 9309 §2.4). Bounded: what was
 * used least recently goes first, and is asked for again when it is needed.
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

  /** Decides at once when the file is known. `path` with query, as it will be asked for. */
  check(origin: string, path: string): RobotsDecision | Promise<RobotsDecision> {
    const entry = this.#entries.get(origin);
    if (entry !== undefined && entry.expiresAt > this.#ports.now()) return this.#decide(entry, path);
    return this.#ask(origin).then((fresh) => this.#decide(fresh, path));
  }

  /** The delay that the host asks for, in ms; 0 = none, or not known yet. */
  crawlDelayMs(origin: string): number {
    return this.#entries.peek(origin)?.robots?.group?.crawlDelayMs ?? 0;
  }

  /** Sitemaps that the host's file names; empty when it is not known. */
  sitemaps(origin: string): readonly string[] {
    return this.#entries.peek(origin)?.robots?.sitemaps ?? [];
  }

  /**
   * Files that could not be had are asked for again when they are next needed.
   * @param all nor do those count that were had, or are asked for just now: they may not be the hosts' own
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

  /** Askers of one host share one request. */
  #ask(origin: string): Promise<Entry> {
    // An answer goes where it would have gone when it was asked for: what is forgotten meanwhile stays so.
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

  #robotsOf(answer: Exclude<RobotsAnswer, { kind: 'unreachable' }>): OurRobots {
    if (answer.kind === 'known') return answer.robots;
    return answer.kind === 'file' ? this.#ours(parseRobotsTxt(answer.body)) : NOTHING;
  }

  /** What the server asked for holds, however long: its pages wait as long, or are left alone. */
  #pauseMs(failures: number, trouble: Trouble): number {
    const { backoffMs, backoffMaxMs } = this.#settings;
    const asked = trouble.kind === 'failed' ? (trouble.retryAfterMs ?? 0) : 0;
    return Math.max(asked, Math.min(backoffMaxMs, backoffMs * 2 ** Math.min(failures - 1, 30)));
  }

  /** Rules for other crawlers are not worth their memory: ours must not keep the file alive that they were cut out of. */
  #ours(robots: RobotsTxt): OurRobots {
    const group = robotsGroup(robots, this.#product);
    const rules = group?.rules.map(ownRule) ?? [];
    const sitemaps = robots.sitemaps.slice(0, MAX_SITEMAPS).map(ownCopy);
    const texts = [...rules.flatMap(({ pattern, text }) => [pattern, text]), ...sitemaps];
    // Two bytes a character: what is no Latin-1 takes as many.
    const bytes = texts.reduce((sum, { length }) => sum + 2 * length, ITEM_BYTES * (rules.length + sitemaps.length));
    return { group: group && { ...group, rules }, sitemaps, bytes };
  }
}

function isNotNow(trouble: Trouble): trouble is Trouble & { kind: 'failed' } {
  return trouble.kind === 'failed' && trouble.reason === NOT_NOW;
}

function noEntries(): LruMap<string, Entry> {
  return new LruMap(MAX_BYTES, ({ robots }) => ENTRY_BYTES + (robots?.bytes ?? 0));
}

function ownRule({ allow, pattern, line, text }: RobotsRule): RobotsRule {
  return { allow, pattern: ownCopy(pattern), line, text: ownCopy(text) };
}
