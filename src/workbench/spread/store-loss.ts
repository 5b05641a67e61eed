import { setTimeout as sleep } from 'node:timers/promises';
import { BingoError, type CrawlEvent } from '../../core/index.ts';

/**
 * Pause before lost work is repeated. It grows with the time since the loss, and is always well below the life of a
 * lease.
 */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2_000;

/** What waiting for a lost server needs. */
export interface StoreLossPorts {
  /** How long a server may be lost. */
  readonly reconnectMs: number;
  /** Receives an alarm when the server is lost, and one when it is back. Default: none. */
  readonly onEvent?: (event: CrawlEvent) => void;
  /** Ends a pause. */
  readonly signal?: AbortSignal;
}

/** Waits for a lost database server, for work that can be repeated. */
export class StoreLoss {
  readonly #ports: StoreLossPorts;
  #lostAt: number | undefined;

  constructor(ports: StoreLossPorts) {
    this.#ports = ports;
  }

  /**
   * Runs work that asks the server.
   * @returns `undefined`, after a pause, if the server was lost: the caller repeats the work
   * @throws StoreError `STORE_LOST` if the server has been lost for too long
   */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { reconnectMs, onEvent = () => {}, signal } = this.#ports;
    const beganAt = performance.now();
    try {
      const result = await work();
      if (this.#lostAt !== undefined) onEvent(SERVER_BACK);
      this.#lostAt = undefined;
      return result;
    } catch (error) {
      // Some parts of the work wait for the server themselves.
      const lostMs = performance.now() - (this.#lostAt ?? beganAt);
      if (!isStoreLost(error) || lostMs > reconnectMs) throw error;
      if (this.#lostAt === undefined) onEvent(serverLost(error));
      this.#lostAt ??= beganAt;
      await sleep(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, lostMs)), undefined, { signal }).catch(() => {});
      return undefined;
    }
  }
}

/** True if the database server does not answer. */
export function isStoreLost(error: unknown): error is BingoError {
  return error instanceof BingoError && error.code === 'STORE_LOST';
}

function serverLost({ message }: BingoError): CrawlEvent {
  return {
    kind: 'alarm',
    code: 'store-silent',
    message: `${message} This process asks again until the server answers.`,
    remedy: 'Nothing is lost. The process ends if the server does not answer within store.reconnectMs.',
  };
}

const SERVER_BACK: CrawlEvent = {
  kind: 'alarm',
  code: 'store-answers',
  message: 'The database server answers again.',
  remedy: 'Nothing needs to be done.',
};
