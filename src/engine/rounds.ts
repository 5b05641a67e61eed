import {
  type AnalyzedDocument,
  BingoError,
  type Config,
  canonicalize,
  goodTopics,
  type LinkScore,
  ROOT,
  type RoundRecord,
  type TopicEstimate,
  type TopicId,
  type TrainingEntry,
  type TrainingOrigin,
} from '../core/index.ts';
import { type ArchetypeCandidate, type ArchetypeChoice, selectArchetypes } from '../learn/index.ts';
import { type Distilled, distillTopic } from './distillation.ts';
import type { Analyzer, Journal, Trainer, TrainingItem, TrainingResult } from './ports.ts';
import type { CrawlState } from './state.ts';
import { surroundedFeatures } from './surroundings.ts';
import { followedUrls } from './topic-pages.ts';

/** A training document that is no web page: a local file or a query. */
export interface InlineExample {
  /** The file's path, or the query. */
  readonly key: string;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly document: AnalyzedDocument;
}

/** What rounds need of the crawl. */
interface RoundPorts {
  readonly config: Config;
  readonly analyzer: Analyzer;
  readonly trainer: Trainer;
  readonly journal: Journal;
  readonly inline?: readonly InlineExample[];
}

type Round = Omit<RoundRecord, 'sequence'>;
type Alarm = (code: string, message: string, remedy: string) => void;

/** A training page with all that a round says of it. */
interface Item extends TrainingItem {
  readonly title: string;
  /** Sequence of the stored page; 0 for an inline document. */
  readonly sequence: number;
  /** Every URL that led to it, where it is not the key alone. */
  readonly urls?: readonly string[];
}

/** Loss of held-out rank of the user's examples beyond which a round is undone. In [0,1]; our choice. */
const RANK_TOLERANCE = 0.02;

/**
 * Retraining (DESIGN §6): gathers the training pages, lets the trainer work on them, chooses archetypes, and undoes a
 * round that drifts. Features live in the trainer; here are only keys.
 */
export class Rounds {
  readonly #ports: RoundPorts;
  #state: CrawlState;
  /** Keys that the trainer holds; with them the URLs that their pages link to, where a feature space needs them. */
  readonly #held = new Map<string, string>();
  #archetypes: ReadonlyMap<TopicId, number> = new Map();

  constructor(ports: RoundPorts, state: CrawlState) {
    this.#ports = ports;
    this.#state = state;
  }

  /** Goes on with another state of the same crawl. */
  follow(state: CrawlState): void {
    this.#state = state;
  }

  /** Archetypes of a topic now among its training pages. */
  archetypesOf(topic: TopicId): number {
    return this.#archetypes.get(topic) ?? 0;
  }

