import type { LeftOut, LeftOutRule } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';

const WHAT: Readonly<Record<LeftOutRule, string>> = {
  'traps.wastedFetches': 'like others that gave nothing new (traps.wastedFetches)',
  'traps.maxPathDepth': 'with paths too deep (traps.maxPathDepth)',
  'traps.maxSegmentRepeats': 'with paths that repeat themselves (traps.maxSegmentRepeats)',
  'traps.hostsPerDomain': 'on domains of countless hosts (traps.hostsPerDomain)',
  'crawl.lockedHosts': 'on locked hosts',
  'crawl.exclude': 'that a rule keeps out (crawl.exclude)',
  'crawl.include': 'that no rule lets in (crawl.include)',
  'crawl.maxUrlChars': 'that are too long (crawl.maxUrlChars)',
  'crawl.maxHostChars': 'with host names too long',
  'bad-host': 'on hosts left alone after failures',
};

/** Names a rule and the number of URLs that it blocked. */
export function leftOutText({ rule, addresses }: LeftOut): string {
  return `${counted(addresses, 'address')} ${WHAT[rule]}`;
}

/** Summarises in one sentence what rules blocked; empty if they blocked nothing. */
export function leftOutLines([first, ...rest]: readonly LeftOut[] = []): string[] {
  if (first === undefined) return [];
  const parts = [leftOutText(first), ...rest.map(({ rule, addresses }) => `${count(addresses)} ${WHAT[rule]}`)];
  return [`Left out of what pages link to: ${parts.join(', ')}.`];
}
