import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TopicId } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import type { PageFilter } from '../search-query.ts';
import { checkFields, fieldCondition } from './page-fields.ts';
import { topicCondition } from './topic-condition.ts';

type Db = Kysely<Tables>;

/** Numbers per query. */
const CHUNK = 1_000;
/**
 * Up to this many pages are looked up one by one; for more, an index over all pages is scanned: about 20 ms for
 * 100,000.
 */
const LOOKED_UP = 2_000;

/** Pages fetched as counter-examples, unless the user put them into a topic since. */
export const TAUGHT_APART: RawBuilder<boolean> = sql<boolean>`(role = 'others' and others = 1)`;

/**
 * Returns the pages that pass the filter, in their order. For very many pages, the result can include
 * counter-examples.
 */
export async function filterPages(db: Db, pages: readonly number[], filter: PageFilter): Promise<readonly number[]> {
  const conditions = await pageConditions(db, filter);
  const query = db.selectFrom('page').select('sequence').where('replaced_by', 'is', null);
  if (pages.length <= LOOKED_UP) {
    const allowed = new Set<number>();
    const narrowed = [sql<boolean>`not ${TAUGHT_APART}`, ...conditions].reduce(
      (narrower, c) => narrower.where(c),
      query,
    );
    for (let at = 0; at < pages.length; at += CHUNK)
      for (const { sequence } of await narrowed.where(among(pages.slice(at, at + CHUNK))).execute())
        allowed.add(sequence);
    return pages.filter((page) => allowed.has(page));
  }
  // Few pages are replaced. The conditions below already leave them out.
  const replaced = conditions.length > 0 ? [] : await replacedPages(db);
  const stale = new Set(replaced.map(({ sequence }) => sequence));
  // One condition at a time, so that an index answers each.
  let left = stale.size === 0 ? pages : pages.filter((page) => !stale.has(page));
  for (const condition of conditions) {
    const allowed = new Set((await query.where(condition).execute()).map(({ sequence }) => sequence));
    left = left.filter((page) => allowed.has(page));
  }
  return left;
}

/** Returns pages that a newer version replaced. An index alone answers. */
export function replacedPages(db: Db): Promise<readonly { readonly sequence: number }[]> {
  return db.selectFrom('page').select('sequence').where('replaced_by', 'is not', null).execute();
}

/** Numbers in the text of a query; as parameters they would cost more than the answer. */
export function among(pages: readonly number[], column = 'sequence'): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} in (${sql.raw(pages.map(Number).join(','))})`;
}

/**
 * Returns the conditions of a filter on rows of `page`, one per index of that table.
 * @throws StoreError `NO_FIELDS` if it names a field, and an older version wrote the store
 */
export async function pageConditions(db: Db, filter: PageFilter): Promise<readonly RawBuilder<boolean>[]> {
  await checkFields(db, [...(filter.fields ?? []), ...(filter.without?.fields ?? [])]);
  const { topics, others, since, until, fields = [], without = {} } = filter;
  const facts = [...kinds(filter), ...fields.map(fieldCondition)];
  const unwanted = [
    ...placeConditions(without.topics, without.others === true),
    ...[...kinds(without), ...(without.fields ?? []).map(fieldCondition)],
  ];
  facts.push(...unwanted.map((condition) => sql<boolean>`not ${condition}`));
  if (since !== undefined) facts.push(sql`fetched_at >= ${since}`);
  if (until !== undefined) facts.push(sql`fetched_at < ${until}`);
  return [
    ...placeConditions(topics, others === true),
    ...(facts.length === 0 ? [] : [sql<boolean>`(${sql.join(facts, sql` and `)})`]),
  ];
}

/** Conditions on the site, type and language of a page. */
function kinds({ sites = [], types = [], endings = [], languages = [] }: PageFilter): RawBuilder<boolean>[] {
  return [
    ...(sites.length > 0 ? [anyOf(sites.map(onSite))] : []),
    ...(languages.length > 0 ? [anyOf(languages.map((code) => sql<boolean>`language = ${code}`))] : []),
    ...(types.length > 0 ? [anyOf([...types.map(ofType), ...endings.map(bytesCalled)])] : []),
  ];
}

/** Conditions on the topic of a page. */
function placeConditions(topics: readonly TopicId[] = [], others: boolean): readonly RawBuilder<boolean>[] {
  const topic = inTopics(topics);
  const accepted = topic === undefined ? [] : [sql<boolean>`(others = 0 and ${topic})`];
  const isEverything = topics.length > 0 && topic === undefined;
  return others && !isEverything ? [anyOf([...accepted, sql<boolean>`others = 1`])] : accepted;
}

function anyOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

/** The host itself, with any port, or a subdomain. */
function onSite(site: string): RawBuilder<boolean> {
  const name = site.toLowerCase().replace(/[!%_]/g, '!$&');
  const ends = [name, `%.${name}`, `${name}:%`, `%.${name}:%`];
  const like = anyOf(ends.map((pattern) => sql<boolean>`host like ${pattern} escape '!'`));
  // Checking four patterns for every host would cost more than the rest of the query.
  return sql<boolean>`(instr(host, ${site.toLowerCase()}) > 0 and ${like})`;
}

/** Condition for a media type, with any parameters. */
function ofType(type: string): RawBuilder<boolean> {
  const name = type.toLowerCase().replace(/[!%_]/g, '!$&');
  return sql<boolean>`(content_type like ${name} escape '!' or content_type like ${`${name};%`} escape '!')`;
}

/** Condition for content of an unspecific type at an address with this ending: a download, or a file in an archive. */
function bytesCalled(ending: string): RawBuilder<boolean> {
  const called = anyOf(
    [`%.${ending}`, `%.${ending}?%`].map((pattern) => sql<boolean>`lower(final_url) like ${pattern}`),
  );
  const vague = ['', '%/octet-stream', '%/x-octet-stream', '%download'].map(
    (pattern) => sql<boolean>`content_type like ${pattern}`,
  );
  return sql<boolean>`(${anyOf(vague)} and ${called})`;
}

/** Replaces each `?` of a topic condition by its parameter, as Kysely requires. */
export function inTopics(topics: readonly TopicId[] | undefined): RawBuilder<boolean> | undefined {
  const condition = topicCondition(topics);
  if (condition === undefined) return undefined;
  const [head, ...rest] = condition.sql.split('?');
  const parts = rest.map((part, i) => sql`${condition.parameters[i]}${sql.raw(part)}`);
  return sql<boolean>`(${sql.raw(head!)}${sql.join(parts, sql``)})`;
}
