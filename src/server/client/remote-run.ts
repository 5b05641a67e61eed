import type { ErrorReply } from '../errors.ts';
import type { MissedEvents } from '../event-log.ts';
import { ApiError, type Connection, NO_ANSWER } from './connection.ts';

/** State of a crawl or a find on a server. */
interface RunState {
  readonly state: 'running' | 'ended' | 'failed';
  readonly error?: ErrorReply;
}

/** What a server runs below a path: `/crawl` or `/find`. */
export class RemoteRun<E, S extends RunState> {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #started: Promise<unknown>;

  /** @param started resolves once the server runs it */
  constructor(connection: Connection, path: string, started: Promise<unknown>) {
    this.#connection = connection;
    this.#path = path;
    this.#started = started;
    started.catch(() => {});
  }

  /** Calls `stop` when the signal aborts, or at once if it has. */
  stopAt(signal: AbortSignal | undefined, stop: () => Promise<void>): void {
    const stopNow = (): void => void stop().catch(() => {});
    signal?.addEventListener('abort', stopNow, { once: true });
    if (signal?.aborted === true) stopNow();
  }

  /** Sends a request below the path, once the run has started. */
  async post(path: string, body: unknown): Promise<void> {
    await this.#started;
    await this.#connection.post(this.#path + path, body);
  }

  /** Ends the run by deleting it. */
  async delete(): Promise<void> {
    await this.#started;
    await this.#connection.delete(this.#path);
  }

  /** Yields events until the run has ended or the signal aborts; connects again after an interruption. */
  async *events(signal?: AbortSignal): AsyncGenerator<E | MissedEvents, void, void> {
    await this.#started;
    let after = 0;
    do {
      let text = '';
      try {
        for await (const piece of this.#connection.pieces(`${this.#path}/events`, { after }, signal)) {
          const messages = (text + piece).split('\n\n');
          text = messages.pop() ?? '';
          for (const message of messages) {
            const [, id, data] = /^id: (\d+)\nevent: .*\ndata: (.*)$/.exec(message) ?? [];
            if (id === undefined || data === undefined) continue;
            after = Number(id);
            yield JSON.parse(data) as E | MissedEvents;
          }
        }
      } catch (error) {
        if (signal?.aborted === true) return;
        if (error instanceof ApiError && error.code !== NO_ANSWER) throw error;
        // The connection broke. The next request throws if the server is away.
      }
    } while (await this.#isRunning());
  }

  /** Yields all events. Calls `stop` if the caller leaves the loop, and throws if the run failed. */
  async *ownEvents(stop: () => Promise<void>): AsyncGenerator<E | MissedEvents, void, void> {
    await this.#started;
    let isAtEnd = false;
    try {
      yield* this.events();
      isAtEnd = true;
    } finally {
      if (!isAtEnd) await stop().catch(() => {});
    }
    await this.#outcome();
  }

  /** Waits until the run has ended. Throws if it failed. */
  async ended(): Promise<S> {
    for await (const _ of this.events());
    return await this.#outcome();
  }

  async #outcome(): Promise<S> {
    const state = await this.#connection.get<S>(this.#path);
    if (state.error !== undefined) throw new ApiError(409, state.error);
    return state;
  }

  /** A crawl of another process is unknown to the server after its end. */
  async #isRunning(): Promise<boolean> {
    try {
      return (await this.#connection.get<RunState>(this.#path)).state === 'running';
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return false;
      throw error;
    }
  }
}
