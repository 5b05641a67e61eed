import type { Config } from '../core/index.ts';
import type { Phases } from './phases.ts';
import type { CrawlState } from './state/crawl-state.ts';
import type { UnderWay } from './under-way.ts';

/** What the allowance of a run depends on. */
export interface AllowancePorts {
  readonly config: Config;
  /** The run looks at stored pages again; `only`: it harvests nothing else. */
  readonly recheck: 'none' | 'too' | 'only';
  readonly underWay: UnderWay;
  readonly phases: Phases;
  readonly state: () => CrawlState;
}

/** How many pages may be fetched. What is under way counts, so that no limit is passed whatever goes on side by side. */
export class Allowance {
  readonly #ports: AllowancePorts;
  #fetchedBefore = 0;

  constructor(ports: AllowancePorts) {
    this.#ports = ports;
  }

  /** The run begins, with what earlier ones fetched. */
  begin(): void {
    this.#fetchedBefore = this.#ports.state().tally.fetched;
  }

  /** Pages that earlier runs fetched. */
  get fetchedBefore(): number {
    return this.#fetchedBefore;
  }

  /** Pages to fetch in all; those that a recheck finds linked anew may go beyond the budget. */
  get budget(): number {
    const { recheck, config, underWay } = this.#ports;
    const { tally, waiting } = this.#ports.state();
    if (recheck === 'none') return this.#share;
    const allowed = config.recheck.newPages - (tally.fetched - this.#fetchedBefore);
    return Math.max(this.#share, tally.fetched + Math.min(allowed, waiting.news + underWay.budgeted));
  }

  /** What the frontier may give in this phase is used up: training pages are left, and what a recheck found linked anew. */
  get isShareUsed(): boolean {
    const { state, underWay } = this.#ports;
    return this.#hasLearned || state().tally.fetched + underWay.budgeted >= this.#share;
  }

  /** True when a page more may be fetched in this phase. */
  hasRoom(): boolean {
    const { phase, waiting, tally } = this.#ports.state();
    if (phase === 'bootstrap' || waiting.pinned.training > 0) return true;
    return !this.#hasLearned && tally.fetched + this.#ports.underWay.budgeted < this.budget;
  }

  /** Learning goes on, and has had its pages. */
  get #hasLearned(): boolean {
    const state = this.#ports.state();
    if (state.phase !== 'learning') return false;
    return state.steering.learningEnded || state.tally.learned + this.#ports.underWay.budgeted >= state.limit('learn');
  }

  /** The budget as a person gave it; a run that is for rechecking or learning alone harvests nothing. */
  get #share(): number {
    const { recheck, phases, state } = this.#ports;
    const { budget, phase } = state();
    const isForOther = phases.hasOnlyLearned || (recheck === 'only' && phase === 'harvesting');
    return isForOther ? Math.min(budget, this.#fetchedBefore) : budget;
  }
}
