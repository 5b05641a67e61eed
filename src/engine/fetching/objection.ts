import { type CanonicalUrl, hostOf, NOT_NOW } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import type { Trouble } from '../../fetch/index.ts';
import type { CrawlState } from '../state/crawl-state.ts';

/** A robots.txt elsewhere waits no longer for its turn, in ms: its request holds one of the places for all requests. */
const MAX_TURN_MS = 250;

/**
 * What stands against asking the host of a URL, where nobody wanted a page of it: what a person said of it, or trouble that it is in.
 * @param now on the clock of the hosts
 */
export function objectionTo(
  url: CanonicalUrl,
  state: Pick<CrawlState, 'whyShut'>,
  { hosts, now }: { readonly hosts: HostClocks; readonly now: number },
): Trouble | undefined {
  const host = hostOf(url);
  const shut = state.whyShut(url);
  if (shut !== '') return { kind: 'refused', reason: 'locked-host', detail: shut };
  const busy = { kind: 'failed', retry: 'later', reason: 'connect', status: 0 } as const;
  if (hosts.isBad(host)) return { ...busy, detail: `${host} is left alone after its failures` };
  const pauseMs = hosts.pauseLeftMs(host, now);
  if (pauseMs > 0) return { ...busy, detail: `${host} has a pause after trouble`, retryAfterMs: pauseMs };
  const restMs = hosts.restLeftMs(host, now);
  return restMs > MAX_TURN_MS
    ? { ...busy, reason: NOT_NOW, detail: `${host} is to be asked for other pages first`, retryAfterMs: restMs }
    : undefined;
}
