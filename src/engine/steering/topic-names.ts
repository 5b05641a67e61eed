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

/** Behind every record: the names of the tree. */
const TREE = Number.POSITIVE_INFINITY;

/**
 * What the journal calls topics, in the words of the tree: a person may have renamed, moved or taken out some in bingo.yaml. A topic
 * that is gone is the one that has most of its examples now; where none has any, it is the nearest one above it that is left. One whose
 * name another topic has now is told by its examples, too: see {@link NameHistory}.
 */
export class TopicNames {
  readonly #tree: TopicTree;
  /** Where the tree has each example, by training key. */
  readonly #places: ReadonlyMap<string, TopicId>;
  /** Of each topic that is gone: how often its examples were met, by the topic that has them now. */
  readonly #heirs = new Map<TopicId, Map<TopicId, number>>();
  readonly #history: NameHistory;

  /** @param inline training documents that are no web pages */
  constructor(tree: TopicTree, inline: readonly Placed[] = []) {
    this.#tree = tree;
    this.#places = new Map([...inline, ...pagesOf(tree)].map(({ key, topic }) => [key, topic]));
    this.#history = new NameHistory(this.#places, (id) => tree.nodes.has(id));
  }

  /** Hears where examples stood in the whole journal, before it is read. */
  foresee(rounds: readonly ExamplePlaces[]): void {
    this.#history.foresee(rounds);
  }

  /** All records up to this one were read before, by another process with the same tree. */
  readTo(sequence: number): void {
    this.#history.note(sequence);
  }

  /** A record of the journal is read: it may tell which examples a topic had. */
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
   * The topic under the name that it has now; `undefined` when it is gone.
   * @param at sequence of the record that names it, of which the journal may hold some in older names. Default: the tree does
   */
  renamed(id: TopicId, at: number = TREE): TopicId | undefined {
    return this.#named(this.#history.now(id, at, false));
  }

  /** What a table calls so, under the name that it has now; as it is where it is gone. */
  ofTables(id: TopicId): TopicId {
    return this.#history.ofTables(id) ?? id;
  }

  /** False: the tree has some example elsewhere than it stood. */
  agreesWith(examples: readonly Placed[]): boolean {
    return examples.every(({ key, topic }) => (this.#places.get(key) ?? topic) === topic);
  }

  #named(id: TopicId): TopicId | undefined {
    if (this.#tree.nodes.has(id)) return id;
    const [heir] = [...(this.#heirs.get(id) ?? [])].sort(([, a], [, b]) => b - a);
    return heir?.[0];
  }

  /** The same; where it is gone, the nearest one above it that is not. */
  kept(id: TopicId, at: number = TREE): TopicId {
    return this.#nearest(this.#history.now(id, at, false));
  }

  #nearest(id: TopicId): TopicId {
    return this.#named(id) ?? this.#nearest(parentOf(id));
  }

  /**
   * A verdict in the words of the tree.
   * @param at sequence of a record that names topics as it does
   */
  assignment(assignment: Assignment, at: number = TREE): Assignment {
    const { topic: given, others, scores } = assignment;
    const topic = this.kept(given, at);
    if (topic === given && scores.every((score) => this.renamed(score.topic, at) === score.topic)) return assignment;
    return { ...assignment, topic, others: topic === ROOT ? true : others, scores: this.#scores(scores, at) };
  }

  /** A record of the journal in the words of the tree; what a round trained on stays as it was. */
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

  /** What a person decided for a topic goes with it; for one that is gone it stays as it is, and rests. */
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

  /** Where topics were put together, the first score of a page stands for all. */
  #links(links: readonly LinkScore[], at: number): LinkScore[] {
    const kept = new Map<string, LinkScore>();
    for (const link of links) {
      const topic = this.renamed(link.topic, at);
      const key = `${topic} ${link.url}`;
      if (topic !== undefined && !kept.has(key)) kept.set(key, topic === link.topic ? link : { ...link, topic });
    }
    return [...kept.values()];
  }

  /** Where topics were put together, the first score stands for all. */
  #scores(scores: readonly TopicScores[], at: number): TopicScores[] {
    const kept = new Map<TopicId, TopicScores>();
    for (const score of scores) {
      const topic = this.renamed(score.topic, at);
      if (topic !== undefined && !kept.has(topic)) kept.set(topic, { ...score, topic });
    }
    return [...kept.values()];
  }

  /** An example of a topic, and so of those above it: they may have been renamed, too. */
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
