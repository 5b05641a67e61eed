import {
  type Assignment,
  canonicalize,
  type ExamplePlaces,
  isOthersOrigin,
  type JournalRecord,
  type LinkScore,
  ROOT,
  type Steer,
  type TopicId,
  type TopicScores,
  type TopicTree,
  type TrainingEntry,
} from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import { NameHistory, parentOf, sideBySide } from './topic-moves.ts';

type Placed = Pick<TrainingEntry, 'key' | 'topic'>;

/** Sequence after every record: the names of the tree. */
const TREE = Number.POSITIVE_INFINITY;

/**
 * Translates topic names in the journal into those of the tree: the user may have renamed, moved or removed topics in
 * bingo.yaml. A removed topic becomes the one that now has most of its examples; if none has any, its nearest
 * remaining ancestor. A topic whose name now belongs to another one is also identified by its examples: see {@link
 * NameHistory}.
 */
export class TopicNames {
  readonly #tree: TopicTree;
  /** The topic of each example in the tree, by training key. */
  readonly #places: ReadonlyMap<string, TopicId>;
  /** For each removed topic: how often its examples were found under each current topic. */
  readonly #heirs = new Map<TopicId, Map<TopicId, number>>();
  readonly #history: NameHistory;

  /** @param inline training documents that are not web pages */
  constructor(tree: TopicTree, inline: readonly Placed[] = []) {
    this.#tree = tree;
    this.#places = new Map([...inline, ...pagesOf(tree)].map(({ key, topic }) => [key, topic]));
    this.#history = new NameHistory(this.#places, (id) => tree.nodes.has(id));
  }

  /** Reads in advance where examples stood throughout the journal. */
  foresee(rounds: readonly ExamplePlaces[]): void {
    this.#history.foresee(rounds);
  }

  /** Notes that another process with the same tree read all records up to this one. */
  readTo(sequence: number): void {
    this.#history.note(sequence);
  }

  /** Notes a journal record; it may show which examples a topic had. */
  note(record: JournalRecord): void {
    const { sequence } = record;
    this.#history.note(sequence);
    if (record.kind === 'page' && record.role === 'example')
      this.#meet({ key: record.url, topic: this.#history.now(record.origin.topic, sequence, false) });
    if (record.kind !== 'round') return;
    for (const { key, topic, origin } of record.training)
      if (!isOthersOrigin(origin)) this.#meet({ key, topic: this.#history.now(topic, sequence, false) });
  }

  /**
   * Returns the topic's current name; `undefined` if the topic is gone.
   * @param at sequence of the record that names it, as older records use older names. Default: the tree's names
   */
  renamed(id: TopicId, at: number = TREE): TopicId | undefined {
    return this.#named(this.#history.now(id, at, false));
  }

  /** Returns the current name of a topic in a table; unchanged if the topic is gone. */
  ofTables(id: TopicId): TopicId {
    return this.#history.ofTables(id) ?? id;
  }

