import { type FetchOutcome, hostOf, isPassingStatus, type JournalRecord, type VisitRecord } from '../../core/index.ts';
import type { HostClocks, HostResult } from '../../crawl/index.ts';
import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';
import { isRecheck, type Pinned } from '../state/jobs.ts';

/** Reasons for failure that may be temporary. An invalid certificate is permanent. */
const PASSING_REASON: ReadonlySet<string> = new Set(['connect', 'timeout', 'reset', 'truncated']);

/**
 * Returns what an answer reveals about the host. Links to an unknown name are not retried, nor are the many other
 * links to that host. A recheck still asks for every page: it must distinguish each from a page that is only
 * temporarily unavailable.
 */
export function hostResultOf(outcome: FetchOutcome | undefined, job: Pinned): HostResult {
  if (outcome?.kind !== 'failed') return 'ok';
  if (outcome.retry === 'later') return 'failed';
  return outcome.reason === 'dns' && !isRecheck(job) ? 'nameless' : 'ok';
}

/**
 * Returns the server's requested pause as text for a visit's detail, which users and resumed crawls read; '' if it
 * requested none.
 */
export function waitNote(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined || retryAfterMs <= 0 ? '' : `, wait ${Math.ceil(retryAfterMs / 1000)} s`;
}

/** Returns the pause in {@link waitNote}'s text, in ms; 0 = none. */
export function waitOf(detail: string): number {
  return Number(/, wait (\d{1,9}) s$/.exec(detail)?.[1] ?? 0) * 1000;
}

interface Past {
  /** End of the last successful fetch; 0 = none. */
  lastOk: number;
  readonly troubles: Trouble[];
}

interface Trouble {
  readonly at: number;
  readonly waitMs: number;
  readonly result: HostResult;
  /** True if the crawl had already blocked the host as bad. */
  readonly wasBad: boolean;
}

interface HistoryLimits {
  /** Number of tries after which a link is given up. */
  readonly maxTries: number;
  /** A run retries a bad host if its last failure is at least this old. */
  readonly backoffMaxMs: number;
}

/** Maximum number of hosts without trouble to remember. */
const MAX_WELL = 20_000;
/** More failures per host add no information. */
const MAX_TROUBLES = 20;

/**
 * What hosts did before the process started, so that a resumed crawl is as careful with troubled hosts as the stopped
 * one. Passed on to the hosts' clocks once all records are read. Records are ordered by end of analysis, so a success
 * may follow a later failure; in that order a good host could look bad.
 */
export class HostHistory {
  /** Hosts with trouble are always kept. Of the others only the latest are kept: only they may still need a pause. */
  readonly #hosts = new Map<string, Past>();
  readonly #well = new LruMap<string, number>(MAX_WELL);
  readonly #limits: HistoryLimits;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Adds a stored record, with the entry that it answers. */
  note(record: JournalRecord, job: Pinned | undefined): void {
    if (record.kind !== 'page' && record.kind !== 'visit') return;
    // The host was not asked.
    if (record.kind === 'visit' && record.reason === 'bad-host') return;
    const host = record.kind === 'page' ? record.host : hostOf(record.url);
    const result = record.kind === 'page' ? 'ok' : resultOf(record, job?.entry.tries ?? 0);
    const known = this.#hosts.get(host);
    if (known === undefined && result === 'ok') {
      this.#well.set(ownCopy(host), Math.max(this.#well.peek(host) ?? 0, record.fetchedAt));
      return;
    }
    const past = known ?? { lastOk: this.#well.peek(host) ?? 0, troubles: [] };
    if (known === undefined) {
      this.#well.delete(host);
      this.#hosts.set(ownCopy(host), past);
    }
    if (record.kind === 'visit' && result !== 'ok') {
      const wasBad = result === 'failed' && job !== undefined && this.#showsBadHost(record, job);
      past.troubles.push({ at: record.fetchedAt, waitMs: waitOf(record.detail), result, wasBad });
      if (past.troubles.length > MAX_TROUBLES) past.troubles.shift();
    } else past.lastOk = Math.max(past.lastOk, record.fetchedAt);
  }

  /**
   * @param clocks the current time, on the records' clock and on the hosts' clock
   * @param forgives true: no host is bad; each is asked again after its current pause
   */
  tell(
    hosts: HostClocks,
    clocks: { readonly now: number; readonly steadyNow: number },
    { forgives = false }: { readonly forgives?: boolean } = {},
  ): void {
    // A time in the future was written while the system's clock was wrong.
    const ahead = clocks.steadyNow - clocks.now;
    const past = (at: number): number => Math.min(at, clocks.now) + ahead;
    for (const [host, lastOk] of this.#well.entries()) {
      hosts.acquire(host, past(lastOk));
      hosts.release(host, past(lastOk), 'ok', 0);
    }
    for (const [host, { lastOk, troubles: all }] of this.#hosts) {
      const isQuiet = clocks.now - (all.at(-1)?.at ?? 0) > this.#limits.backoffMaxMs;
      const troubles = forgives || isQuiet ? lastPause(all, clocks.now) : all;
      const well: Trouble = { at: lastOk, waitMs: 0, result: 'ok', wasBad: false };
      const events = [well, ...troubles].sort((a, b) => a.at - b.at);
      for (const { at, waitMs, result, wasBad } of events) {
        hosts.acquire(host, past(at));
        hosts.release(host, past(at), result, waitMs);
        // Counted again, failures close together may yield one less than before.
        if (wasBad) hosts.leaveAlone(host);
      }
    }
  }

  exchange(fields: Fields): void {
    fields.map(this.#hosts);
    this.#well.exchange(fields);
  }

  /**
   * True if a link was given up before its last try: this happens only if its host is bad. A recheck counts its tries
   * itself.
   */
  #showsBadHost({ origin, retried }: VisitRecord, { entry }: Pinned): boolean {
    return origin.via !== 'recheck' && !retried && entry.tries + 1 < this.#limits.maxTries;
  }
}

/** Returns the last trouble as if it were the first. A pause requested by the server still counts while it lasts. */
function lastPause(troubles: readonly Trouble[], now: number): readonly Trouble[] {
  return troubles
    .slice(-1)
    .map((last) => ({ ...last, waitMs: last.at + last.waitMs > now ? last.waitMs : 0, wasBad: false }));
}

/**
 * Returns trouble of the host, not of one page: the fetch was retried, or would have been with tries left; or the
 * name does not exist.
 */
function resultOf({ result, reason, status, retried }: VisitRecord, tries: number): HostResult {
  if (result !== 'failed') return 'ok';
  // A page that was read but is unusable is not a failure of its host.
  if (status >= 200 && status < 300 && reason !== 'truncated') return 'ok';
  if (retried || isPassingStatus(status) || PASSING_REASON.has(reason)) return 'failed';
  if (reason !== 'dns') return 'ok';
  return tries > 0 ? 'failed' : 'nameless';
}
