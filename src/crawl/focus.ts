import { type Assignment, ROOT, registeredDomain, type TopicId } from '../core/index.ts';
import type { FocusMode, FrontierEntry } from './ordering.ts';

export interface FocusQuestion {
  readonly phase: 'learning' | 'harvesting';
  /** Default: `soft`. While learning the focus is always sharp. */
  readonly mode?: FocusMode;
  readonly assignment: Assignment;
  /** The entry the page was fetched for; `undefined` if the page did not come from the frontier. */
  readonly entry: Pick<FrontierEntry, 'topic' | 'depth' | 'tunnelDepth' | 'via'> | undefined;
  /** Maximum number of consecutive rejected pages whose links are still followed. */
  readonly tunnelDistance: number;
  /** Maximum depth of a link while learning. */
  readonly learnMaxDepth: number;
  readonly isGood: (topic: TopicId) => boolean;
  /** Registered domains that the learning phase is limited to. Default: no limit. */
  readonly seedDomains?: ReadonlySet<string>;
}

/** How the links of a page are followed. */
export interface Follow {
  /** The topic whose queues receive the links. */
  readonly topic: TopicId;
  readonly depth: number;
  /** Number of consecutive rejected pages before the links, including this page; 0 behind an accepted page. */
  readonly tunnelDepth: number;
  /** Whether a link to this host is followed. */
  readonly allowUrl: (host: string) => boolean;
}

/**
 * The focus rule (BINGO! §3.3). Decides whether the links of a judged page are followed, and in which topic's queues.
 * Returns `undefined` if they are not followed. While learning, the focus is sharp: the page must have the class of
 * its predecessor. Behind a seed, any good topic is accepted. A page of another class counts as rejected by the
 * requesting topic.
 */
export function focus(question: FocusQuestion): Follow | undefined {
  const { phase, entry, learnMaxDepth, seedDomains } = question;
  const depth = (entry?.depth ?? 0) + 1;
  if (phase === 'learning' && depth > learnMaxDepth) return undefined;
  const step = acceptedStep(question) ?? tunnelStep(question);
  if (step === undefined) return undefined;
  const isLimited = phase === 'learning' && seedDomains !== undefined;
  const allowUrl = (host: string): boolean => !isLimited || seedDomains.has(registeredDomain(host));
  return { ...step, depth, allowUrl };
}

type Step = Pick<Follow, 'topic' | 'tunnelDepth'>;

function acceptedStep({ phase, assignment, entry, isGood }: FocusQuestion): Step | undefined {
  const topic = acceptedTopic(assignment, isGood);
  if (topic === undefined) return undefined;
  const isSharp = phase === 'learning' && entry !== undefined && entry.via !== 'seed';
  return isSharp && topic !== entry.topic ? undefined : { topic, tunnelDepth: 0 };
}

/**
 * Returns the good topic that a page belongs to. A page that ended in OTHERS below a good inner node belongs to that
 * node, not to its children. Only ROOT/OTHERS is off topic (BINGO! §3.3).
 */
export function acceptedTopic(assignment: Assignment, isGood: (topic: TopicId) => boolean): TopicId | undefined {
  const { topic } = assignment;
  return topic !== ROOT && isGood(topic) ? topic : undefined;
}

function tunnelStep({ phase, mode, entry, tunnelDistance }: FocusQuestion): Step | undefined {
  if (entry === undefined || (phase === 'harvesting' && mode === 'hard')) return undefined;
  const tunnelDepth = entry.tunnelDepth + 1;
  return tunnelDepth > tunnelDistance ? undefined : { topic: entry.topic, tunnelDepth };
}
