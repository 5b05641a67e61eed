import type { SteerCommand, SteerRecord } from '../core/index.ts';
import { isObeyable, type SteeredRun } from './obeyable.ts';
import type { Unnumbered } from './records.ts';
import type { CrawlState } from './state/crawl-state.ts';

/** What obeying people needs of the crawl. */
export interface CommandPorts {
  readonly state: () => CrawlState;
  readonly run: () => SteeredRun;
  readonly now: () => number;
  /** False: the run is to end, and obeys no more. */
  readonly isWanted: () => boolean;
  readonly append: (record: Unnumbered<SteerRecord>) => void;
  /** Something is to be done. */
  readonly wake: () => void;
}

/** What people ask of a crawl. While the journal is read, or a phase begins, it waits, so that it can be written behind that. */
export class Commands {
  readonly #ports: CommandPorts;
  /** What was asked meanwhile; `undefined`: what is asked is done at once. */
  #asked: SteerCommand[] | undefined = [];
  #isPaused = false;
  #holds = 0;

  constructor(ports: CommandPorts) {
    this.#ports = ports;
  }

  /** What is asked waits. */
  get areWaiting(): boolean {
    return this.#asked !== undefined;
  }

  /** A person wants nothing to be fetched. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** A person reviews beside the crawl. */
  get isHeld(): boolean {
    return this.#holds > 0;
  }

  /** @returns false when the command would change nothing or cannot be obeyed now; nothing is written then */
  steer(command: SteerCommand): boolean {
    const { isWanted, append, now, wake } = this.#ports;
    if (!isWanted()) return false;
    if (this.#asked !== undefined) {
      this.#asked.push(command);
      return true;
    }
    if (command.kind === 'pause' || command.kind === 'resume') {
      const isPaused = command.kind === 'pause';
      if (isPaused === this.#isPaused) return false;
      this.#isPaused = isPaused;
    } else {
      if (!isObeyable(command, this.#ports.state(), this.#ports.run())) return false;
      append({ kind: 'steer', command, at: now() });
    }
    wake();
    return true;
  }

  /** @returns lets go */
  hold(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds--;
      isHeld = false;
      this.#ports.wake();
    };
  }

  /** From now on what is asked waits. */
  wait(): void {
    this.#asked = [];
  }

  /** Does what was asked meanwhile, and from now on what is asked at once. */
  obey(): void {
    const asked = this.#asked ?? [];
    this.#asked = undefined;
    for (const command of asked) this.steer(command);
  }
}
