import {
  type Config,
  markTopic,
  ORDERINGS,
  type OrderingName,
  type RoundRecord,
  type RunRecord,
  type SteerRecord,
  type TopicId,
  type TopicTree,
} from '../core/index.ts';
import { type Judgements, withJudgements } from './training-items.ts';

/** All that people changed while the crawl ran: a fold over its `run` and `steer` records. */
export interface Steering {
  /** Settings of the last run that steering may overrule. */
  readonly configured: Configured;
  /** In place of the setting; `undefined`: the setting holds. */
  readonly budget: number | undefined;
  readonly ordering: OrderingName | undefined;
  readonly lockedHosts: readonly string[];
  readonly marks: ReadonlyMap<TopicId, boolean>;
  readonly learningEnded: boolean;
  /** What people decided on single pages. */
  readonly judgements: Judgements;
  /** Sequence of the last such decision; 0: none. */
  readonly judgedAt: number;
  /** Sequence at which stored pages were last judged again; 0: never. */
  readonly reclassifiedAt: number;
}

interface Configured {
  readonly budget: number | undefined;
  readonly ordering: OrderingName | undefined;
}

export const UNSTEERED: Steering = Object.freeze<Steering>({
  configured: { budget: undefined, ordering: undefined },
  budget: undefined,
  ordering: undefined,
  lockedHosts: [],
  marks: new Map(),
  learningEnded: false,
  judgements: new Map(),
  judgedAt: 0,
  reclassifiedAt: 0,
});

/**
 * Folds a record in. What was steered holds in later runs too, until somebody changes the setting itself: who asks for
 * another budget than last time means that one.
 */
export function steered(steering: Steering, record: RunRecord | SteerRecord): Steering {
  if (record.kind === 'run') return afterRun(steering, configuredBy(record.settings));
  const { command } = record;
  switch (command.kind) {
    case 'end-learning':
      return { ...steering, learningEnded: true };
    case 'set-budget':
      return { ...steering, budget: command.budget };
    case 'lock-host':
      return { ...steering, lockedHosts: [...steering.lockedHosts, command.host] };
    case 'mark-topic':
      return { ...steering, marks: new Map([...steering.marks, [command.topic, command.good]]) };
    case 'set-ordering':
      return { ...steering, ordering: command.ordering };
    case 'reclassified':
      return { ...steering, reclassifiedAt: record.sequence };
    case 'judge-page':
      return {
        ...steering,
        judgements: withJudgements(steering.judgements, [command.judgement]),
        judgedAt: record.sequence,
      };
  }
}

/** A round trained on all that people had decided; what was freed is free from then on. */
export function trained(steering: Steering, { judgedAt = 0 }: RoundRecord): Steering {
  if (judgedAt < steering.judgedAt) return steering;
  const kept = [...steering.judgements].filter(([, { use }]) => use !== 'free');
  return kept.length === steering.judgements.size ? steering : { ...steering, judgements: new Map(kept) };
}

/** The tree with the marks that people gave; topics that it no longer has are passed over. */
export function markedTree(tree: TopicTree, { marks }: Steering): TopicTree {
  let marked = tree;
  for (const [topic, good] of marks) if (tree.nodes.has(topic)) marked = markTopic(marked, topic, good);
  return marked;
}

function afterRun(steering: Steering, configured: Configured): Steering {
  const { configured: before } = steering;
  const keeps = (key: keyof Configured): boolean => before[key] === undefined || before[key] === configured[key];
  return {
    ...steering,
    configured,
    budget: keeps('budget') ? steering.budget : undefined,
    ordering: keeps('ordering') ? steering.ordering : undefined,
  };
}

function configuredBy(settings: string): Configured {
  const crawl = crawlSettings(settings);
  const ordering = ORDERINGS.find((name) => name === crawl.ordering);
  return { budget: typeof crawl.budget === 'number' ? crawl.budget : undefined, ordering };
}

/** Settings of a run are kept for the record; those of another version may lack anything. */
function crawlSettings(settings: string): Partial<Config['crawl']> {
  try {
    return (JSON.parse(settings) as Partial<Config> | null)?.crawl ?? {};
  } catch {
    return {};
  }
}
