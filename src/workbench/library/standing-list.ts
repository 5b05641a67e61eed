import {
  addStanding,
  askStanding,
  markStandingSeen,
  removeStanding,
  type StandingAnswer,
  type StandingQuery,
  standingQueries,
} from '../standing/standing-queries.ts';
import type { Reader } from './reader.ts';

/** The standing queries of a workspace. They are asked again after each crawl and recheck. */
export class StandingList {
  readonly #dir: string;
  readonly #reader: Reader;

  /** @internal Use {@link OpenWorkspace.standing}. */
  constructor(dir: string, reader: Reader) {
    this.#dir = dir;
    this.#reader = reader;
  }

  /** Returns all, with what is new. */
  list(): readonly StandingQuery[] {
    return standingQueries(this.#dir);
  }

  /**
   * Adds words of a search, or a SQL statement. What it finds now is not new.
   * @throws UsageError if it is not valid, or there already
   * @throws BingoError `STORE_MISSING` before the first crawl
   */
  async add(query: string): Promise<StandingQuery> {
    return await this.#reader.use(({ store, workspace }) => addStanding(workspace, store, query));
  }

  /**
   * Removes one, by its text or its number from 1. Returns its text.
   * @throws UsageError for an unknown query
   */
  remove(query: string): string {
    return removeStanding(this.#dir, query);
  }

  /** Asks all now. */
  async ask(): Promise<readonly StandingAnswer[]> {
    return await this.#reader.use(({ store, workspace }) => askStanding(workspace, store));
  }

  /** Marks all findings as seen. Returns their number. */
  markSeen(): number {
    return markStandingSeen(this.#dir);
  }
}
