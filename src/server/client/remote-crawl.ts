import type { CrawlStatus, SteerCommand } from '../../core/index.ts';
import type { WorkspaceCrawlEvent, WorkspaceCrawlSummary } from '../../workbench/index.ts';
import { ApiError, type Connection } from './connection.ts';

interface JobAnswer {
  readonly state: 'running' | 'ended' | 'failed';
  readonly summary?: WorkspaceCrawlSummary;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** A crawl on a server: its events, and its controls. Leaving the loop over its events stops it. */
export class RemoteCrawl implements AsyncIterable<WorkspaceCrawlEvent> {
  readonly #connection: Connection;
  readonly #started: Promise<unknown>;
  #status: CrawlStatus | undefined;
  #summary: Promise<WorkspaceCrawlSummary> | undefined;

  /** @internal Use {@link RemoteWorkspace.crawl}. */
  constructor({ signal, ...options }: { readonly signal?: AbortSignal | undefined }, connection: Connection) {
    this.#connection = connection;
    this.#started = connection.post('/crawl', options);
    this.#started.catch(() => {});
    signal?.addEventListener('abort', () => void this.stop(), { once: true });
  }

  /** The outcome, once the crawl has ended and everything is stored. Rejects if the crawl failed. */
  get summary(): Promise<WorkspaceCrawlSummary> {
    this.#summary ??= this.#follow();
    return this.#summary;
  }

  /** Fetches no further links until {@link resume}. */
  async pause(): Promise<void> {
    await this.steer({ kind: 'pause' });
  }

  /** Fetches links again. */
  async resume(): Promise<void> {
    await this.steer({ kind: 'resume' });
  }

  /** Ends the crawl: active fetches finish, and everything is stored. */
  async stop(): Promise<void> {
    await this.#send({ kind: 'stop' });
  }

  /** Sets the total number of pages to fetch, earlier runs included. */
  async setBudget(budget: number): Promise<void> {
    await this.steer({ kind: 'set-budget', budget });
  }

  /** Ends the learning phase, or starts it again. */
  async setPhase(phase: 'learning' | 'harvesting'): Promise<void> {
    await this.steer({ kind: phase === 'learning' ? 'begin-learning' : 'end-learning' });
  }

  /** Changes the running crawl: limits, blocked hosts, target topics, the ordering. */
  async steer(command: SteerCommand): Promise<void> {
    await this.#send(command);
  }

  /** Returns the figures of the last status event that was read; `undefined` before it. */
  status(): CrawlStatus | undefined {
    return this.#status;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WorkspaceCrawlEvent, void, void> {
    await this.#started;
    let isAtEnd = false;
    try {
      for await (const event of this.#events()) {
        if (event.kind === 'status') this.#status = event.status;
        yield event;
      }
      isAtEnd = true;
    } finally {
      if (!isAtEnd) await this.stop().catch(() => {});
    }
    await this.#outcome();
  }

  async #follow(): Promise<WorkspaceCrawlSummary> {
    await this.#started;
    for await (const _ of this.#events());
    return await this.#outcome();
  }

  /** Yields events until the crawl has ended; connects again after an interruption. */
  async *#events(): AsyncGenerator<WorkspaceCrawlEvent, void, void> {
    let after = 0;
    do {
      let text = '';
      for await (const piece of this.#connection.pieces('/crawl/events', { after })) {
        const messages = (text + piece).split('\n\n');
        text = messages.pop() ?? '';
        for (const message of messages) {
          const [, id, data] = /^id: (\d+)\nevent: .*\ndata: (.*)$/.exec(message) ?? [];
          if (id === undefined || data === undefined) continue;
          after = Number(id);
          yield JSON.parse(data) as WorkspaceCrawlEvent;
        }
      }
    } while ((await this.#state()).state === 'running');
  }

  async #outcome(): Promise<WorkspaceCrawlSummary> {
    const { summary, error } = await this.#state();
    if (summary !== undefined) return summary;
    throw new ApiError(409, error ?? { code: 'UNEXPECTED', message: 'The crawl has no outcome.' });
  }

  async #state(): Promise<JobAnswer> {
    return await this.#connection.get('/crawl');
  }

  async #send(command: SteerCommand | { readonly kind: 'stop' }): Promise<void> {
    await this.#started;
    await this.#connection.post('/crawl/steer', command);
  }
}
