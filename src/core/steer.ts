import { ORDERINGS, type OrderingName } from './config.ts';
import type { TopicId } from './ids.ts';

/** What a person changes in a running crawl. All of it is written to the journal, so that a resumed crawl repeats it. */
export type Steer =
  /** Learning is over, whatever is missing: retrain and harvest. */
  | { readonly kind: 'end-learning' }
  /** Pages to fetch in all. */
  | { readonly kind: 'set-budget'; readonly budget: number }
  /** Leave a host and everything below its name alone. */
  | { readonly kind: 'lock-host'; readonly host: string }
  | { readonly kind: 'mark-topic'; readonly topic: TopicId; readonly good: boolean }
  | { readonly kind: 'set-ordering'; readonly ordering: OrderingName };

/** What the dashboard asks for; a pause changes no decision, so it is not kept. */
export type SteerCommand = Steer | { readonly kind: 'pause' } | { readonly kind: 'resume' };

const HOST = /^[a-z0-9_[\]:.-]{1,255}$/;

/** Reads a command that came from another process; `undefined` when it is none. */
export function parseSteerCommand(value: unknown): SteerCommand | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, budget, host, topic, good, ordering } = value as Readonly<Record<string, unknown>>;
  switch (kind) {
    case 'pause':
    case 'resume':
    case 'end-learning':
      return { kind };
    case 'set-budget':
      return Number.isSafeInteger(budget) && (budget as number) > 0 ? { kind, budget: budget as number } : undefined;
    case 'lock-host':
      return typeof host === 'string' && HOST.test(host) ? { kind, host } : undefined;
    case 'mark-topic':
      return typeof topic === 'string' && typeof good === 'boolean'
        ? { kind, topic: topic as TopicId, good }
        : undefined;
    case 'set-ordering': {
      const known = ORDERINGS.find((name) => name === ordering);
      return known === undefined ? undefined : { kind, ordering: known };
    }
    default:
      return undefined;
  }
}
