import type { StandingAnswer, StandingQuery } from '../../workbench/index.ts';
import type { Connection } from './connection.ts';

interface Listed {
  readonly queries: readonly StandingQuery[];
}

/** The standing queries of a workspace on a server. They are asked again after each crawl and recheck. */
export class RemoteStanding {
  readonly #connection: Connection;

  /** @internal Use {@link RemoteWorkspace.standing}. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns all, with what is new. */
  async list(): Promise<readonly StandingQuery[]> {
    return (await this.#connection.get<Listed>('/standing')).queries;
  }

  /** Adds words of a search, or a SQL statement. What it finds now is not new. */
  async add(query: string): Promise<StandingQuery> {
    return (await this.#connection.post<Listed>('/standing', { query })).queries.at(-1)!;
  }

  /** Removes one, by its text or its number from 1. */
  async remove(query: string): Promise<void> {
    await this.#connection.delete('/standing', { query });
  }

  /** Asks all now. */
  async ask(): Promise<readonly StandingAnswer[]> {
    return (await this.#connection.post<{ readonly answers: readonly StandingAnswer[] }>('/standing/ask')).answers;
  }

  /** Marks all findings as seen. Returns their number. */
  async markSeen(): Promise<number> {
    return (await this.#connection.post<{ readonly seen: number }>('/standing/seen')).seen;
  }
}
