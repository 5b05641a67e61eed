import type { Judgement } from '../../core/index.ts';
import type {
  ChangeRow,
  DecideOptions,
  Decision,
  MarkResult,
  ReviewPage,
  ReviewText,
  ReviewTopic,
} from '../../workbench/index.ts';
import type { Connection } from './connection.ts';

/** A review in progress. */
export interface ReviewState {
  /** Pages to decide on, topic by topic, then the counter-examples. */
  readonly topics: readonly ReviewTopic[];
  /** Decisions that are not applied yet. */
  readonly decisions: readonly Judgement[];
}

/** A review on a server. It locks the workspace until it is closed, or idle for 15 minutes. */
export class RemoteReview implements AsyncDisposable {
  /** Pages to decide on: candidates and training pages of each topic, then the counter-examples. */
  readonly candidates: readonly ReviewTopic[];
  readonly #connection: Connection;

  /** @internal Use {@link RemoteWorkspace.review}. */
  constructor({ topics }: ReviewState, connection: Connection) {
    this.candidates = topics;
    this.#connection = connection;
  }

  /** Returns a page's text in paragraphs, with the strongest terms of its topic marked. */
  async text({ sequence, topic }: Pick<ReviewPage, 'sequence' | 'topic'>): Promise<ReviewText> {
    return await this.#connection.get('/review/text', { sequence, topic });
  }

  /** Decides about a page, as the local review does. */
  async decide(key: string, decision: Decision, details: DecideOptions = {}): Promise<void> {
    await this.#connection.post('/review/decisions', { key, decision, ...details });
  }

  /** Forgets a decision that is not applied yet. */
  async forget(key: string, details: Pick<DecideOptions, 'by'> = {}): Promise<void> {
    await this.#connection.post('/review/decisions', { key, decision: 'forget', ...details });
  }

  /** Undoes the last decision of a reviewer that is not applied yet. Returns the page's key. */
  async undo(details: Pick<DecideOptions, 'by'> = {}): Promise<string | undefined> {
    const { key } = await this.#connection.post<{ readonly key: string | null }>('/review/undo', details);
    return key ?? undefined;
  }

  /** Returns what the decisions would change; writes nothing. */
  async preview(): Promise<ChangeRow> {
    return await this.#connection.post('/review/preview');
  }

  /** Applies the decisions: trains, then judges every stored page again. */
  async apply(): Promise<MarkResult> {
    return await this.#connection.post('/review/apply');
  }

  /** Ends the review; decisions that are not applied are lost. */
  async close(): Promise<void> {
    await this.#connection.delete('/review');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
