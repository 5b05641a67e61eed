import {
  type Config,
  goodTopics,
  isArchetype,
  isMarkedExample,
  isWithin,
  type Judgement,
  type RoundRecord,
  type TopicId,
  type TrainingEntry,
  type TrainingOrigin,
} from '../../core/index.ts';
import type { Turns } from '../../kit/index.ts';
import { type ArchetypeCandidate, type ArchetypeChoice, isUnlike } from '../../learn/index.ts';
import { type LearnedPoorly, type Notice, withoutExamples } from '../alarms.ts';
import type { Analyzer, Journal, Trainer } from '../ports.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import { looksLikeTopic } from '../state/kept-pages.ts';
import type { Judgements } from '../training/site-marks.ts';
import { type InlineExample, TrainerFeatures } from '../training/trainer-features.ts';
import {
  failuresTold,
  noTrainingPages,
  shortExamplesTold,
  type UnusedTrainingPage,
  unusedTraining,
} from '../training/training-failures.ts';
import { bare, type Item, isJudged, withJudgements } from '../training/training-items.ts';
import type { GivenPlaces } from '../training/user-assignments.ts';
import { chooseArchetypes, NO_CHOICE, type Nominee, nomineesOf } from './archetype-choice.ts';
import { AuthorityNews } from './authority-changes.ts';
import { type Distilled, distillTopic } from './distillation.ts';
import { confusion, drift, forgetting, type Trained } from './rollback.ts';
import { describeChoice, fewExamples, hasNewRejections, heldOutOf, unrecognised } from './training-checks.ts';
import { TrainingSet } from './training-set.ts';

/** What rounds need from the crawl. */
interface RoundPorts {
  readonly config: Config;
  readonly analyzer: Pick<Analyzer, 'setModel'>;
  readonly trainer: Trainer;
  readonly journal: Pick<Journal, 'flush' | 'documents'>;
  readonly inline?: readonly InlineExample[];
  readonly turns: Turns;
  /**
   * Aborting it gives up a round under way: the round rejects at the next turn or when the trainer is done. Default:
   * never.
   */
  readonly ending?: AbortSignal;
}

/** Number of most confident pages per topic that self-training uses. */
const SUREST = 200;

/**
 * Maximum number of times that a round after a blind model removes rejected pages that look like the topic; our
 * choice.
 */
const MOST_CLEANINGS = 3;

/** Parameters of one training. */
interface How {
  readonly model: number;
  readonly judgements: Judgements;
  readonly hasStandIns: boolean;
  /** The round in force, to compare with; absent if the user's changes make models incomparable. */
  readonly before?: RoundRecord;
}

/** Fields of a round's record apart from its result; `judgedAt` is the value when training started. */
type What = Pick<RoundRecord, 'model' | 'at' | 'reason' | 'judgedAt'>;
export type Round = Omit<RoundRecord, 'sequence'>;

const NO_CHANGE = { admitted: [], dropped: [], refused: [], undone: false } as const;

/** A training with new archetypes. */
interface Attempt {
  readonly result: Trained;
  readonly admitted: readonly ArchetypeCandidate[];
  /** Candidates withdrawn because they are unlike the user's examples. */
  readonly refused: readonly ArchetypeCandidate[];
}

/**
 * Retraining (BINGO! §2.6, docs/methods.md#phases-and-rounds): collects the training pages, trains, chooses
 * archetypes, and rolls back a round that drifts. Features are stored in the trainer; this class has only keys.
 */
export class Rounds {
  readonly #ports: RoundPorts;
  #state: CrawlState;
  #set: TrainingSet;
  readonly #features: TrainerFeatures;
  readonly #authorityNews = new AuthorityNews();
  #archetypes: ReadonlyMap<TopicId, number> = new Map();

  constructor(ports: RoundPorts, state: CrawlState) {
    this.#ports = ports;
    this.#features = new TrainerFeatures(ports);
    this.#state = state;
    this.#set = new TrainingSet(state, ports.inline);
  }

  /** Continues with another state of the same crawl. */
  follow(state: CrawlState): void {
    this.#state = state;
    this.#set = new TrainingSet(state, this.#ports.inline);
  }

  /** Returns the user's training pages, with marked ones. */
  given(): readonly Item[] {
    return this.#set.given();
  }

  /** Returns the number of archetypes among a topic's training pages. */
  archetypesOf(topic: TopicId): number {
    return this.#archetypes.get(topic) ?? 0;
  }

