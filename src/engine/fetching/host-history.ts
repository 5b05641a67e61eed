import { type FetchOutcome, hostOf, isPassingStatus, type JournalRecord, type VisitRecord } from '../../core/index.ts';
import type { HostClocks, HostResult } from '../../crawl/index.ts';
import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';
import { isRecheck, type Pinned } from '../state/jobs.ts';

/** Reasons without an answer that may pass. A wrong certificate is no trouble of the moment. */
const PASSING_REASON: ReadonlySet<string> = new Set(['connect', 'timeout', 'reset', 'truncated']);

/**
 * What an answer says of the host. No link to a name that does not exist is tried again, but neither are countless others of that host
 * worth asking for. A recheck asks for every page all the same: each must be told apart from one that cannot be had now.
 */
export function hostResultOf(outcome: FetchOutcome | undefined, job: Pinned): HostResult {
  if (outcome?.kind !== 'failed') return 'ok';
  if (outcome.retry === 'later') return 'failed';
  return outcome.reason === 'dns' && !isRecheck(job) ? 'nameless' : 'ok';
}

/** Says in a visit's detail what the server asked for, for people and for a resumed crawl; `''` when it asked for nothing. */
export function waitNote(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined || retryAfterMs <= 0 ? '' : `, wait ${Math.ceil(retryAfterMs / 1000)} s`;
}

/** The pause that {@link waitNote} noted, in ms; 0 = none. */
export function waitOf(detail: string): number {
  return Number(/, wait (\d{1,9}) s$/.exec(detail)?.[1] ?? 0) * 1000;
}

interface Past {
  /** End of the last fetch that went well; 0 = none. */
  lastOk: number;
  readonly troubles: Trouble[];
}

interface Trouble {
  readonly at: number;
  readonly waitMs: number;
  readonly result: HostResult;
  /** The crawl had left the host alone by then. */
  readonly wasBad: boolean;
}

interface HistoryLimits {
  /** After so many tries a link is given up. */
  readonly maxTries: number;
  /** A host that was bad is asked again by a run that begins so long after its last failure. */
  readonly backoffMaxMs: number;
}

/** Hosts without trouble that are remembered. */
const MAX_WELL = 20_000;
/** More failures of one host than this say nothing new. */
const MAX_TROUBLES = 20;

/**
 * What hosts did before the process began, so that a resumed crawl is as careful with those in trouble as the one that was
 * stopped. Told to their clocks when all records are known: a page is recorded after its analysis, later than a failure behind
 * it, and in that order a host could seem bad that never was.
 */
export class HostHistory {
  /** Hosts with trouble are remembered. Of the others the last ones are: only those may have to rest still. */
  readonly #hosts = new Map<string, Past>();
  readonly #well = new LruMap<string, number>(MAX_WELL);
  readonly #limits: HistoryLimits;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Takes a stored record in, with the entry that it answers. */
  note(record: JournalRecord, job: Pinned | undefined): void {
    if (record.kind !== 'page' && record.kind !== 'visit') return;
    // Nothing was asked of it.
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
   * @param clocks this moment, on the clock of the records and on the one that the hosts go by
   * @param forgives no host is bad: each is asked once more, after the pause that is under way
   */
  tell(
    hosts: HostClocks,
    clocks: { readonly now: number; readonly steadyNow: number },
    { forgives = false }: { readonly forgives?: boolean } = {},
  ): void {
    // A time to come was written while the system's clock was wrong.
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
        // Counted again, failures close to each other may come out one fewer.
        if (wasBad) hosts.leaveAlone(host);
      }
    }
  }

  exchange(fields: Fields): void {
    fields.map(this.#hosts);
    this.#well.exchange(fields);
  }

  /** A link is given up before its last try only when its host is bad. A recheck keeps its tries to itself. */
  #showsBadHost({ origin, retried }: VisitRecord, { entry }: Pinned): boolean {
    return origin.via !== 'recheck' && !retried && entry.tries + 1 < this.#limits.maxTries;
  }
}

/** The last trouble as if it were the first; what its server asked for counts while it lasts. */
function lastPause(troubles: readonly Trouble[], now: number): readonly Trouble[] {
  return troubles
    .slice(-1)
    .map((last) => ({ ...last, waitMs: last.at + last.waitMs > now ? last.waitMs : 0, wasBad: false }));
}

/** Trouble of the host, not of one page: what was tried again, or would have been had tries been left; or a name that does not exist. */
function resultOf({ result, reason, status, retried }: VisitRecord, tries: number): HostResult {
  if (result !== 'failed') return 'ok';
  // Of a page that was read but is of no use nothing is known that would speak against its host.
  if (status >= 200 && status < 300 && reason !== 'truncated') return 'ok';
  if (retried || isPassingStatus(status) || PASSING_REASON.has(reason)) return 'failed';
  if (reason !== 'dns') return 'ok';
  return tries > 0 ? 'failed' : 'nameless';
}
