import { hostOf, type JournalRecord, type VisitRecord } from '../core/index.ts';
import type { HostClocks } from '../crawl/index.ts';
import type { Pinned } from './bootstrap.ts';

/** Statuses that say "not now" of the whole host, beside 5xx: as the fetcher judges them. */
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);
/** Reasons without an answer that may pass. A wrong certificate or a name that does not exist is no trouble of the moment. */
const PASSING_REASON: ReadonlySet<string> = new Set(['connect', 'timeout', 'reset']);

/** Says in a visit's detail what the server asked for, for people and for a resumed crawl; `''` when it asked for nothing. */
export function waitNote(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined || retryAfterMs <= 0 ? '' : `, wait ${Math.ceil(retryAfterMs / 1000)} s`;
}

/** The pause that {@link waitNote} noted, in ms; 0 = none. */
export function waitOf(detail: string): number {
  return Number(/, wait (\d{1,9}) s$/.exec(detail)?.[1] ?? 0) * 1000;
}

/**
 * Tells the clocks of a host what a stored record says of it, so that a resumed crawl is as careful with hosts in trouble
 * as the one that was stopped. Records come in order.
 * @param at - when the fetch ended, on the clock that the clocks go by
 * @param job - the entry that it answered
 */
export function recallHost(hosts: HostClocks, record: JournalRecord, job: Pinned | undefined, at: number): void {
  if (record.kind !== 'page' && record.kind !== 'visit') return;
  // Nothing was asked of it.
  if (record.kind === 'visit' && record.reason === 'bad-host') return;
  const host = record.kind === 'page' ? record.host : hostOf(record.url);
  const isTrouble = record.kind === 'visit' && isHostTrouble(record, job?.entry.tries ?? 0);
  hosts.acquire(host, at);
  hosts.release(host, at, isTrouble ? 'failed' : 'ok', isTrouble ? waitOf(record.detail) : 0);
}

/** Trouble of the host, not of one page: what was tried again, or would have been had tries been left. */
function isHostTrouble({ result, reason, status, retried }: VisitRecord, tries: number): boolean {
  if (result !== 'failed' || (status >= 200 && status < 300)) return false;
  if (retried || status >= 500 || PASSING_STATUS.has(status)) return true;
  return PASSING_REASON.has(reason) || (tries > 0 && reason === 'dns');
}