  /** Returns good topics with few training pages. */
  fewExamples(): ReturnType<typeof fewExamples> {
    return fewExamples(this.#state, (topic) => this.archetypesOf(topic));
  }

  /** Returns good topics that have enough pages but whose classifiers recognise no held-out page. */
  unrecognised(): readonly LearnedPoorly[] {
    return unrecognised(this.#state);
  }

  /**
   * Reports training pages that could not be fetched, topics without any, and examples with hardly any text.
   * @throws BingoError if no topic has an example
   */
  checkTrainingPages(alarm: (notice: Notice) => void): void {
    const failed = [...this.#state.training.failed];
    const topics = new Set(this.#set.given().flatMap((item) => (item.others ? [] : [item.topic])));
    const good = goodTopics(this.#state.tree);
    const empty = good.filter(({ id }) => ![...topics].some((topic) => isWithin(topic, id)));
    if (empty.length === good.length) throw noTrainingPages(empty, failed);
    for (const told of failuresTold(good, failed)) alarm({ code: 'training-page-failed', ...told });
    for (const notice of withoutExamples(empty.map(({ id }) => id))) alarm(notice);
    for (const told of shortExamplesTold(this.#state.training.stored)) alarm({ code: 'short-example', ...told });
  }

  /** Returns training pages that could not be fetched, examples first; those in `before` failed in an earlier run. */
  unusedTraining(before: ReadonlySet<string>): readonly UnusedTrainingPage[] {
    return unusedTraining(goodTopics(this.#state.tree), this.#state.training.failed, before);
  }

  /** True if the user's training pages differ from those of the last round: bingo.yaml was changed. */
  isStale(): boolean {
    return this.#set.isStale();
  }

  /** Returns topics that these decisions would leave without an example. */
  emptiedBy(judgements: readonly Judgement[]): readonly TopicId[] {
    return this.#set.emptiedBy(judgements);
  }

  /**
   * Returns where the user put stored pages.
   * @param more decisions that are not in the journal yet
   */
  places(more: readonly Judgement[] = []): GivenPlaces {
    return this.#set.places(withJudgements(this.#state.steering.judgements, more));
  }

  /** Returns pages of a topic that the user may make examples, at most `limit`. */
  nominees(topic: TopicId, limit: number): readonly Nominee[] {
    return nomineesOf(this.#state, topic, this.#ports.config.learn).slice(0, limit);
  }

  /**
   * Makes a round only for the user's decisions or changes in bingo.yaml: chooses no archetypes and rolls nothing
   * back. Returns `undefined` before the first round.
   * @param more decisions that are not in the journal yet
   */
  async judged(now: () => number, more: readonly Judgement[] = []): Promise<Round | undefined> {
    const before = this.#state.round;
    if (before === undefined) return undefined;
    const { judgedAt } = this.#state.steering;
    // Otherwise a renamed topic, or one marked good, would have no hubs and authorities until the next round.
    const linked = new Set(before.links.map(({ topic }) => topic));
    const isUnlinked = goodTopics(this.#state.tree).some(({ id }) => !linked.has(id));
    const distilled = isUnlinked || this.isStale() ? await this.#distil() : undefined;
    const judgements = withJudgements(this.#state.steering.judgements, more);
    const { hadStandIns } = this.#set;
    const items = this.#set.items(judgements, hadStandIns);
    const model = before.model + 1;
    const isJudged = more.length > 0 || this.#state.isJudgedAnew;
    const result = await this.#train(items, { model, judgements, hasStandIns: hadStandIns });
    const reason = isJudged ? 'judged by the user' : 'bingo.yaml was changed';
    const round = this.#record(result, { model, at: now(), reason, judgedAt });
    if (distilled === undefined) return { ...round, links: before.links };
    return { ...round, links: distilled.flatMap((d) => d.scores), ...this.#tellAuthorities(distilled) };
  }

  /** Makes the first round: the user's examples against OTHERS. */
  async first(at: number): Promise<Round> {
    const { judgedAt } = this.#state.steering;
    const items = this.#set.given();
    const result = await this.#train(items, {
      model: 1,
      judgements: this.#state.steering.judgements,
      hasStandIns: false,
    });
    return this.#record(result, { model: 1, at, reason: 'first training', judgedAt });
  }

  /** Makes a later round; `undefined` if it changes nothing. */
  async next(now: () => number): Promise<Round | undefined> {
    const before = this.#state.round;
    if (before === undefined) return undefined;
    const { isDiscernmentDue } = this.#state.kept;
    const distilled = await this.#distil();
    const { judgedAt } = this.#state.steering;
    const { mayStandIn } = this.#set;
    const current = this.#set.items();
    const candidates = mayStandIn ? this.#set.candidates(current) : [];
    const rejected = [...current.filter((item) => item.origin === 'rejected'), ...candidates];
    const { isIndiscriminate, isBlind } = this.#state.kept;
    // If the model accepts everything, or has learned from only a few negative pages, its accepted pages are not
    // archetypes.
    const isGreen = isIndiscriminate || isDiscernmentDue;
    const choice = isGreen || isBlind ? NO_CHOICE : chooseArchetypes(this.#state, distilled, this.#ports.config.learn);
    const boosted = distilled.flatMap((d) => d.unvisited);
    const news = (): Pick<Round, 'links' | 'boosted' | 'authorities'> => {
      return { links: distilled.flatMap((d) => d.scores), boosted, ...this.#tellAuthorities(distilled) };
    };
    const isSame = choice.admitted.length + choice.dropped.length === 0 && !this.isStale();
    if (isSame && !hasNewRejections(before.training, rejected)) {
      if (boosted.length === 0) return undefined;
      return { ...before, ...NO_CHANGE, ...news(), reason: 'hubs', at: now() };
    }
    const how = { model: before.model + 1, judgements: this.#state.steering.judgements, before };
    const first = await this.#attempt(current, choice, { ...how, hasStandIns: mayStandIn });
    const standInFault = mayStandIn ? this.#standInFaultOf(first.result) : '';
    // If the stand-ins are of the topic, the round learns without them, unless they are all that it is for.
    const { result, admitted, refused } =
      standInFault === '' || isGreen
        ? first
        : await this.#attempt(this.#set.items(undefined, false), choice, { ...how, hasStandIns: false });
    const fault = (isGreen && standInFault) || this.#faultOf(result, isGreen);
    if (fault !== '') {
      const tried = { admitted: admitted.map(brief), refused: refused.map(place) };
      return { ...before, ...NO_CHANGE, ...tried, ...news(), undone: true, reason: fault, at: now() };
    }
    const changes = { admitted: admitted.map(brief), dropped: choice.dropped, refused: refused.map(place) };
    const what = { model: before.model + 1, at: now(), reason: describeChoice(changes), judgedAt };
    return { ...this.#record(result, what), ...news(), ...changes };
  }

  /** Lets the trainer free memory: no round is due soon. */
  rest(): void {
    this.#ports.trainer.rest();
  }

  /**
   * Restores after a resume: the analyzer gets the journal's model; the trainer gets its pages when a round needs
   * them.
   */
  restore(): void {
    const round = this.#state.round;
    if (round === undefined) return;
    this.#ports.analyzer.setModel(round.blob);
    this.#countArchetypes(round.training);
  }

  async #distil(): Promise<Distilled[]> {
    const { config, turns, ending } = this.#ports;
    const distilled: Distilled[] = [];
    for (const { id } of goodTopics(this.#state.tree)) {
      distilled.push(await distillTopic(id, this.#state, config.distill, turns));
      ending?.throwIfAborted();
    }
    return distilled;
  }

  #tellAuthorities(distilled: readonly Distilled[]): Required<Pick<Round, 'authorities'>> {
    return { authorities: this.#authorityNews.of(distilled, (url) => this.#state.seen.pageOf(url) ?? 0) };
  }

  /**
   * Trains with new archetypes. If some prove unlike the user's examples, trains again without them.
   * @param current the training pages so far
   */
  async #attempt(current: readonly Item[], { admitted, dropped }: ArchetypeChoice, what: How): Promise<Attempt> {
    const gone = new Set(dropped.map(({ key }) => key));
    const kept = current.filter((item) => !gone.has(item.key));
    const itemsWith = (found: readonly ArchetypeCandidate[]): Item[] => [
      ...kept,
      ...found.map((c) => this.#set.archetype(c)),
    ];
    const result = this.#state.kept.isBlind
      ? await this.#trainCleaned(itemsWith(admitted), what)
      : await this.#train(itemsWith(admitted), what);
    const refused = admitted.filter(({ key }) => isUnlike(result.likeness.get(key)));
    if (refused.length === 0) return { result, admitted, refused };
    const like = admitted.filter((candidate) => !refused.includes(candidate));
    return { result: await this.#train(itemsWith(like), what), admitted: like, refused };
  }

  /**
   * Trains, then trains again without rejected pages that look like the topic when held out: most of them may belong
   * to the topic.
   */
  async #trainCleaned(items: readonly Item[], what: How): Promise<Trained> {
    let result = await this.#train(items, what);
    for (let time = 0; time < MOST_CLEANINGS; time++) {
      const { heldOut } = result;
      const clean = result.items.filter(
        ({ key, origin }) => origin !== 'rejected' || !looksLikeTopic(heldOut.get(key) ?? Number.NaN),
      );
      if (clean.length === result.items.length) return result;
      result = await this.#train(clean, what);
    }
    return result;
  }

  /** Returns why a retrained model is not used; '' if it is. */
  #faultOf(result: Trained, isGreen: boolean): string {
    // An earlier model that did not discriminate is no standard.
    return isGreen ? confusion(result) : drift(result.ranks ?? []);
  }

  /** Returns why a model trained on stand-ins is not used; '' if it is. */
  #standInFaultOf(result: Trained): string {
    return confusion(result) || forgetting(result);
  }

  /** @param judgements the current ones: pages the user left out are not used */
  async #train(items: readonly Item[], { model, judgements, hasStandIns, before }: How): Promise<Trained> {
    const used = new Set(items.map((item) => item.key));
    const background = this.#state.kept.background
      .values()
      .filter((page) => !used.has(page.url))
      .map((page) => ({ key: page.url as string, ...page }));
    const accepted = this.#accepted((key) => !used.has(key) && !isJudged(judgements, key, this.#state.tree));
    const { surroundings } = this.#state;
    const leftOut = before === undefined ? [] : this.#set.leftOut(items, judgements);
    const candidates = hasStandIns ? this.#set.candidates(items, judgements) : [];
    await this.#features.provide([...items, ...background, ...accepted, ...candidates, ...leftOut], surroundings);
    this.#features.renewSurroundings(items, surroundings);
    const keys = background.map((page) => page.key);
    const votes = this.#features.votes((topic, at) => this.#state.names.renamed(topic, at));
    const result = await this.#ports.trainer.train({
      items: items.map(bare),
      background: keys,
      accepted: accepted.map((page) => page.key),
      candidates: candidates.map((page) => page.key),
      leftOut: leftOut.map(bare),
      ...(before && { before: { blob: before.blob, heldOut: heldOutOf(before.training) } }),
      model,
      ...(votes && { votes }),
      tree: this.#state.tree,
    });
    this.#ports.ending?.throwIfAborted();
    const stoodIn = new Set(result.standIns);
    return { ...result, items: [...items, ...candidates.filter(({ key }) => stoodIn.has(key))] };
  }

  /**
   * Returns the most confident pages of all good topics. The retrained model learns from them without treating them
   * as examples.
   */
  #accepted(isFree: (key: string) => boolean): { readonly key: string; readonly sequence: number }[] {
    const pages = goodTopics(this.#state.tree).flatMap(({ id }) => this.#state.kept.topics.get(id)?.best(SUREST) ?? []);
    return pages.filter(({ url }) => isFree(url)).map(({ url, sequence }) => ({ key: url, sequence }));
  }

  #record(result: Trained, what: What): Round {
    const training = result.items.map(({ key, title, topic, origin }): TrainingEntry => {
      return { key, title, topic, origin, confidence: result.heldOut.get(key) ?? Number.NaN };
    });
    this.#countArchetypes(training);
    const { blob, words, estimates } = result;
    return {
      kind: 'round',
      blob,
      ...(words && { words }),
      training,
      estimates,
      links: [],
      boosted: [],
      ...NO_CHANGE,
      ...what,
    };
  }

  #countArchetypes(training: readonly TrainingEntry[]): void {
    const counts = new Map<TopicId, number>();
    for (const entry of training)
      if (isArchetype(entry.origin) || isMarkedExample(entry.origin))
        counts.set(entry.topic, (counts.get(entry.topic) ?? 0) + 1);
    this.#archetypes = counts;
  }
}

function brief({ key, topic, origin }: ArchetypeCandidate): { key: string; topic: TopicId; origin: TrainingOrigin } {
  return { key, topic, origin };
}

function place({ key, topic }: ArchetypeCandidate): { readonly key: string; readonly topic: TopicId } {
  return { key, topic };
}
