import { type CanonicalUrl, hostOf, NOT_NOW } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import type { Trouble } from '../../fetch/index.ts';
import type { CrawlState } from '../state/crawl-state.ts';

/** Maximum wait, in ms, for a robots.txt on another host: the request holds one of the slots for all requests. */
const MAX_TURN_MS = 250;

/**
 * Returns why the host of a URL should not be asked for a page outside the crawl: the user's block, or trouble at the
 * host.
 * @param now on the hosts' clock
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
  if (hosts.isBad(host)) return { ...busy, detail: `${host} is skipped after its failures` };
  const pauseMs = hosts.pauseLeftMs(host, now);
  if (pauseMs > 0) return { ...busy, detail: `${host} pauses after failures`, retryAfterMs: pauseMs };
  const restMs = hosts.restLeftMs(host, now);
  return restMs > MAX_TURN_MS
    ? { ...busy, reason: NOT_NOW, detail: `${host} must answer for other pages first`, retryAfterMs: restMs }
    : undefined;
}
