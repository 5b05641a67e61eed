import { type Kysely, sql } from 'kysely';
import type { TopicId } from '../../core/index.ts';
import { among, inTopics } from '../read/page-filter.ts';
import type { Tables } from '../schema.ts';

type Db = Kysely<Tables>;
type Condition = ReturnType<typeof among>;

interface Scored {
  readonly page: number;
  readonly topic: string;
  readonly authority: number;
}

/**
 * Authority scores of stored pages in some topics, by default in all. `link_score` holds the best pages of each topic
 * from the latest link analysis. `authority` holds all pages but may be older, so its scores are capped by the lowest
 * of the best.
 */
export class Authorities {
  readonly #db: Db;
  readonly #within: Condition;
  readonly #hasOthers: boolean;
  readonly #scores = new Map<number, number>();
  readonly #known = new Set<number>();
  #least: ReadonlyMap<string, number> | undefined;
  #isComplete = false;

  /** @param hasOthers false if the store has no table `authority` yet */
  constructor(db: Db, topics: readonly TopicId[] | undefined, hasOthers: boolean) {
    this.#db = db;
    this.#within = inTopics(topics) ?? sql<boolean>`1 = 1`;
    this.#hasOthers = hasOthers;
  }

  /** Returns 0 for a page without a score, or not yet read. */
  of(page: number): number {
    return this.#scores.get(page) ?? 0;
  }

  /** Reads the scores of all pages. */
  async readAll(): Promise<void> {
    if (this.#isComplete) return;
    this.#isComplete = true;
    await this.#add(sql<boolean>`1 = 1`, await this.#bestOf(sql<boolean>`1 = 1`));
  }

  /** Reads the scores of some pages. */
  async read(pages: readonly number[]): Promise<void> {
    const unknown = this.#isComplete ? [] : pages.filter((page) => !this.#known.has(page));
    if (unknown.length === 0) return;
    for (const page of unknown) this.#known.add(page);
    const names = await this.#db.selectFrom('alias').select('url_id').where(among(unknown, 'page')).execute();
    const best =
      names.length === 0
        ? []
        : await this.#bestOf(
            among(
              names.map(({ url_id }) => url_id),
              's.url_id',
            ),
          );
    await this.#add(among(unknown, 'page'), best);
  }

  async #bestOf(condition: Condition): Promise<readonly Scored[]> {
    const rows = await sql<Scored>`
      select alias.page as page, s.topic as topic, max(s.authority) as authority
      from link_score s join alias on alias.url_id = s.url_id
      where s.authority > 0 and ${condition} and ${this.#within} group by alias.page, s.topic`.execute(this.#db);
    return rows.rows.map((row) => ({ ...row, page: Number(row.page) }));
  }

  /** Returns the lowest score among the best pages, per topic. */
  async #leastOf(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db
      .selectFrom('link_score')
      .select(['topic', sql<number>`min(authority)`.as('least')])
      .where('authority', '>', 0)
      .groupBy('topic')
      .execute();
    return new Map(rows.map(({ topic, least }) => [topic, least]));
  }

  async #add(condition: Condition, best: readonly Scored[]): Promise<void> {
    for (const { page, authority } of best) this.#put(page, authority);
    if (!this.#hasOthers) return;
    const others = await this.#db.selectFrom('authority').selectAll().where(condition).where(this.#within).execute();
    if (others.length === 0) return;
    this.#least ??= await this.#leastOf();
    const isBest = new Set(best.map(({ page, topic }) => `${page} ${topic}`));
    for (const { page, topic, authority } of others)
      if (!isBest.has(`${page} ${topic}`)) this.#put(page, Math.min(authority, this.#least.get(topic) ?? authority));
  }

  #put(page: number, authority: number): void {
    this.#scores.set(page, Math.max(authority, this.of(page)));
  }
}
