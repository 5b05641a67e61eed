import {
  type Config,
  type LimitName,
  lockedSearchEngines,
  type Phase,
  type RoundRecord,
  type TopicId,
  type TopicTree,
  topicNode,
  withoutWords,
} from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import { markedTree, type Steering, sameMarks, settingOf, UNSTEERED } from '../steering/steering.ts';
import { type SiteMarks, siteMarks } from '../training/site-marks.ts';

/** Marks of topics that apply from the first record on, because the journal is folded again for them. */
export interface FoldedMarks {
  readonly marks: Steering['marks'];
  /** Sequence of the last record that they include. */
  readonly at: number;
}

export const NO_MARKS: FoldedMarks = Object.freeze<FoldedMarks>({ marks: new Map(), at: 0 });

/** The single values of a crawl's state, which its parts share. Only folding a record changes them. */
export class CrawlFacts {
  readonly config: Config;
  /** The workspace's tree; `tree` also has the user's marks. */
  readonly #givenTree: TopicTree;
  phase: Phase = 'bootstrap';
  sequence = 0;
  round: RoundRecord | undefined;
  steering: Steering = UNSTEERED;
  tree: TopicTree;
  #folded: FoldedMarks;
  /** Sequence of the last page judged by a model that is blind or accepts nearly everything; 0 = none. */
  indiscriminateAt = 0;
  /** Sequence of the current model's round; 0 = none. */
  modelAt = 0;

  constructor(tree: TopicTree, config: Config, folded: FoldedMarks = NO_MARKS) {
    this.#givenTree = tree;
    this.#folded = folded;
    this.tree = markedTree(tree, folded);
    this.config = config;
  }

  /** True if these marks make the same topics good as those that apply from the first record on. */
  includes(marks: Steering['marks']): boolean {
    return sameMarks(this.#givenTree, this.#folded, { marks });
  }

  /** Returns a limit in force, in the unit of its setting. */
  limit(name: LimitName): number {
    return this.steering.limits[name] ?? Number(settingOf(this.config, name));
  }

  readonly isGood = (id: TopicId): boolean => topicNode(this.tree, id).good;

  /** The user's marks of whole sites. */
  get sites(): SiteMarks {
    return siteMarks(this.steering.judgements);
  }

  get lockedHosts(): readonly string[] {
    const byTopic = [...this.tree.nodes.values()].flatMap((node) => node.lockedHosts);
    const { lockedHosts, lockSearchEngines } = this.config.crawl;
    const engines = lockSearchEngines ? lockedSearchEngines(this.#givenTree) : [];
    return [...lockedHosts, ...engines, ...byTopic, ...this.steering.lockedHosts];
  }

  /** Adds the user's marks to the tree, unless the tree includes them from the start. */
  markTree(): void {
    if (this.sequence > this.#folded.at) this.tree = markedTree(this.#givenTree, this.steering);
  }

  exchange(fields: Fields): void {
    this.sequence = fields.value(this.sequence);
    this.phase = fields.value(this.phase);
    this.steering = fields.value(this.steering);
    this.round = fields.made(() => this.round && withoutWords(this.round));
    this.#folded = fields.value(this.#folded);
    this.indiscriminateAt = fields.value(this.indiscriminateAt);
    this.modelAt = fields.value(this.modelAt);
    if (!fields.isLoading) return;
    this.tree = markedTree(this.#givenTree, this.#folded);
    this.markTree();
  }
}
