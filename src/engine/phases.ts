import { type Config, goodTopics, type Phase, type PhaseRecord, type RoundRecord } from '../core/index.ts';
import { counted } from '../kit/index.ts';
import { KERNEL_ROWS } from '../learn/index.ts';
import { fewExamples, INDISCRIMINATE, keptLinear, type Notice, unrecognised } from './alarms.ts';
import type { UnderWay } from './in-flight.ts';
import type { Journal } from './ports.ts';
import type { Unnumbered } from './records.ts';
import { lastRoundDue, pagesToNextRound, roundInterval } from './rounds/round-interval.ts';
import type { Round, Rounds } from './rounds/rounds.ts';
import type { CrawlState } from './state/crawl-state.ts';

/**
 * The trainer's thread ends if the next round is at least this many pages away. Restarting it with twelve topics
 * costs the CPU time of about 60 pages: at most two percent, and less as rounds get rarer. Our choice.
 */
const FAR_PAGES = 3_000;

/** What phases need from the crawl. */
export interface PhasePorts {
  readonly config: Config;
  readonly journal: Pick<Journal, 'flush'>;
  /** Run only the learning phase, or skip it. */
  readonly only?: 'learn' | 'harvest' | undefined;
  /** True if the run can be repeated exactly: it waits for retraining instead of crawling in parallel. */
  readonly isExact: boolean;
  readonly rounds: Rounds;
  /** False if another process trains. */
  readonly mayTrain: boolean;
  readonly underWay: UnderWay;
  readonly now: () => number;
  readonly state: () => CrawlState;
  /**
   * Aborts when the run ends: a round under way is given up. The journal has no record of it, and the next run makes
   * it.
   */
  readonly ending: AbortSignal;
  readonly append: (record: Unnumbered<RoundRecord>) => void;
  /** Resolves once the links of the preceding pages are in the frontier; other work gets its turn meanwhile. */
  readonly enter: (record: Unnumbered<PhaseRecord>) => Promise<void>;
  readonly alarm: (notice: Notice) => void;
  /** Ends the run with this error. */
  readonly fail: (error: unknown) => void;
  /** Called when a round that ran in parallel is over. */
  readonly wake: () => void;
}

/** Moves the crawl from training pages to learning, to harvesting, and from round to round. */
export class Phases {
  readonly #ports: PhasePorts;
  #training: Promise<void> | undefined;
  #isFirstRound = false;
  #isGivenUp = false;
  #roundCheckedAt = -1;
  /** True if the previous run reached a page count at which a round is due, but made none. */
  #isRoundOwed = false;
  /** True once bingo.yaml's training pages have been compared with those of the last round. */
  #isTreeLearned = false;
  #isIndiscriminateTold = false;
  #isLinearTold = false;

  constructor(ports: PhasePorts) {
    this.#ports = ports;
  }

  /** True while a round is being made. */
  get isTraining(): boolean {
    return this.#isFirstRound || this.#training !== undefined;
  }

  /** Pages that bingo.yaml names and that are not fetched yet. No budget counts them. */
  get trainingLeft(): number {
    return this.#ports.underWay.training + this.#state.waiting.pinned.training;
  }

  /**
   * True if the user's changes are not learned yet: the last page for them may have arrived after the last check for
   * a due round.
   */
  get isRoundOpen(): boolean {
    return this.#ports.mayTrain && !this.isTraining && this.#state.round !== undefined && this.#isTaughtAnew();
  }

  /** True if the learning phase is complete. */
  get isLearned(): boolean {
    return this.#learnedReason() !== '';
  }

  /** True if the run only learns, and earlier runs completed that. */
  get hasOnlyLearned(): boolean {
    return this.#ports.only === 'learn' && this.#state.phase === 'harvesting';
  }

  /** True if a round is left to the next run: it was given up, or the user's changes are not learned yet. */
  get isRoundLeft(): boolean {
    return this.#isGivenUp || this.#state.isJudgedAnew || this.#state.isSetAnew;
  }