  /**
   * Reports training pages that could not be had.
   * @throws BingoError when a topic is left with no example at all
   */
  checkTrainingPages(alarm: Alarm): void {
    const failed = this.#state.failedTraining;
    for (const [url, why] of failed)
      alarm('training-page-failed', `The training page ${url} could not be used: ${why}.`, 'Replace it in bingo.yaml.');
    const topics = new Set(this.#userItems().flatMap((item) => (item.others ? [] : [item.topic])));
    const empty = goodTopics(this.#state.tree).filter(
      ({ id }) => ![...topics].some((topic) => topic === id || topic.startsWith(`${id}/`)),
    );
    if (empty.length === 0) return;
    const reasons = [...failed].map(([url, why]) => `  ${url}: ${why}`).join('\n');
    throw new BingoError({
      code: 'NO_TRAINING_PAGES',
      message: `No example of ${empty.map((t) => `"${t.id}"`).join(', ')} could be fetched.\n${reasons}`,
      hint: 'Check the network and the addresses in bingo.yaml, then run the same command again; nothing is lost.',
    });
  }

  /** True when the tree's own training pages are not those of the last round: bingo.yaml was changed. */
  isStale(): boolean {
    const entries = this.#state.round?.training.filter((e) => isOriginal(e.origin)) ?? [];
    const known = new Set(entries.map((e) => e.key));
    const items = this.#userItems();
    return items.length !== known.size || items.some((item) => !known.has(item.key));
  }

  /** The first round: the user's examples against OTHERS. */
  async first(at: number): Promise<Round> {
    const items = this.#userItems();
    const result = await this.#train(items, 1);
    return this.#record(items, result, { model: 1, at, reason: 'first training' });
  }

  /** A later round; `undefined` when it changes nothing. */
  async next(now: () => number): Promise<Round | undefined> {
    const before = this.#state.round;
    if (before === undefined) return undefined;
    const distilled = this.#distil();
    const rejected = this.#rejectedItems();
    const users = this.#userItems();
    const given = new Set(users.map((item) => item.key));
    const found = this.#archetypeItems(before.training).filter((item) => !given.has(item.key));
    const current = [...users, ...found, ...rejected];
    const choice = this.#choose(before.training, distilled);
    const links = distilled.flatMap((d) => d.scores);
    const boosted = distilled.flatMap((d) => d.unvisited);
    const isSame = choice.admitted.length + choice.dropped.length === 0 && !this.isStale() && !this.#state.isTreeNew;
    if (isSame && !hasNewRejections(before.training, rejected)) {
      if (boosted.length === 0) return undefined;
      return { ...before, links, boosted, admitted: [], dropped: [], undone: false, reason: 'hubs', at: now() };
    }
    const dropped = new Set(choice.dropped.map((d) => d.key));
    const items = [...current.filter((item) => !dropped.has(item.key)), ...choice.admitted.map((c) => this.#admit(c))];
    const result = await this.#train(items, before.model + 1);
    // A model over other good topics cannot be compared with the one before; a person wanted it.
    const drift = this.#state.isTreeNew ? '' : this.#drift(before.estimates, result.estimates);
    if (drift !== '') {
      const undone = { links, boosted, admitted: choice.admitted.map(brief), dropped: [], undone: true, reason: drift };
      return { ...before, ...undone, at: now() };
    }
    const what = { model: before.model + 1, at: now(), reason: `${choice.admitted.length} archetypes admitted` };
    return { ...this.#record(items, result, what), links, boosted, ...briefs(choice) };
  }

  /** After a resume: the analyzer gets the journal's model; the trainer gets its pages when a round needs them. */
  restore(): void {
    const round = this.#state.round;
    if (round === undefined) return;
    this.#ports.analyzer.setModel(round.blob);
    this.#countArchetypes(round.training);
  }

  #userItems(): Item[] {
    const { inline = [] } = this.#ports;
    const wanted = new Set<string>();
    for (const node of this.#state.tree.nodes.values())
      for (const example of [...node.examples, ...node.others])
        if (example.kind === 'url') wanted.add(canonicalize(example.url) ?? example.url);
    const pages = [...this.#state.trainingPages].filter(([url]) => wanted.has(url));
    const stored = pages.map(([key, page]): Item => ({ ...page, key, origin: page.others ? 'others' : 'user' }));
    const given = inline.map(
      (doc): Item => ({ ...doc, title: doc.document.title, sequence: 0, origin: doc.others ? 'others' : 'user' }),
    );
    return [...stored, ...given].sort((a, b) =>
      a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : compare(a.key, b.key),
    );
  }

  #archetypeItems(training: readonly TrainingEntry[]): Item[] {
    return training
      .filter((entry) => isFound(entry.origin))
      .map((entry) => ({ ...entry, others: false, sequence: this.#state.seen.pageOf(entry.key) ?? 0 }));
  }

  /** Pages that the crawl rejected with high confidence, as OTHERS of the whole tree (issue 3: without near misses). */
  #rejectedItems(): Item[] {
    return this.#state.rejected.values().map(({ url, title, sequence }): Item => {
      return { key: url, title, topic: ROOT, others: true, origin: 'rejected', sequence };
    });
  }

  #admit(candidate: ArchetypeCandidate): Item {
    return { ...candidate, others: false, sequence: this.#state.seen.pageOf(candidate.key) ?? 0 };
  }

  #distil(): Distilled[] {
    const { config } = this.#ports;
    return goodTopics(this.#state.tree).map(({ id }) => distillTopic(id, this.#state, config.distill));
  }

  #choose(training: readonly TrainingEntry[], distilled: readonly Distilled[]): ArchetypeChoice {
    const { config } = this.#ports;
    const admitted: ArchetypeCandidate[] = [];
    const dropped: { key: string; topic: TopicId }[] = [];
    for (const { id } of goodTopics(this.#state.tree)) {
      const authorities = distilled.find((d) => d.topic === id)?.authorities ?? new Map<string, number>();
      const known = new Set(training.map((e) => e.key));
      const pages = this.#state.topics.get(id)?.best(200) ?? [];
      const candidates = pages
        .filter((page) => !known.has(page.url))
        .map((page) => ({ ...page, key: page.url, topic: id, authority: authorities.get(page.url) ?? 0 }));
      const choice = selectArchetypes({ topic: id, candidates, training, config: config.learn });
      admitted.push(...choice.admitted);
      dropped.push(...choice.dropped);
    }
    return { admitted, dropped };
  }

  /** Why a retrained model is worse than the one in force, or `''` when it is not. */
  #drift(before: readonly TopicEstimate[], after: readonly TopicEstimate[]): string {
    for (const { topic, exampleRank } of after) {
      const was = before.find((estimate) => estimate.topic === topic)?.exampleRank ?? 0;
      if (exampleRank < was - RANK_TOLERANCE)
        return `drift: the examples of "${topic}" fell from rank ${was.toFixed(3)} to ${exampleRank.toFixed(3)}`;
    }
    return '';
  }

  async #train(items: readonly Item[], model: number): Promise<TrainingResult> {
    const used = new Set(items.map((item) => item.key));
    const background = this.#state.background
      .values()
      .filter((page) => !used.has(page.url))
      .map((page) => ({ key: page.url as string, ...page }));
    await this.#provide([...items, ...background]);
    this.#renewSurroundings(items);
    const keys = background.map((page) => page.key);
    return this.#ports.trainer.train({ items: items.map(bare), background: keys, model, tree: this.#state.tree });
  }

  /** Brings the trainer's features up to date: loads what is missing, drops what is no longer needed. */
  async #provide(pages: readonly { readonly key: string; readonly sequence: number }[]): Promise<void> {
    const { trainer, journal, inline = [] } = this.#ports;
    const wanted = new Map(pages.map((page) => [page.key, page.sequence]));
    for (const key of [...this.#held.keys()].filter((held) => !wanted.has(held))) {
      trainer.forget(key);
      this.#held.delete(key);
    }
    const missing = [...wanted].filter(([key]) => !this.#held.has(key));
    if (missing.some(([, sequence]) => sequence > 0)) await journal.flush();
    const documents = await journal.documents(missing.map(([, sequence]) => sequence).filter((s) => s > 0));
    for (const [key, sequence] of missing) {
      const document = sequence === 0 ? inline.find((doc) => doc.key === key)?.document : documents.get(sequence);
      if (document === undefined) continue;
      trainer.add(key, document.features);
      this.#held.set(key, this.#state.surroundings.isNeeded ? followedUrls(document.links, 0) : '');
    }
  }

  /** More is known of a training page at every round: what links to it, and where its own links led. */
  #renewSurroundings(items: readonly Item[]): void {
    const { trainer, config } = this.#ports;
    for (const { key, urls } of items) {
      const context = this.#state.surroundings.of(urls ?? [key], this.#held.get(key));
      if (context === undefined || !this.#held.has(key)) continue;
      const { anchors, neighbours } = surroundedFeatures({}, context, config.learn.spaces);
      // What is empty now may be forgotten: the page keeps what was known when it was fetched.
      if (anchors !== undefined && anchors.counts.length > 0) trainer.add(key, { anchors });
      if (neighbours !== undefined && neighbours.counts.length > 0) trainer.add(key, { neighbours });
    }
  }

  #record(items: readonly Item[], result: TrainingResult, what: { model: number; at: number; reason: string }): Round {
    const training = items.map(({ key, title, topic, origin }): TrainingEntry => {
      return { key, title, topic, origin, confidence: result.heldOut.get(key) ?? Number.NaN };
    });
    this.#countArchetypes(training);
    const { blob, estimates } = result;
    const unchanged = { links: [] as LinkScore[], boosted: [], admitted: [], dropped: [], undone: false };
    return { kind: 'round', blob, training, estimates, ...unchanged, ...what };
  }

  #countArchetypes(training: readonly TrainingEntry[]): void {
    const counts = new Map<TopicId, number>();
    for (const entry of training)
      if (isFound(entry.origin)) counts.set(entry.topic, (counts.get(entry.topic) ?? 0) + 1);
    this.#archetypes = counts;
  }
}

function isOriginal(origin: TrainingOrigin): boolean {
  return origin === 'user' || origin === 'others';
}

/** True for pages that joined the examples while the crawl ran. */
function isFound(origin: TrainingOrigin): boolean {
  return !isOriginal(origin) && origin !== 'rejected';
}

/** Retraining for one rejected page more would be in vain: a tenth of them must be new. */
function hasNewRejections(training: readonly TrainingEntry[], rejected: readonly Item[]): boolean {
  const known = new Set(training.flatMap((entry) => (entry.origin === 'rejected' ? [entry.key] : [])));
  const added = rejected.filter((item) => !known.has(item.key)).length;
  return added > 0 && added >= rejected.length / 10;
}

function bare({ key, topic, others, origin }: Item): TrainingItem {
  return { key, topic, others, origin };
}

function brief({ key, topic, origin }: ArchetypeCandidate): { key: string; topic: TopicId; origin: TrainingOrigin } {
  return { key, topic, origin };
}

function briefs(choice: ArchetypeChoice): Pick<Round, 'admitted' | 'dropped'> {
  return { admitted: choice.admitted.map(brief), dropped: choice.dropped };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
