import type { LeftOut, LeftOutRule } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';

const WHAT: Readonly<Record<LeftOutRule, string>> = {
  'traps.wastedFetches': 'like others that gave nothing new (traps.wastedFetches)',
  'traps.maxPathDepth': 'with paths too deep (traps.maxPathDepth)',
  'traps.maxSegmentRepeats': 'with paths that repeat themselves (traps.maxSegmentRepeats)',
  'traps.hostsPerDomain': 'on domains of countless hosts (traps.hostsPerDomain)',
  'crawl.lockedHosts': 'on locked hosts',
  'crawl.exclude': 'excluded by a rule (crawl.exclude)',
  'crawl.include': 'matched by no rule (crawl.include)',
  'crawl.maxUrlChars': 'too long (crawl.maxUrlChars)',
  'crawl.maxHostChars': 'with host names too long',
  'bad-host': 'on hosts skipped after failures',
};

/** Names a rule and the number of URLs that it blocked. */
export function leftOutText({ rule, addresses }: LeftOut): string {
  return `${counted(addresses, 'address')} ${WHAT[rule]}`;
}

/** Summarises in one sentence what rules blocked; empty if they blocked nothing. */
export function leftOutLines([first, ...rest]: readonly LeftOut[] = []): string[] {
  if (first === undefined) return [];
  const parts = [leftOutText(first), ...rest.map(({ rule, addresses }) => `${count(addresses)} ${WHAT[rule]}`)];
  return [`Links left out: ${parts.join(', ')}.`];
}
