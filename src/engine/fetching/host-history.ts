import { hostOf, isPassingStatus, type JournalRecord, type VisitRecord } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import type { Pinned } from '../state/jobs.ts';

/** Reasons without an answer that may pass. A wrong certificate or a name that does not exist is no trouble of the moment. */
const PASSING_REASON: ReadonlySet<string> = new Set(['connect', 'timeout', 'reset', 'truncated']);

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
  /** The crawl had left the host alone by then. */
  readonly wasBad: boolean;
}

interface HistoryLimits {
  /** After so many tries a link is given up. */
  readonly maxTries: number;
  /** A host that was bad is asked again by a run that begins so long after its last failure. */
  readonly backoffMaxMs: number;
}

/** More failures of one host than this say nothing new. */
const MAX_TROUBLES = 20;

/**
 * What hosts did before the process began, so that a resumed crawl is as careful with those in trouble as the one that was
 * stopped. Told to their clocks when all records are known: a page is recorded after its analysis, later than a failure behind
 * it, and in that order a host could seem bad that never was.
 */
export class HostHistory {
  readonly #hosts = new Map<string, Past>();
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
    const past = this.#hosts.get(host) ?? { lastOk: 0, troubles: [] };
    this.#hosts.set(host, past);
    if (record.kind === 'visit' && isHostTrouble(record, job?.entry.tries ?? 0)) {
      const wasBad = job !== undefined && this.#showsBadHost(record, job);
      past.troubles.push({ at: record.fetchedAt, waitMs: waitOf(record.detail), wasBad });
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
    for (const [host, { lastOk, troubles: all }] of this.#hosts) {
      const isQuiet = clocks.now - (all.at(-1)?.at ?? 0) > this.#limits.backoffMaxMs;
      const troubles = forgives || isQuiet ? lastPause(all, clocks.now) : all;
      const events = [{ at: lastOk, waitMs: -1, wasBad: false }, ...troubles].sort((a, b) => a.at - b.at);
      for (const { at, waitMs, wasBad } of events) {
        hosts.acquire(host, past(at));
        hosts.release(host, past(at), waitMs < 0 ? 'ok' : 'failed', Math.max(0, waitMs));
        // Counted again, failures close to each other may come out one fewer.
        if (wasBad) hosts.leaveAlone(host);
      }
    }
  }

  /** A link is given up before its last try only when its host is bad. A recheck keeps its tries to itself. */
  #showsBadHost({ origin, retried }: VisitRecord, { entry }: Pinned): boolean {
    return origin.via !== 'recheck' && !retried && entry.tries + 1 < this.#limits.maxTries;
  }
}

/** The last trouble as if it were the first; what its server asked for counts while it lasts. */
function lastPause(troubles: readonly Trouble[], now: number): readonly Trouble[] {
  return troubles.slice(-1).map(({ at, waitMs }) => ({ at, waitMs: at + waitMs > now ? waitMs : 0, wasBad: false }));
}

/** Trouble of the host, not of one page: what was tried again, or would have been had tries been left. */
function isHostTrouble({ result, reason, status, retried }: VisitRecord, tries: number): boolean {
  if (result !== 'failed') return false;
  // Of a page that was read but is of no use nothing is known that would speak against its host.
  if (status >= 200 && status < 300 && reason !== 'truncated') return false;
  if (retried || isPassingStatus(status)) return true;
  return PASSING_REASON.has(reason) || (tries > 0 && reason === 'dns');
}
