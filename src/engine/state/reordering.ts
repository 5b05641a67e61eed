import { type CanonicalUrl, hostOf } from '../../core/index.ts';
import {
  type Frontier,
  type FrontierEntry,
  type Ordering,
  type SectionChange,
  sectionOf,
  type TrapGuard,
} from '../../crawl/index.ts';
import type { LeftOutLinks } from './excluded-links.ts';
import type { LinkGate } from './link-gate.ts';

/** Priority of links that promise only copies and errors: below links that the focus rule rejects. */
export const DOUBTFUL_PRIORITY = -1000;

/** What decides whether a link may wait longer. */
interface Judges {
  readonly guard: TrapGuard;
  readonly gate: LinkGate;
  /** Receives links that may no longer wait. */
  readonly leftOut: LeftOutLinks;
}

/** Moves links that proved doubtful to the end of the queue, and removes worthless ones. */
export function demote(
  entries: readonly FrontierEntry[],
  { frontier, ordering }: { readonly frontier: Frontier; readonly ordering: Ordering },
  { guard, gate, leftOut }: Judges,
): void {
  const dropped: CanonicalUrl[] = [];
  for (const { url, host, priority, from } of entries) {
    const standing = guard.standing(url, host);
    if (standing === 'barred') leftOut.note(url, guard.barredBy(url, host));
    const isOfMirror = from !== '' && guard.isMirror(hostOf(from as CanonicalUrl));
    if (standing === 'barred' || isOfMirror || gate.isRepeat(url, host)) dropped.push(url);
    else if (standing === 'doubtful' && priority > DOUBTFUL_PRIORITY) {
      // Below all others, the most promising first.
      frontier.reprioritize(url, DOUBTFUL_PRIORITY - 1 + Math.min(1, Math.max(0, priority)));
      ordering.gone(url);
    }
  }
  frontier.dropTrapped(dropped);
}

/** Changes the weight of waiting links of a part of a site. */
export function reweigh(frontier: Frontier, { host, section, factor }: SectionChange): void {
  for (const { url, priority } of frontier.waitingOn(host))
    if (priority > 0 && sectionOf(url) === section) frontier.reprioritize(url, priority * factor);
}
