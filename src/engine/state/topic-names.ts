import {
  type Assignment,
  canonicalize,
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

type Placed = Pick<TrainingEntry, 'key' | 'topic'>;

/**
 * What the journal calls topics, in the words of the tree: a person may have renamed, moved or taken out some in bingo.yaml. A topic
 * that is gone is the one that has most of its examples now; where none has any, it is the nearest one above it that is left.
 */
export class TopicNames {
  readonly #tree: TopicTree;
  /** Where the tree has each example, by training key. */
  readonly #places: ReadonlyMap<string, TopicId>;
  /** Of each topic that is gone: how often its examples were met, by the topic that has them now. */
  readonly #heirs = new Map<TopicId, Map<TopicId, number>>();

  /** @param inline training documents that are no web pages */
  constructor(tree: TopicTree, inline: readonly Placed[] = []) {
    this.#tree = tree;
    this.#places = new Map([...inline, ...pagesOf(tree)].map(({ key, topic }) => [key, topic]));
  }

  /** A record of the journal is read: it may tell which examples a topic had. */
  note(record: JournalRecord): void {
    if (record.kind === 'page' && record.role === 'example')
      this.#meet({ key: record.url, topic: record.origin.topic });
    if (record.kind !== 'round') return;
    for (const entry of record.training) if (!isOthersOrigin(entry.origin)) this.#meet(entry);
  }

  /** The topic under the name that it has now; `undefined` when it is gone. */
  renamed(id: TopicId): TopicId | undefined {
    if (this.#tree.nodes.has(id)) return id;
    const [heir] = [...(this.#heirs.get(id) ?? [])].sort(([, a], [, b]) => b - a);
    return heir?.[0];
  }

  /** The same; where it is gone, the nearest one above it that is not. */
  kept(id: TopicId): TopicId {
    return this.renamed(id) ?? this.kept(parentOf(id));
  }

  /** A verdict in the words of the tree. */
  assignment(assignment: Assignment): Assignment {
    const { topic: given, others, scores } = assignment;
    const topic = this.kept(given);
    if (topic === given && scores.every((score) => this.#tree.nodes.has(score.topic))) return assignment;
    return { ...assignment, topic, others: topic === ROOT ? true : others, scores: this.#scores(scores) };
  }

  /** A record of the journal in the words of the tree; what a round trained on stays as it was. */
  record(record: JournalRecord): JournalRecord {
    switch (record.kind) {
      case 'page': {
        const { origin } = record;
        const topic = this.kept(origin.topic);
        const assignment = this.assignment(record.assignment);
        if (topic === origin.topic && assignment === record.assignment) return record;
        return { ...record, origin: { ...origin, topic }, assignment };
      }
      case 'visit': {
        const { origin } = record;
        const topic = this.kept(origin.topic);
        return topic === origin.topic ? record : { ...record, origin: { ...origin, topic } };
      }
      case 'round': {
        const boosted = record.boosted.flatMap((link) => {
          const topic = this.renamed(link.topic);
          return topic === undefined ? [] : [{ ...link, topic }];
        });
        return { ...record, boosted, links: this.#links(record.links) };
      }
      case 'steer':
        return { ...record, command: this.#command(record.command) };
      default:
        return record;
    }
  }

  /** What a person decided for a topic goes with it; for one that is gone it stays as it is, and rests. */
  #command(command: Steer): Steer {
    if (command.kind === 'mark-topic') return { ...command, topic: this.renamed(command.topic) ?? command.topic };
    if (command.kind !== 'judge-page') return command;
    const { judgement } = command;
    return { ...command, judgement: { ...judgement, topic: this.renamed(judgement.topic) ?? judgement.topic } };
  }

  /** Where topics were put together, the first score of a page stands for all. */
  #links(links: readonly LinkScore[]): LinkScore[] {
    const kept = new Map<string, LinkScore>();
    for (const link of links) {
      const topic = this.renamed(link.topic);
      const key = `${topic} ${link.url}`;
      if (topic !== undefined && !kept.has(key)) kept.set(key, topic === link.topic ? link : { ...link, topic });
    }
    return [...kept.values()];
  }

  /** Where topics were put together, the first score stands for all. */
  #scores(scores: readonly TopicScores[]): TopicScores[] {
    const kept = new Map<TopicId, TopicScores>();
    for (const score of scores) {
      const topic = this.renamed(score.topic);
      if (topic !== undefined && !kept.has(topic)) kept.set(topic, { ...score, topic });
    }
    return [...kept.values()];
  }

  /** An example of a topic, and so of those above it: they may have been renamed, too. */
  #meet({ key, topic }: Placed): void {
    let heir = this.#places.get(key);
    for (let gone = topic; heir !== undefined && heir !== ROOT && gone !== ROOT; gone = parentOf(gone)) {
      if (!this.#tree.nodes.has(gone)) this.#count(gone, heir);
      heir = parentOf(heir);
    }
  }

  #count(gone: TopicId, heir: TopicId): void {
    const counts = this.#heirs.get(gone) ?? new Map<TopicId, number>();
    this.#heirs.set(gone, counts.set(heir, (counts.get(heir) ?? 0) + 1));
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

function parentOf(id: TopicId): TopicId {
  return id.slice(0, Math.max(0, id.lastIndexOf('/'))) as TopicId;
}
