import { type Config, goodTopics, type Phase, type PhaseRecord, type RoundRecord } from '../core/index.ts';
import { counted } from '../kit/index.ts';
import { fewExamples, INDISCRIMINATE, type Notice, unrecognised } from './alarms.ts';
import type { Journal } from './ports.ts';
import type { Unnumbered } from './records.ts';
import { lastRoundDue, pagesToNextRound, roundInterval } from './rounds/round-interval.ts';
import type { Round, Rounds } from './rounds/rounds.ts';
import type { CrawlState } from './state/crawl-state.ts';
import type { UnderWay } from './under-way.ts';

/**
 * Pages without a round for which the trainer rests. Starting it again takes, with twelve topics, the CPU time of some 60 pages: two in a
 * hundred at the most, ever less as rounds get rarer. Our choice.
 */
const FAR_PAGES = 3_000;

/** What phases need of the crawl. */
export interface PhasePorts {
  readonly config: Config;
  readonly journal: Pick<Journal, 'flush'>;
  /** Only the learning phase, or straight to harvesting. */
  readonly only?: 'learn' | 'harvest';
  /** It repeats exactly: it waits for retraining instead of going on beside it. */
  readonly isExact: boolean;
  readonly rounds: Rounds;
  readonly underWay: UnderWay;
  readonly now: () => number;
  readonly state: () => CrawlState;
  /** The run is to end: a round under way is given up. The journal knows nothing of it, and the next run makes it. */
  readonly ending: AbortSignal;
  readonly append: (record: Unnumbered<RoundRecord>) => void;
  /** Resolves when the links of the pages before it wait: others have their turn meanwhile. */
  readonly enter: (record: Unnumbered<PhaseRecord>) => Promise<void>;
  readonly alarm: (notice: Notice) => void;
  /** The run is to end with this error. */
  readonly fail: (error: unknown) => void;
  /** A round that went on beside the crawl is over. */
  readonly wake: () => void;
}

/** Moves the crawl on: from training pages to learning, to harvesting, and from round to round. */
export class Phases {
  readonly #ports: PhasePorts;
  #training: Promise<void> | undefined;
  #isFirstRound = false;
  #isGivenUp = false;
  #roundCheckedAt = -1;
  /** The run before it passed a count of pages at which a round is due, and left none. */
  #isRoundOwed = false;
  /** It was looked whether bingo.yaml names other training pages than the last round had. */
  #isTreeLearned = false;
  #isIndiscriminateTold = false;

  constructor(ports: PhasePorts) {
    this.#ports = ports;
  }

  /** A round is being made. */
  get isTraining(): boolean {
    return this.#isFirstRound || this.#training !== undefined;
  }

  /** Pages that bingo.yaml names and that were not fetched yet: no budget counts them. */
  get trainingLeft(): number {
    return this.#ports.underWay.training + this.#state.waiting.pinned.training;
  }

  /** What people changed is yet to be learned: the last of their pages may have come after it was looked last whether a round is due. */
  get isRoundOpen(): boolean {
    return !this.isTraining && this.#state.round !== undefined && this.#isTaughtAnew();
  }

  /** The learning phase has done its part. */
  get isLearned(): boolean {
    return this.#learnedReason() !== '';
  }

  /** The run is for learning alone, which earlier runs brought to its end. */
  get hasOnlyLearned(): boolean {
    return this.#ports.only === 'learn' && this.#state.phase === 'harvesting';
  }

  /** A round is left to the next run: it was given up, or what people taught was not learned yet. */
  get isRoundLeft(): boolean {
    return this.#isGivenUp || this.#state.isJudgedAnew || this.#state.isSetAnew;
  }

