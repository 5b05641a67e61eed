import type { Config } from '../core/index.ts';
import type { UnderWay } from './in-flight.ts';
import type { Phases } from './phases.ts';
import type { CrawlState } from './state/crawl-state.ts';

/** What the allowance of a run depends on. */
export interface AllowancePorts {
  readonly config: Config;
  /** 'too': the run also rechecks stored pages; 'only': it rechecks and does not harvest. */
  readonly recheck: 'none' | 'too' | 'only';
  readonly underWay: UnderWay;
  readonly phases: Phases;
  readonly state: () => CrawlState;
}

/** How many pages may be fetched. Fetches under way count, so parallel fetches exceed no limit. */
export class Allowance {
  readonly #ports: AllowancePorts;
  #fetchedBefore = 0;

  constructor(ports: AllowancePorts) {
    this.#ports = ports;
  }

  /** Starts the run; counts what earlier runs fetched. */
  begin(): void {
    this.#fetchedBefore = this.#ports.state().tally.fetched;
  }

  /** Pages that earlier runs fetched. */
  get fetchedBefore(): number {
    return this.#fetchedBefore;
  }

  /** Pages to fetch in all. Pages that a recheck finds newly linked may exceed the budget. */
  get budget(): number {
    const { recheck, config, underWay } = this.#ports;
    const { tally, waiting } = this.#ports.state();
    if (recheck === 'none') return this.#share;
    const allowed = config.recheck.newPages - (tally.fetched - this.#fetchedBefore);
    return Math.max(this.#share, tally.fetched + Math.min(allowed, waiting.news + underWay.budgeted));
  }

  /**
   * True if this phase has used its share of the frontier. Only training pages and pages newly linked by a recheck
   * are then fetched.
   */
  get isShareUsed(): boolean {
    const { state, underWay } = this.#ports;
    return this.#hasLearned || state().tally.fetched + underWay.budgeted >= this.#share;
  }

  /** True if one more page may be fetched in this phase. */
  hasRoom(): boolean {
    const { phase, waiting, tally } = this.#ports.state();
    if (phase === 'bootstrap' || waiting.pinned.training > 0) return true;
    return !this.#hasLearned && tally.fetched + this.#ports.underWay.budgeted < this.budget;
  }

  /** True if the learning phase continues but has fetched all its pages. */
  get #hasLearned(): boolean {
    const state = this.#ports.state();
    if (state.phase !== 'learning') return false;
    return state.steering.learningEnded || state.tally.learned + this.#ports.underWay.budgeted >= state.limit('learn');
  }

  /** The user's budget; 0 for harvesting if the run only rechecks or learns. */
  get #share(): number {
    const { recheck, phases, state } = this.#ports;
    const { budget, phase } = state();
    const isForOther = phases.hasOnlyLearned || (recheck === 'only' && phase === 'harvesting');
    return isForOther ? Math.min(budget, this.#fetchedBefore) : budget;
  }
}