  /** False if the tree has some example under another topic. */
  agreesWith(examples: readonly Placed[]): boolean {
    return examples.every(({ key, topic }) => (this.#places.get(key) ?? topic) === topic);
  }

  #named(id: TopicId): TopicId | undefined {
    if (this.#tree.nodes.has(id)) return id;
    const [heir] = [...(this.#heirs.get(id) ?? [])].sort(([, a], [, b]) => b - a);
    return heir?.[0];
  }

  /** Like `renamed`; if the topic is gone, returns its nearest remaining ancestor. */
  kept(id: TopicId, at: number = TREE): TopicId {
    return this.#nearest(this.#history.now(id, at, false));
  }

  #nearest(id: TopicId): TopicId {
    return this.#named(id) ?? this.#nearest(parentOf(id));
  }

  /**
   * Returns a verdict with the tree's topic names.
   * @param at sequence of the record the verdict belongs to
   */
  assignment(assignment: Assignment, at: number = TREE): Assignment {
    const { topic: given, others, scores } = assignment;
    const topic = this.kept(given, at);
    if (topic === given && scores.every((score) => this.renamed(score.topic, at) === score.topic)) return assignment;
    return { ...assignment, topic, others: topic === ROOT ? true : others, scores: this.#scores(scores, at) };
  }

  /** Returns a journal record with the tree's topic names; a round's training pages keep the old ones. */
  record(record: JournalRecord): JournalRecord {
    const { sequence: at } = record;
    switch (record.kind) {
      case 'page': {
        const { origin } = record;
        const topic = this.kept(origin.topic, at);
        const assignment = this.assignment(record.assignment, at);
        if (topic === origin.topic && assignment === record.assignment) return record;
        return { ...record, origin: { ...origin, topic }, assignment };
      }
      case 'visit': {
        const { origin } = record;
        const topic = this.kept(origin.topic, at);
        return topic === origin.topic ? record : { ...record, origin: { ...origin, topic } };
      }
      case 'round': {
        const renamed = <T extends { readonly topic: TopicId }>(items: readonly T[]): T[] =>
          items.flatMap((item) => {
            const topic = this.renamed(item.topic, at);
            return topic === undefined ? [] : [{ ...item, topic }];
          });
        const { boosted, estimates, links } = record;
        return {
          ...record,
          ...{ boosted: renamed(boosted), estimates: renamed(estimates), links: this.#links(links, at) },
        };
      }
      case 'steer':
        return { ...record, command: this.#command(record.command, at) };
      default:
        return record;
    }
  }

  /** Renames the topic of a user's decision. A decision for a removed topic stays unchanged and has no effect. */
  #command(command: Steer, at: number): Steer {
    if (command.kind === 'mark-topic') return { ...command, topic: this.#decided(command.topic, at) };
    if (command.kind !== 'judge-page') return command;
    const { judgement } = command;
    return { ...command, judgement: { ...judgement, topic: this.#decided(judgement.topic, at) } };
  }

  #decided(topic: TopicId, at: number): TopicId {
    const now = this.#history.now(topic, at, true);
    return this.#named(now) ?? now;
  }

  /** If topics were merged, a page's first score counts for all. */
  #links(links: readonly LinkScore[], at: number): LinkScore[] {
    const kept = new Map<string, LinkScore>();
    for (const link of links) {
      const topic = this.renamed(link.topic, at);
      const key = `${topic} ${link.url}`;
      if (topic !== undefined && !kept.has(key)) kept.set(key, topic === link.topic ? link : { ...link, topic });
    }
    return [...kept.values()];
  }

  /** If topics were merged, the first score counts for all. */
  #scores(scores: readonly TopicScores[], at: number): TopicScores[] {
    const kept = new Map<TopicId, TopicScores>();
    for (const score of scores) {
      const topic = this.renamed(score.topic, at);
      if (topic !== undefined && !kept.has(topic)) kept.set(topic, { ...score, topic });
    }
    return [...kept.values()];
  }

  /** Counts an example for its topic and all ancestors, which may have been renamed too. */
  #meet({ key, topic }: Placed): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    for (const [gone, heir] of sideBySide(topic, place)) if (!this.#tree.nodes.has(gone)) this.#count(gone, heir);
  }

  #count(gone: TopicId, heir: TopicId): void {
    const counts = this.#heirs.get(gone) ?? new Map<TopicId, number>();
    this.#heirs.set(gone, counts.set(heir, (counts.get(heir) ?? 0) + 1));
  }

  exchange(fields: Fields): void {
    fields.map(this.#heirs);
  }
}

function pagesOf(tree: TopicTree): Placed[] {
  return [...tree.nodes.values()].flatMap(({ id, examples }) =>
    examples.flatMap((example) => {
      const key = example.kind === 'url' ? canonicalize(example.url) : undefined;
      return key === undefined ? [] : [{ key, topic: id }];
    }),
  );
}
