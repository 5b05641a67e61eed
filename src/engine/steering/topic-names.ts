import {
  type Assignment,
  type JournalRecord,
  type LinkScore,
  parentTopic,
  ROOT,
  type Steer,
  type TopicId,
  type TopicNaming,
  type TopicPaths,
  type TopicScores,
  type TopicTree,
} from '../../core/index.ts';

/** Sequence after every record: the names of the tree. */
const TREE = Number.POSITIVE_INFINITY;

/** The names of topics in a part of the journal. */
interface Epoch {
  /** Sequence of its first record. */
  readonly from: number;
  /** Topics whose path is not their id. */
  readonly paths: TopicPaths;
  readonly ids: ReadonlyMap<TopicId, string>;
}

/** The current paths of topics. */
interface Known {
  readonly paths: TopicPaths;
  readonly taken: ReadonlySet<TopicId>;
}

/**
 * Translates topic paths in the journal into those of the tree: the user may have renamed, moved or removed topics.
 * Records name a topic by the path that it had at the time; `name-topic` records say which id the path belonged to.
 */
export class TopicNames {
  readonly #tree: TopicTree;
  readonly #now: TopicPaths | undefined;
  readonly #namings: TopicNaming[] = [];
  #epochs: readonly Epoch[] | undefined;
  #known: Known | undefined;

  /** @param now the tree's topics by id. Default: as the journal names them last */
  constructor(tree: TopicTree, now?: TopicPaths) {
    this.#tree = tree;
    this.#now = now;
  }

  /** Notes a record that names a topic, in order. Records noted before are ignored. */
  note(naming: TopicNaming): void {
    if (naming.sequence <= (this.#namings.at(-1)?.sequence ?? 0)) return;
    this.#namings.push(naming);
    this.#epochs = undefined;
    this.#known = undefined;
  }

  /** True if every topic always had its current path. */
  get areFixed(): boolean {
    return this.#namings.length === 0 && this.unrecorded().length === 0;
  }

  /** Returns the topics whose current paths the journal does not have yet. */
  unrecorded(): readonly Omit<TopicNaming, 'sequence'>[] {
    const last = this.#history.at(-1)?.paths;
    return [...(this.#now ?? [])].flatMap(([id, topic]) => ((last?.get(id) ?? id) === topic ? [] : [{ id, topic }]));
  }

  /**
   * Returns the topic's current path; `undefined` if the topic is gone.
   * @param at sequence of the record that names it, as older records use older paths. Default: the tree's paths
   */
  renamed(topic: TopicId, at: number = TREE): TopicId | undefined {
    const path = at === TREE || topic === ROOT ? topic : this.#pathOf(this.#idOf(topic, at));
    return path !== undefined && this.#tree.nodes.has(path) ? path : undefined;
  }

  /** Returns the current path of a topic in a table, which does not record when it was written. */
  ofTables(topic: TopicId): TopicId {
    const starts = [0, ...this.#history.map(({ from }) => from)].reverse();
    for (const at of starts) {
      const path = this.renamed(topic, at);
      if (path !== undefined) return path;
    }
    return this.#gone(topic);
  }

  /** Like `renamed`; if the topic is gone, returns its nearest remaining ancestor. */
  kept(topic: TopicId, at: number = TREE): TopicId {
    return this.renamed(topic, at) ?? this.kept(parentTopic(topic), at);
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
    return this.renamed(topic, at) ?? this.#gone(topic);
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

  /** Returns the path of a topic that is gone; changed if another topic has the path now. */
  #gone(topic: TopicId): TopicId {
    return this.#tree.nodes.has(topic) ? (`${topic} (removed)` as TopicId) : topic;
  }

  /** Returns the id of the topic that had a path at some time; `undefined` if none had. */
  #idOf(topic: TopicId, at: number): string | undefined {
    const epoch = this.#history.findLast(({ from }) => from <= at);
    return epoch === undefined ? topic : (epoch.ids.get(topic) ?? (epoch.paths.has(topic) ? undefined : topic));
  }

  #pathOf(id: string | undefined): TopicId | undefined {
    if (id === undefined) return undefined;
    const path = this.#current.paths.get(id);
    if (path !== undefined) return path === ROOT ? undefined : path;
    // An unknown id is a path, unless another topic has taken the path.
    return this.#current.taken.has(id as TopicId) ? undefined : (id as TopicId);
  }

  get #history(): readonly Epoch[] {
    this.#epochs ??= epochsOf(this.#namings);
    return this.#epochs;
  }

  get #current(): Known {
    if (this.#known === undefined) {
      const paths = this.#now ?? this.#history.at(-1)?.paths ?? new Map<string, TopicId>();
      this.#known = { paths, taken: new Set(paths.values()) };
    }
    return this.#known;
  }
}

/** Records that follow each other without a gap belong to one change of the tree. */
function epochsOf(namings: readonly TopicNaming[]): readonly Epoch[] {
  const epochs: Epoch[] = [];
  const paths = new Map<string, TopicId>();
  let from = 0;
  for (const [n, { sequence, id, topic }] of namings.entries()) {
    if (namings[n - 1]?.sequence !== sequence - 1) from = sequence;
    paths.set(id, topic);
    if (namings[n + 1]?.sequence === sequence + 1) continue;
    const ids = [...paths].flatMap(([known, path]) => (path === ROOT ? [] : [[path, known] as const]));
    epochs.push({ from, paths: new Map(paths), ids: new Map(ids) });
  }
  return epochs;
}
