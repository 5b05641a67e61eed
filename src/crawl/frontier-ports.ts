import type { CanonicalUrl, TopicId } from '../core/index.ts';
import type { HostClocks, Standing } from './host-clocks.ts';
import type { SchedulePorts } from './host-schedule.ts';
import type { Bands } from './link-table.ts';
import type { FrontierEntry } from './ordering.ts';
import type { QueueLimits } from './topic-queues.ts';

export interface FrontierLimits extends QueueLimits {
  /** Share of takes that serve the most due topic, see `TopicShares`. In [0,1]. Default: 0, which takes the best link of any topic first. */
  readonly fairShare?: number;
}

export interface FrontierPorts extends SchedulePorts {
  readonly hosts: HostClocks;
  /** The user's rules on the order of links. Default: none. */
  readonly bands?: Bands | undefined;
  /** Returns false if links of the topic may not be taken now. Default: always true. */
  readonly isOpen?: (topic: TopicId) => boolean;
  /** Called for every entry that leaves without being taken, including offers rejected by a full queue. */
  readonly onGone: (url: CanonicalUrl) => void;
}

/**
 * Result of an offer. `added`: a new entry. `raised`: the waiting entry took the better priority and the other fields
 * of the offer. `kept`: the waiting entry is at least as good. `dropped`: the topic's queues are full of better
 * entries.
 */
export type OfferResult = 'added' | 'raised' | 'kept' | 'dropped';

/** A waiting entry that is among the next to be taken. */
export interface NextEntry {
  readonly entry: FrontierEntry;
  /** The user's rules place it first. */
  readonly isPreferred: boolean;
  /** Whether its host takes a request now. */
  readonly standing: Standing;
}

/** A waiting entry with its place in the queues of its topic. */
export interface WaitingPlace extends Pick<LinkPlace, 'queue' | 'before'> {
  readonly entry: FrontierEntry;
}

/** Where a link waits. */
export interface LinkPlace {
  readonly topic: TopicId;
  /** The best links of a topic are outgoing, the others incoming. */
  readonly queue: 'outgoing' | 'incoming';
  /** Greater is better. The user's rules and marks count before it. */
  readonly priority: number;
  /** Number of failed fetches. */
  readonly tries: number;
  /** Number of links of the topic that come before it. */
  readonly before: number;
  /** Number of links that wait for the topic. */
  readonly waiting: number;
}