  get #state(): CrawlState {
    return this.#ports.state();
  }

  /**
   * The journal is read. A crawl that was stopped behind a round does not make it again; one that was stopped within a round makes it,
   * though it may have gone on beside it.
   */
  begin(): void {
    const { fetched, fetchedAtRound } = this.#state.tally;
    this.#roundCheckedAt = fetchedAtRound;
    const { retrainEvery } = this.#ports.config.learn;
    this.#isRoundOwed = !this.#ports.isExact && lastRoundDue(fetched, retrainEvery) > Math.max(0, fetchedAtRound);
  }

  /** Moves the crawl to its next phase or round when it is time. */
  async advance(): Promise<void> {
    const state = this.#state;
    const { underWay, isExact, only } = this.#ports;
    if (state.phase === 'bootstrap') {
      if (state.waiting.isDry && underWay.all === 0) await this.#beginLearning();
      return;
    }
    if (state.steering.learningWanted && underWay.all === 0 && !this.isTraining) {
      await this.#enter('learning', 'asked for by a person');
      return;
    }
    if (!this.isTraining && this.#isRoundDue()) {
      this.#roundCheckedAt = state.tally.fetched;
      this.#isRoundOwed = false;
      this.#training = this.#train().finally(() => {
        this.#training = undefined;
        this.#ports.wake();
      });
    }
    if (isExact || (state.phase === 'learning' && this.isLearned)) await this.#training;
    if (this.#isGivenUp) return;
    if (state.phase === 'learning' && this.isLearned && only !== 'learn') {
      await this.#enter('harvesting', this.#learnedReason());
      this.#tellWhatIsWeak();
      this.#restIfFar();
    }
  }

  async #beginLearning(): Promise<void> {
    const { rounds, journal, append, alarm, config, only, now } = this.#ports;
    rounds.checkTrainingPages(alarm);
    await journal.flush();
    if (this.#ports.ending.aborted) return;
    this.#isFirstRound = this.#state.round === undefined;
    const first = this.#isFirstRound ? await this.#unlessGivenUp(rounds.first(now())) : undefined;
    this.#isFirstRound = false;
    if (this.#isGivenUp) return;
    if (first !== undefined) append(first);
    const skip = only === 'harvest' || config.crawl.learn === 0;
    await this.#enter(skip ? 'harvesting' : 'learning', 'training pages fetched');
    this.#restIfFar();
  }

  async #enter(phase: Phase, reason: string): Promise<void> {
    await this.#ports.enter({ kind: 'phase', phase, reason, at: this.#ports.now() });
  }

  /** Topics that learning did not make much of. */
  #tellWhatIsWeak(): void {
    const { rounds, alarm } = this.#ports;
    for (const notice of fewExamples(rounds.fewExamples())) alarm(notice);
    for (const notice of unrecognised(rounds.unrecognised())) alarm(notice);
  }

  async #train(): Promise<void> {
    const { rounds, now, append, fail } = this.#ports;
    try {
      const isChanged = this.#isTaughtAnew();
      if (this.#state.kept.isIndiscriminate) this.#tellIndiscriminate();
      const record = await this.#unlessGivenUp(isChanged ? rounds.judged(now) : rounds.next(now));
      if (this.#isGivenUp) return;
      this.#isTreeLearned ||= isChanged;
      if (record !== undefined) append(record);
      this.#restIfFar();
    } catch (error) {
      fail(error);
    }
  }

  /** What a round comes to; `undefined` as soon as the run is to end, whatever the round still does. */
  async #unlessGivenUp(round: Promise<Round | undefined>): Promise<Round | undefined> {
    const { ending } = this.#ports;
    const { promise, resolve, reject } = Promise.withResolvers<Round | undefined>();
    const giveUp = (): void => {
      this.#isGivenUp = true;
      resolve(undefined);
    };
    ending.addEventListener('abort', giveUp);
    if (ending.aborted) giveUp();
    round.then(resolve, reject);
    return await promise.finally(() => ending.removeEventListener('abort', giveUp));
  }

  /** Between rounds that are far from each other the trainer's memory is better used by others. */
  #restIfFar(): void {
    const { retrainEvery, maxArchetypes } = this.#ports.config.learn;
    const { phase, tally } = this.#state;
    if (phase !== 'harvesting') return;
    if (maxArchetypes === 0 || pagesToNextRound(tally.fetched, retrainEvery) >= FAR_PAGES) this.#ports.rounds.rest();
  }

  /** Once in a run. */
  #tellIndiscriminate(): void {
    if (this.#isIndiscriminateTold) return;
    this.#isIndiscriminateTold = true;
    this.#ports.alarm(INDISCRIMINATE);
  }

  /** Rounds happen at fixed counts of pages, so that a resumed crawl makes the same ones. */
  #isRoundDue(): boolean {
    const { retrainEvery, maxArchetypes } = this.#ports.config.learn;
    if (this.#state.round !== undefined && this.#isTaughtAnew()) return true;
    if (maxArchetypes === 0) return false;
    const { phase } = this.#state;
    const { fetched } = this.#state.tally;
    if (this.#isRoundOwed) return true;
    if (fetched === this.#roundCheckedAt || fetched === 0) return false;
    if (this.#state.kept.isDiscernmentDue) return true;
    return fetched % roundInterval(fetched, retrainEvery) === 0 || (phase === 'learning' && this.isLearned);
  }

  /** Why learning is over; `''` while it is not. */
  #learnedReason(): string {
    const { underWay, config, rounds, only } = this.#ports;
    const state = this.#state;
    if (underWay.all > 0) return '';
    const learn = state.limit('learn');
    if (state.tally.learned >= learn) return `${counted(learn, 'page')} fetched`;
    if (state.waiting.isDry) return 'the frontier is dry';
    if (only === 'harvest' && !state.steering.isLearningAgain) return 'only harvesting was asked for';
    if (state.steering.learningEnded) return 'ended by a person';
    const enough = Math.min(config.learn.authorityArchetypes, config.learn.confidenceArchetypes);
    const topics = goodTopics(state.tree);
    const isRich =
      enough > 0 && !state.steering.isLearningAgain && topics.every(({ id }) => rounds.archetypesOf(id) >= enough);
    return isRich ? `every topic has ${counted(enough, 'archetype')}` : '';
  }

  /** People gave other pages to learn from, or other settings of learning. */
  #isTaughtAnew(): boolean {
    const { isJudgedAnew, isSetAnew } = this.#state;
    return isJudgedAnew || (isSetAnew && this.trainingLeft === 0) || this.#isTreeChanged();
  }

  /** Once in a run, as soon as the training pages are there: bingo.yaml was changed since the last round. */
  #isTreeChanged(): boolean {
    if (this.#isTreeLearned) return false;
    if (this.trainingLeft > 0) return false;
    this.#isTreeLearned = !this.#ports.rounds.isStale();
    return !this.#isTreeLearned;
  }
}
