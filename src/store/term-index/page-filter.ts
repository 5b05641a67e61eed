import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TopicId } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import type { PageFilter } from '../store.ts';
import { topicCondition } from '../topic-condition.ts';

type Db = Kysely<Tables>;

/** Numbers given in one query. */
const CHUNK = 500;
/** Up to so many pages are looked up one by one; of more, the table is walked: some 30 ms for 100,000 pages. */
const LOOKED_UP = 4_000;

/** What a filter asks of rows of `page`; `undefined` when it takes every page. */
export function filterCondition({ topics, sites, since, until, types }: PageFilter): RawBuilder<boolean> | undefined {
  const conditions: RawBuilder<boolean>[] = [];
  const topic = inTopics(topics);
  if (topic !== undefined) conditions.push(sql`others = 0`, topic);
  if (sites !== undefined && sites.length > 0) conditions.push(anyOf(sites.map(onSite)));
  if (types !== undefined && types.length > 0) conditions.push(anyOf(types.map(ofType)));
  if (since !== undefined) conditions.push(sql`fetched_at >= ${since}`);
  if (until !== undefined) conditions.push(sql`fetched_at < ${until}`);
  return conditions.length === 0 ? undefined : sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Those of the pages, in their order, that the condition holds for. */
export async function filterPages(
  db: Db,
  pages: readonly number[],
  condition: RawBuilder<boolean>,
): Promise<readonly number[]> {
  const allowed = new Set<number>();
  const query = db.selectFrom('page').select('sequence').where(condition).where('replaced_by', 'is', null);
  if (pages.length > LOOKED_UP) {
    for (const { sequence } of await query.execute()) allowed.add(sequence);
  } else
    for (let at = 0; at < pages.length; at += CHUNK)
      for (const { sequence } of await query.where('sequence', 'in', pages.slice(at, at + CHUNK)).execute())
        allowed.add(sequence);
  return pages.filter((page) => allowed.has(page));
}

function anyOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

/** The host itself, with any port, or a host below it. */
function onSite(site: string): RawBuilder<boolean> {
  const name = site.toLowerCase().replace(/[!%_]/g, '!$&');
  const ends = [name, `%.${name}`, `${name}:%`, `%.${name}:%`];
  return anyOf(ends.map((pattern) => sql<boolean>`host like ${pattern} escape '!'`));
}

/** A media type, whatever parameters stand behind it. */
function ofType(type: string): RawBuilder<boolean> {
  const name = type.toLowerCase().replace(/[!%_]/g, '!$&');
  return sql<boolean>`(content_type like ${name} escape '!' or content_type like ${`${name};%`} escape '!')`;
}

/** Topic conditions have `?` where parameters belong; Kysely wants them in place. */
export function inTopics(topics: readonly TopicId[] | undefined): RawBuilder<boolean> | undefined {
  const condition = topicCondition(topics);
  if (condition === undefined) return undefined;
  const [head, ...rest] = condition.sql.split('?');
  const parts = rest.map((part, i) => sql`${condition.parameters[i]}${sql.raw(part)}`);
  return sql<boolean>`(${sql.raw(head!)}${sql.join(parts, sql``)})`;
}
