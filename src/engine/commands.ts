import type { SteerCommand, SteerRecord } from '../core/index.ts';
import { isObeyable, type SteeredRun } from './command-check.ts';
import type { Questions } from './questions/questions.ts';
import type { Unnumbered } from './records.ts';
import type { CrawlState } from './state/crawl-state.ts';

/** What running the user's commands needs from the crawl. */
export interface CommandPorts {
  readonly state: () => CrawlState;
  readonly run: () => SteeredRun;
  readonly now: () => number;
  /** False if the run is ending and accepts no more commands. */
  readonly isWanted: () => boolean;
  readonly append: (record: Unnumbered<SteerRecord>) => void;
  readonly questions: Pick<Questions, 'skip' | 'end'> | undefined;
  /** Wakes the crawl's loop: there is work to do. */
  readonly wake: () => void;
}

/**
 * The user's commands to a crawl. They wait while the journal is read or a phase starts, and are written after that.
 */
export class Commands {
  readonly #ports: CommandPorts;
  /** Commands that wait; `undefined` if commands run at once. */
  #asked: SteerCommand[] | undefined = [];
  #isPaused = false;
  #holds = 0;

  constructor(ports: CommandPorts) {
    this.#ports = ports;
  }

  /** True if commands wait. */
  get areWaiting(): boolean {
    return this.#asked !== undefined;
  }

  /** True if the user paused fetching. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** True while the user reviews pages during the crawl. */
  get isHeld(): boolean {
    return this.#holds > 0;
  }

  /** @returns false if the command would change nothing or cannot run now; then nothing is written */
  steer(command: SteerCommand): boolean {
    const { isWanted, wake } = this.#ports;
    if (!isWanted()) return false;
    if (this.#asked !== undefined) {
      this.#asked.push(command);
      return true;
    }
    if (!this.#obey(command)) return false;
    wake();
    return true;
  }

  #obey(command: SteerCommand): boolean {
    const { append, now, questions } = this.#ports;
    switch (command.kind) {
      case 'pause':
      case 'resume': {
        const wasPaused = this.#isPaused;
        this.#isPaused = command.kind === 'pause';
        return this.#isPaused !== wasPaused;
      }
      case 'skip-question':
        return questions?.skip(command.key) === true;
      case 'end-questions':
        return questions?.end() === true;
      default:
        if (!isObeyable(command, this.#ports.state(), this.#ports.run())) return false;
        append({ kind: 'steer', command, at: now() });
        return true;
    }
  }

  /** @returns a function that releases the hold */
  hold(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds--;
      isHeld = false;
      this.#ports.wake();
    };
  }

  /** Makes later commands wait. */
  wait(): void {
    this.#asked = [];
  }

  /** Runs the waiting commands. Later commands run at once. */
  obey(): void {
    const asked = this.#asked ?? [];
    this.#asked = undefined;
    for (const command of asked) this.steer(command);
  }
}
