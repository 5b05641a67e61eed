import { count } from '../../kit/index.ts';
import type { StoreStatus } from '../../store/index.ts';
import { sanitizeForTerminal } from '../../workbench/index.ts';

const FAILURES_SHOWN = 6;

/** Notes on failure reasons that affect more than one page. */
const NOTES: Readonly<Record<string, string>> = {
  'refused bad-host': ' (not asked for: fetches from the host had failed too often in a row)',
  'refused locked-host': ' (robots.txt lies on a host that is to be left alone: crawl.lockedHosts, crawl.exclude)',
  'refused private-address': ' (pages of an intranet: network.allowPrivate)',
  'refused size': ' (larger than network.maxBodyBytes or maxBytesByType)',
  'failed tls': ' (invalid certificates: network.insecureTls)',
  'noindex links-followed': ' (asks not to be stored; its links are followed)',
};

/** Returns the most frequent reasons why fetches returned no page. */
export function failureLines(found: StoreStatus): string[] {
  const top = found.visits.filter(({ result }) => result !== 'unchanged').slice(0, FAILURES_SHOWN);
  if (top.length === 0) return [];
  const lines = top.map(
    ({ result, reason, status, count: n }) =>
      `  ${count(n).padStart(7)}  ${sanitizeForTerminal(`${result} ${reason}`)}${status > 0 ? ` ${status}` : ''}${NOTES[`${result} ${reason}`] ?? ''}`,
  );
  return ['', 'Fetches that gave no page:', ...lines];
}
