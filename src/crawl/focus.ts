import { type Assignment, ROOT, registeredDomain, type TopicId } from '../core/index.ts';
import type { FocusMode, FrontierEntry } from './ordering.ts';

export interface FocusQuestion {
  readonly phase: 'learning' | 'harvesting';
  /** Default: `soft`. While learning the focus is always sharp. */
  readonly mode?: FocusMode;
  readonly assignment: Assignment;
  /** The entry that the page was fetched for; `undefined` for one that did not come out of the frontier. */
  readonly entry: Pick<FrontierEntry, 'topic' | 'depth' | 'tunnelDepth' | 'via'> | undefined;
  /** Rejected pages in a row that links are followed behind. */
  readonly tunnelDistance: number;
  /** Greatest depth of a link while learning. */
  readonly learnMaxDepth: number;
  readonly isGood: (topic: TopicId) => boolean;
  /** Registered domains that the learning phase keeps to. Default: no limit. */
  readonly seedDomains?: ReadonlySet<string>;
}

/** How the links of a page are followed. */
export interface Follow {
  /** In whose queues they wait. */
  readonly topic: TopicId;
  readonly depth: number;
  /** Rejected pages in a row before them, the page included; 0 behind an accepted page. */
  readonly tunnelDepth: number;
  /** Whether a link to this host is followed. */
  readonly allowUrl: (host: string) => boolean;
}

/**
 * The focus rule (BINGO! §3.3): whether, and as what, the links of a judged page are followed; `undefined` when they are
 * not. Sharp focus while learning: the page must have the class of its predecessor; behind a seed any good topic will
 * do. A page of another class counts as rejected by the topic that asked for it.
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
 * The good topic that a page belongs to. A page that ended in OTHERS below a good inner node belongs to that node and to
 * none of its children; only ROOT/OTHERS is off topic (BINGO! §3.3).
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
