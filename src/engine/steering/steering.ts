import {
  LIMIT_NAMES,
  LIMITS,
  type LimitName,
  markTopic,
  type OrderingName,
  type PhaseRecord,
  type RoundRecord,
  type RunRecord,
  type SteerRecord,
  type TopicId,
  type TopicTree,
} from '../../core/index.ts';
import type { Judgements } from '../training/site-marks.ts';
import { teach, withJudgements } from '../training/training-items.ts';
import { type RunSettings, readSettings, settingAt } from './setting-changes.ts';

/** All that people changed while the crawl ran: a fold over its `run` and `steer` records. */
export interface Steering {
  /** Settings of the last run. */
  readonly configured: RunSettings;
  /** In place of the setting; `undefined`: the setting holds. */
  readonly budget: number | undefined;
  readonly ordering: OrderingName | undefined;
  /** In place of their settings. */
  readonly limits: Limits;
  readonly lockedHosts: readonly string[];
  readonly marks: ReadonlyMap<TopicId, boolean>;
  readonly learningEnded: boolean;
  /** A person wants to go back to learning; it is over when the phase begins. */
  readonly learningWanted: boolean;
  /** The learning phase that goes on is one that a person went back to. */
  readonly isLearningAgain: boolean;
  /** What people decided on single pages. */
  readonly judgements: Judgements;
  /** Sequence of the last such decision that changes what is learned; 0: none. */
  readonly judgedAt: number;
  /** Sequence of the last round that trained on other pages of people than the one before; 0: none. */
  readonly taughtAt: number;
  /** Sequence of the last run whose settings, or local documents, make other models of the same pages than those of the run before; 0: none. */
  readonly resetAt: number;
  /** Sequence at which stored pages were last judged again; 0: never. */
  readonly reclassifiedAt: number;
}

type Limits = Readonly<Partial<Record<LimitName, number>>>;

/** Settings that a model follows from, beside the pages that it is learned from. */
const MODEL_SETTINGS = ['spaces', 'candidates', 'features', 'C', 'acceptThreshold', 'calibrated'] as const;

export const UNSTEERED: Steering = Object.freeze<Steering>({
  configured: {},
  limits: {},
  budget: undefined,
  ordering: undefined,
  lockedHosts: [],
  marks: new Map(),
  learningEnded: false,
  learningWanted: false,
  isLearningAgain: false,
  judgements: new Map(),
  judgedAt: 0,
  taughtAt: 0,
  resetAt: 0,
  reclassifiedAt: 0,
});

/**
 * Folds a record in. What was steered holds in later runs too, until somebody changes the setting itself: who asks for
 * another budget than last time means that one.
 */
export function steered(steering: Steering, record: RunRecord | SteerRecord): Steering {
  if (record.kind === 'run') return afterRun(steering, readSettings(record.settings), record.sequence);
  const { command } = record;
  switch (command.kind) {
    case 'end-learning':
      return { ...steering, learningEnded: true };
    case 'begin-learning':
      return { ...steering, learningEnded: false, learningWanted: true };
    case 'set-budget':
      return { ...steering, budget: command.budget };
    case 'set-limit':
      return { ...steering, limits: { ...steering.limits, [command.limit]: command.value } };
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
        judgedAt: teach(steering.judgements, [command.judgement]) ? record.sequence : steering.judgedAt,
      };
  }
}

/** A phase began. */
export function entered(steering: Steering, { phase }: PhaseRecord): Steering {
  return { ...steering, learningWanted: false, isLearningAgain: phase === 'learning' && steering.learningWanted };
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

function afterRun(steering: Steering, configured: RunSettings, sequence: number): Steering {
  const { configured: before } = steering;
  const keeps = (key: 'budget' | 'ordering'): boolean =>
    before.crawl?.[key] === undefined || before.crawl[key] === configured.crawl?.[key];
  return {
    ...steering,
    configured,
    budget: keeps('budget') ? steering.budget : undefined,
    ordering: keeps('ordering') ? steering.ordering : undefined,
    limits: keptLimits(steering.limits, before, configured),
    resetAt: learnsOtherwise(before, configured) ? sequence : steering.resetAt,
  };
}

/** A setting that another version did not have is no change. */
function learnsOtherwise(before: RunSettings, now: RunSettings): boolean {
  const keys = [...MODEL_SETTINGS.map((name) => `learn.${name}`), 'documents.digest'];
  return keys.some((key) => {
    const [was, is] = [settingAt(before, key), settingAt(now, key)];
    return was !== undefined && is !== undefined && JSON.stringify(was) !== JSON.stringify(is);
  });
}

function keptLimits(steered: Limits, before: RunSettings, now: RunSettings): Limits {
  const kept = LIMIT_NAMES.filter((name) => {
    const was = settingOf(before, name);
    return was === undefined || was === settingOf(now, name);
  });
  return Object.fromEntries(kept.flatMap((name) => (steered[name] === undefined ? [] : [[name, steered[name]]])));
}

/** The value of a limit's setting. */
export function settingOf(settings: RunSettings, limit: LimitName): unknown {
  return settingAt(settings, LIMITS[limit]);
}
