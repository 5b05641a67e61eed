import { setTimeout } from 'node:timers/promises';
import { firstValue, isPassingStatus } from '../../core/index.ts';
import { parseRetryAfter } from '../retry-after.ts';
import {
  NamedOrigin,
  type NamedOriginAnswer,
  type NamedOriginLimits,
  type NamedOriginQuestion,
} from '../service-request.ts';

/** Attempts of one request, and the pause after a failure without `Retry-After`; it doubles. */
const MAX_TRIES = 3;
const PAUSE_MS = 5_000;
/** A service that asks for a longer pause gets it, but the page is not waited for. */
const MAX_PAUSE_MS = 120_000;

/** Options of {@link PoliteService}. */
export interface PoliteServiceOptions extends NamedOriginLimits {
  /** Minimum time between two requests, in ms. */
  readonly delayMs: number;
  readonly now?: () => number;
  /** Returns false once no further request may begin. Default: always true. */
  readonly isWanted?: () => boolean;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/**
 * Asks one service, one request at a time and at a fixed minimum distance. Waits and tries again if it is busy or
 * silent; all later requests wait as well.
 */
export class PoliteService {
  readonly #origin: NamedOrigin;
  readonly #options: Required<PoliteServiceOptions>;
  /** Resolves when the request before has ended. */
  #turn: Promise<unknown> = Promise.resolve();
  #notBefore = 0;
  #isClosed = false;

  constructor(address: string, options: PoliteServiceOptions) {
    this.#origin = new NamedOrigin(address, options);
    this.#options = {
      now: Date.now,
      isWanted: () => true,
      sleep: (ms) => setTimeout(ms, undefined, { ref: false }),
      ...options,
    };
  }

  /** Resolves to the answer, or to the last failure; `undefined` if nothing was asked, since the crawl ends. */
  ask(address: string, question: NamedOriginQuestion): Promise<NamedOriginAnswer | undefined> {
    const answer = this.#turn.then(() => this.#askPatiently(address, question));
    this.#turn = answer;
    return answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#origin.close();
  }

  async #askPatiently(address: string, question: NamedOriginQuestion): Promise<NamedOriginAnswer | undefined> {
    const { now, sleep, delayMs, isWanted } = this.#options;
    for (let tries = 1; ; tries++) {
      if (this.#isClosed || !isWanted()) return undefined;
      const waitMs = this.#notBefore - now();
      if (waitMs > MAX_PAUSE_MS) return { kind: 'unanswered', detail: 'it asks for a longer pause', at: address };
      if (waitMs > 0) await sleep(waitMs);
      if (this.#isClosed || !isWanted()) return undefined;
      this.#notBefore = now() + delayMs;
      const answer = await this.#origin.ask(address, question);
      const pauseMs = this.#pauseAfter(answer, tries);
      if (pauseMs === undefined) return answer;
      this.#notBefore = now() + Math.max(delayMs, pauseMs);
      if (tries === MAX_TRIES) return answer;
    }
  }

  /** Returns how long to wait before the next attempt; `undefined` for a usable answer. */
  #pauseAfter(answer: NamedOriginAnswer, tries: number): number | undefined {
    if (answer.kind === 'too-large') return undefined;
    const growing = PAUSE_MS * 2 ** (tries - 1);
    if (answer.kind !== 'answer') return growing;
    if (!isPassingStatus(answer.status)) return undefined;
    return parseRetryAfter(firstValue(answer.headers['retry-after']), this.#options.now()) ?? growing;
  }
}
