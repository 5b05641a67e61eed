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
import { goodChanges, type RunSettings, readSettings, settingAt } from './setting-changes.ts';

/** All changes by the user during the crawl: a fold over its `run` and `steer` records. */
export interface Steering {
  /** Settings of the last run. */
  readonly configured: RunSettings;
  /** Overrides the setting; `undefined` if the setting applies. */
  readonly budget: number | undefined;
  readonly ordering: OrderingName | undefined;
  /** Overrides of their settings. */
  readonly limits: Limits;
  readonly lockedHosts: readonly string[];
  readonly marks: ReadonlyMap<TopicId, boolean>;
  readonly learningEnded: boolean;
  /** True if the user wants to return to learning; reset when the phase starts. */
  readonly learningWanted: boolean;
  /** True if the user returned to the current learning phase. */
  readonly isLearningAgain: boolean;
  /** The user's decisions on single pages. */
  readonly judgements: Judgements;
  /** Sequence of the last of these decisions, or of a topic's mark, that affects training; 0 = none. */
  readonly judgedAt: number;
  /** Sequence of the last round whose user-given training pages differ from those of the round before; 0 = none. */
  readonly taughtAt: number;
  /**
   * Sequence of the last run whose settings, local documents or good topics lead to other models of the same pages
   * than before; 0 = none.
   */
  readonly resetAt: number;
  /** Sequence at which stored pages were last judged again; 0: never. */
  readonly reclassifiedAt: number;
}

type Limits = Readonly<Partial<Record<LimitName, number>>>;

/** Settings that affect the model, apart from its training pages. */
const MODEL_SETTINGS = [
  'spaces',
  'candidates',
  'features',
  'C',
  'classifier',
  'kernel',
  'acceptThreshold',
  'calibrated',
] as const;

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
 * Folds one record. A steered value also applies to later runs, until the user changes the setting itself: another
 * budget than last time replaces it.
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
      return {
        ...steering,
        marks: new Map([...steering.marks, [command.topic, command.good]]),
        judgedAt: record.sequence,
      };
    case 'set-ordering':
      return { ...steering, ordering: command.ordering };
    case 'continue-barren':
    case 'name-topic':
    case 'begin-shard':
    case 'note-mirror':
      return steering;
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

/** True if two sets of marks make the same topics good. */
export function sameMarks(tree: TopicTree, one: Pick<Steering, 'marks'>, other: Pick<Steering, 'marks'>): boolean {
  const isGood = (topic: TopicId, { marks }: Pick<Steering, 'marks'>): boolean | undefined =>
    marks.get(topic) ?? tree.nodes.get(topic)?.good;
  const marked = [...one.marks.keys(), ...other.marks.keys()].filter((topic) => tree.nodes.has(topic));
  return marked.every((topic) => isGood(topic, one) === isGood(topic, other));
}

/** Folds the start of a phase. */
export function entered(steering: Steering, { phase }: PhaseRecord): Steering {
  return { ...steering, learningWanted: false, isLearningAgain: phase === 'learning' && steering.learningWanted };
}

/** Folds a round that trained on all of the user's decisions; pages released by the user are free from then on. */
export function trained(steering: Steering, { judgedAt = 0 }: RoundRecord): Steering {
  if (judgedAt < steering.judgedAt) return steering;
  const kept = [...steering.judgements].filter(([, { use }]) => use !== 'free');
  return kept.length === steering.judgements.size ? steering : { ...steering, judgements: new Map(kept) };
}

/** Returns the tree with the user's marks. Marks of topics missing from the tree are ignored. */
export function markedTree(tree: TopicTree, { marks }: Pick<Steering, 'marks'>): TopicTree {
  let marked = tree;
  for (const [topic, good] of marks) if (tree.nodes.has(topic)) marked = markTopic(marked, topic, good);
  return marked;
}

function afterRun(steering: Steering, configured: RunSettings, sequence: number): Steering {
  const { configured: before } = steering;
  const keeps = (key: 'budget' | 'ordering'): boolean =>
    before.crawl?.[key] === undefined || before.crawl[key] === configured.crawl?.[key];
  const remarked = goodChanges(before, configured);
  const isMarkedOtherwise = remarked.some(({ topic, now, before: was }) => (steering.marks.get(topic) ?? was) !== now);
  return {
    ...steering,
    configured,
    marks: new Map([...steering.marks].filter(([marked]) => !remarked.some(({ topic }) => topic === marked))),
    budget: keeps('budget') ? steering.budget : undefined,
    ordering: keeps('ordering') ? steering.ordering : undefined,
    limits: keptLimits(steering.limits, before, configured),
    resetAt: isMarkedOtherwise || learnsOtherwise(before, configured) ? sequence : steering.resetAt,
  };
}

/** A setting missing from another version is not a change. */
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

/** Returns the setting value of a limit. */
export function settingOf(settings: RunSettings, limit: LimitName): unknown {
  return settingAt(settings, LIMITS[limit]);
}