  get #state(): CrawlState {
    return this.#ports.state();
  }

  /**
   * Starts after the journal is read. A crawl that was stopped after a round does not repeat it. One that was stopped
   * during a round makes it, even if it had fetched pages meanwhile.
   */
  begin(): void {
    const { fetched, fetchedAtRound } = this.#state.tally;
    this.#roundCheckedAt = fetchedAtRound;
    const { retrainEvery } = this.#ports.config.learn;
    this.#isRoundOwed = !this.#ports.isExact && lastRoundDue(fetched, retrainEvery) > Math.max(0, fetchedAtRound);
  }

  /** Moves the crawl to its next phase or round if one is due. */
  async advance(): Promise<void> {
    const state = this.#state;
    const { underWay, isExact, only } = this.#ports;
    if (state.phase === 'bootstrap') {
      if (state.waiting.isDry && underWay.all === 0) await this.#beginLearning();
      return;
    }
    if (state.steering.learningWanted && underWay.all === 0 && !this.isTraining) {
      await this.#enter('learning', 'requested by the user');
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
    const { rounds, journal, alarm, config, only, now } = this.#ports;
    rounds.checkTrainingPages(alarm);
    await journal.flush();
    if (this.#ports.ending.aborted) return;
    this.#isFirstRound = this.#state.round === undefined;
    const first = this.#isFirstRound ? await this.#unlessGivenUp(rounds.first(now())) : undefined;
    this.#isFirstRound = false;
    if (this.#isGivenUp) return;
    if (first !== undefined) this.#appendRound(first);
    const skip = only === 'harvest' || config.crawl.learn === 0;
    await this.#enter(skip ? 'harvesting' : 'learning', 'training pages fetched');
    this.#restIfFar();
  }

  async #enter(phase: Phase, reason: string): Promise<void> {
    await this.#ports.enter({ kind: 'phase', phase, reason, at: this.#ports.now() });
  }

  /** Reports topics that learned poorly. */
  #tellWhatIsWeak(): void {
    const { rounds, alarm } = this.#ports;
    for (const notice of fewExamples(rounds.fewExamples())) alarm(notice);
    for (const notice of unrecognised(rounds.unrecognised())) alarm(notice);
  }

  async #train(): Promise<void> {
    const { rounds, now, fail } = this.#ports;
    try {
      const isChanged = this.#isTaughtAnew();
      if (this.#state.kept.isIndiscriminate) this.#tellIndiscriminate();
      const record = await this.#unlessGivenUp(isChanged ? rounds.judged(now) : rounds.next(now));
      if (this.#isGivenUp) return;
      this.#isTreeLearned ||= isChanged;
      if (record !== undefined) this.#appendRound(record);
      this.#restIfFar();
    } catch (error) {
      fail(error);
    }
  }

  /** Appends a round. Reports once per run which topics have too many training pages for the kernel of the settings. */
  #appendRound(round: Round): void {
    const { append, alarm, config } = this.#ports;
    append(round);
    const { kernel } = config.learn;
    if (kernel === 'linear' || this.#isLinearTold) return;
    const large = round.estimates.filter(({ positives, negatives }) => positives + negatives > KERNEL_ROWS);
    const notice = keptLinear(
      kernel,
      large.map(({ topic }) => topic),
    );
    if (notice === undefined) return;
    this.#isLinearTold = true;
    alarm(notice);
  }

  /** Returns the result of a round; `undefined` as soon as the run is ending, whatever the round still does. */
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

  /** Ends the trainer's thread between distant rounds to free its memory. */
  #restIfFar(): void {
    const { retrainEvery, maxArchetypes } = this.#ports.config.learn;
    const { phase, tally } = this.#state;
    if (phase !== 'harvesting') return;
    if (maxArchetypes === 0 || pagesToNextRound(tally.fetched, retrainEvery) >= FAR_PAGES) this.#ports.rounds.rest();
  }

  /** Reports topics whose model does not discriminate, once per run. */
  #tellIndiscriminate(): void {
    if (this.#isIndiscriminateTold) return;
    this.#isIndiscriminateTold = true;
    this.#ports.alarm(INDISCRIMINATE);
  }

  /** Rounds happen at fixed page counts, so a resumed crawl makes the same ones. */
  #isRoundDue(): boolean {
    if (!this.#ports.mayTrain) return false;
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

  /** Returns why learning is over; '' if it is not. */
  #learnedReason(): string {
    const { underWay, config, rounds, only } = this.#ports;
    const state = this.#state;
    if (underWay.all > 0) return '';
    const learn = state.limit('learn');
    if (state.tally.learned >= learn) return `${counted(learn, 'page')} fetched`;
    if (state.waiting.isDry) return 'no links are left';
    if (only === 'harvest' && !state.steering.isLearningAgain) return 'only harvesting was requested';
    if (state.steering.learningEnded) return 'ended by the user';
    const enough = Math.min(config.learn.authorityArchetypes, config.learn.confidenceArchetypes);
    const topics = goodTopics(state.tree);
    const isRich =
      enough > 0 && !state.steering.isLearningAgain && topics.every(({ id }) => rounds.archetypesOf(id) >= enough);
    return isRich ? `every topic has ${counted(enough, 'archetype')}` : '';
  }

  /** True if the user changed training pages or learning settings. */
  #isTaughtAnew(): boolean {
    const { isJudgedAnew, isSetAnew } = this.#state;
    return isJudgedAnew || (isSetAnew && this.trainingLeft === 0) || this.#isTreeChanged();
  }

  /** True if bingo.yaml changed since the last round. Checked once per run, when the training pages are fetched. */
  #isTreeChanged(): boolean {
    if (this.#isTreeLearned) return false;
    if (this.trainingLeft > 0) return false;
    this.#isTreeLearned = !this.#ports.rounds.isStale();
    return !this.#isTreeLearned;
  }
}
