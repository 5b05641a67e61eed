import { type CanonicalUrl, hostOf, type RoundRecord } from '../../core/index.ts';
import type { Frontier, TrapGuard } from '../../crawl/index.ts';
import type { Budgets } from './budgets.ts';
import type { LinkGate } from './link-gate.ts';

/** What decides whether a link may wait, and how much its site counts. */
interface HubLinkPorts {
  readonly frontier: Frontier;
  readonly gate: LinkGate;
  readonly guard: TrapGuard;
  readonly budgets: Budgets;
  readonly weigh: (url: CanonicalUrl, host: string, priority: number) => number;
}

/**
 * Puts unvisited links of a round's best hubs before all waiting links, best hub first (BINGO! §2.5, Focused crawling
 * §3.2).
 */
export function followHubs(
  { boosted }: Pick<RoundRecord, 'boosted'>,
  { frontier, gate, guard, budgets, weigh }: HubLinkPorts,
): void {
  if (boosted.length === 0) return;
  const above = Math.max(0, frontier.highestPriority) + 1;
  for (const [i, { url, topic, from }] of boosted.entries()) {
    if (gate.isTaken(url)) continue;
    const host = hostOf(url);
    if (!gate.isAdmissible(url, host) || budgets.isSpent(topic)) continue;
    if (guard.standing(url, host) !== 'free' || gate.isRepeat(url, host)) continue;
    const place = { topic, depth: 1, tunnelDepth: 0, via: 'hub' as const, from, tries: 0, redirects: [] };
    frontier.offer({ url, host, priority: weigh(url, host, above - i / boosted.length), ...place });
  }
}
