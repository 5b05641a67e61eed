import { type Kysely, sql } from 'kysely';
import { foreignStore, newerStore } from './errors.ts';
import type { ColumnKind, SchemaDialect } from './ports.ts';
import { fillEndings } from './read/endings.ts';
import { packFirstScores } from './read/first-scores.ts';
import { fillPageSums } from './read/page-sums.ts';
import type { Tables } from './schema.ts';
import { fillLinkSegments } from './term-index/fill-link-segments.ts';
import { fillVoteWords } from './term-index/fill-vote-words.ts';
import { fillStemList } from './term-index/stem-list.ts';
import { fillUrlRuns } from './url-index/fill-urls.ts';
import { createViews, dropViews } from './views.ts';

interface TableSpec {
  readonly columns: Readonly<Record<string, ColumnKind | `${ColumnKind}?`>>;
  readonly key: readonly string[];
  /** Rows are looked up only by key, so SQLite stores them in the key's tree. */
  readonly keyed?: true;
  readonly indexes?: readonly (readonly string[])[];
}

interface Migration {
  readonly version: number;
  /** Can run again after an interruption, because MySQL cannot roll back `create table`. */
  up(db: Kysely<unknown>, dialect: SchemaDialect): Promise<void>;
}

const ORIGIN = {
  via: 'word',
  from_url: 'text',
  queue: 'name',
  depth: 'int',
  tunnel_depth: 'int',
  priority: 'real?',
} as const;

/** Version 1, frozen. Later versions change it by a migration. */
const TABLES_1: Readonly<Record<string, TableSpec>> = {
  journal: { key: ['sequence'], columns: { sequence: 'id', kind: 'word' } },
  url: { key: ['id'], columns: { id: 'id', hash: 'big', url: 'text' }, indexes: [['hash']] },
  page: {
    key: ['sequence'],
    columns: {
      ...({ sequence: 'id', url: 'text', final_url: 'text', redirects: 'long', host: 'host', site: 'host' } as const),
      ...({ role: 'word', title: 'text', topic: 'name', others: 'int', confidence: 'real?' } as const),
      ...({ relevance: 'real?', model: 'int', ...ORIGIN, status: 'int', content_type: 'name' } as const),
      ...({ fetched_at: 'big', bytes: 'big', address: 'word', etag: 'text', last_modified: 'name' } as const),
      ...({ language: 'word', tokens: 'int', canonical: 'text', noindex: 'int', nofollow: 'int' } as const),
      ...({ content_hash: 'word', simhash: 'word', replaced_by: 'big?' } as const),
    },
    indexes: [['topic', 'others']],
  },
  page_content: { key: ['page'], columns: { page: 'id', content: 'blob' } },
  page_score: {
    key: ['page', 'n'],
    keyed: true,
    columns: {
      ...({ page: 'id', n: 'int', topic: 'name', confidence: 'real?', calibrated: 'real?', bayes: 'real?' } as const),
      ...({ bayes_calibrated: 'real?', cosine: 'real?', relevance: 'real?' } as const),
    },
  },
  link: {
    key: ['page', 'n'],
    keyed: true,
    // No index on `target`: its keys are scattered, so that storing a page cost a fifth more after 20,000 pages, and
    // growing.
    columns: { page: 'id', n: 'int', target: 'big', anchor: 'name', flags: 'int' },
  },
  alias: { key: ['url_id'], columns: { url_id: 'id', page: 'big', reason: 'word' }, indexes: [['page']] },
  visit: {
    key: ['sequence'],
    columns: {
      ...({ sequence: 'id', url: 'text', url_id: 'big', host: 'host', result: 'word', reason: 'name' } as const),
      ...({ detail: 'text', status: 'int', target: 'text', page: 'id', retried: 'int', fetched_at: 'big' } as const),
      ...ORIGIN,
    },
    indexes: [['url_id']],
  },
  phase: { key: ['sequence'], columns: { sequence: 'id', phase: 'word', reason: 'text', at: 'big' } },
  run: { key: ['sequence'], columns: { sequence: 'id', at: 'big', settings: 'long' } },
  round: { key: ['sequence'], columns: { sequence: 'id', model: 'int', reason: 'text', undone: 'int', at: 'big' } },
  round_data: { key: ['round'], columns: { round: 'id', model_blob: 'blob', details: 'blob' } },
  training: {
    key: ['round', 'n'],
    keyed: true,
    columns: {
      ...({ round: 'id', n: 'int', example: 'text', title: 'text', topic: 'name', origin: 'word' } as const),
      confidence: 'real?',
    },
  },
  estimate: {
    key: ['round', 'n'],
    keyed: true,
    columns: {
      ...({ round: 'id', n: 'int', topic: 'name', positives: 'int', negatives: 'int' } as const),
      ...({ xi_alpha_precision: 'real?', xi_alpha_recall: 'real?', held_out_precision: 'real?' } as const),
      ...({ held_out_recall: 'real?', held_out_method: 'word', held_out_auc: 'real?', example_rank: 'real?' } as const),
      features: 'int',
    },
  },
  archetype: {
    key: ['round', 'n'],
    keyed: true,
    columns: { round: 'id', n: 'int', step: 'word', example: 'text', topic: 'name', origin: 'word' },
  },
  link_score: {
    key: ['topic', 'url_id'],
    keyed: true,
    columns: { topic: 'name', url_id: 'id', hub: 'real', authority: 'real' },
  },
  term_log: { key: ['page'], columns: { page: 'id', stems: 'blob' } },
  term_segment: { key: ['first'], columns: { first: 'id', last: 'big', pages: 'int', lengths: 'blob' } },
  term_block: { key: ['segment', 'stem'], columns: { segment: 'id', stem: 'big', data: 'blob' } },
  topic: { key: ['id'], columns: { id: 'name', parent: 'name?', name: 'name', good: 'int', place: 'int' } },
};

/** Version 2: steering, and messages between crawl and dashboard. */
const TABLES_2: Readonly<Record<string, TableSpec>> = {
  steer: { key: ['sequence'], columns: { sequence: 'id', at: 'big', command: 'text' } },
  steer_request: { key: ['id'], columns: { id: 'id', at: 'big', command: 'text' } },
  live_status: { key: ['id'], columns: { id: 'id', at: 'big', status: 'long' } },
};

/** Version 3: the first verdict on pages that were classified again. */
const TABLES_3: Readonly<Record<string, TableSpec>> = {
  first_verdict: {
    key: ['page'],
    columns: { page: 'id', topic: 'name', others: 'int', confidence: 'real?', relevance: 'real?', model: 'int' },
  },
  first_score: TABLES_1.page_score!,
};

/** Version 5: word pairs for phrase search; authorities beyond the best of a topic; pages that no longer exist. */
const TABLES_5: Readonly<Record<string, TableSpec>> = {
  ending: { key: ['page'], keyed: true, columns: { page: 'id', ending: 'word', at: 'big', target: 'text' } },
  authority: { key: ['page', 'topic'], keyed: true, columns: { page: 'id', topic: 'name', authority: 'real' } },
  pair_log: { key: ['page'], columns: { page: 'id', pairs: 'blob' } },
  pair_block: { key: ['segment', 'pair'], keyed: true, columns: { segment: 'id', pair: 'big', data: 'blob' } },
};

/** Version 7: pages that limit or forbid snippets. They are few, so a separate table costs the others nothing. */
const TABLES_7: Readonly<Record<string, TableSpec>> = {
  snippet_limit: { key: ['page'], keyed: true, columns: { page: 'id', chars: 'int' } },
};

/** Version 11: the stems of stored pages, for prefix search. */
const TABLES_11: Readonly<Record<string, TableSpec>> = {
  stem_list: { key: ['sequence'], columns: { sequence: 'id', stems: 'blob' } },
};

/** Version 12: fields that extractors add to pages. */
const TABLES_12: Readonly<Record<string, TableSpec>> = {
  page_field: {
    key: ['page', 'name'],
    keyed: true,
    columns: { page: 'id', name: 'word', kind: 'word', text: 'text', number: 'real?' },
    indexes: [['name', 'number']],
  },
};

/** Version 13: votes of page classifiers. */
const TABLES_13: Readonly<Record<string, TableSpec>> = {
  page_vote: {
    key: ['page', 'voter', 'topic'],
    keyed: true,
    columns: { page: 'id', voter: 'word', topic: 'name', confidence: 'real' },
  },
};

/** Version 14: priorities that an ordering of the user gave to links. */
const TABLES_14: Readonly<Record<string, TableSpec>> = {
  link_priority: {
    key: ['page', 'n'],
    keyed: true,
    columns: { page: 'id', n: 'int', ordering: 'word', priority: 'real' },
  },
};

/** Version 15: importance of pages by backlinks, PageRank and location. */
const TABLES_15: Readonly<Record<string, TableSpec>> = {
  importance: { key: ['page'], keyed: true, columns: { page: 'id', ib: 'int', ir: 'real', il: 'real' } },
};

/** Version 17: sorted runs by which URLs are found, in place of an index on their hashes. */
const TABLES_17: Readonly<Record<string, TableSpec>> = {
  url_run: {
    key: ['base'],
    columns: { first: 'big', last: 'big', base: 'id', blocks: 'int', pieces: 'int' },
  },
  url_block: { key: ['id'], columns: { id: 'id', data: 'blob' } },
};

/** Version 20: words of links, by segment of the search index. */
const TABLES_20: Readonly<Record<string, TableSpec>> = {
  vote_word: { key: ['segment', 'word'], keyed: true, columns: { segment: 'id', word: 'word', data: 'blob' } },
};

/** Version 21: sums over pages, and the number of links in the row `links` of `meta`. */
const TABLES_21: Readonly<Record<string, TableSpec>> = {
  page_sum: {
    key: ['block', 'role', 'via', 'topic', 'others', 'bin', 'live'],
    keyed: true,
    columns: {
      ...({ block: 'id', role: 'word', via: 'word', topic: 'name', others: 'int', bin: 'int', live: 'int' } as const),
      ...({ pages: 'int', judged: 'int', confidence: 'real', rated: 'int', relevance: 'real', depth: 'int' } as const),
    },
  },
  host_sum: {
    key: ['host', 'site'],
    keyed: true,
    columns: {
      ...({ host: 'host', site: 'host', pages: 'int', sitemaps: 'int', relevant: 'int' } as const),
      ...({ rated: 'int', relevance: 'real' } as const),
    },
  },
  minute_sum: {
    key: ['minute'],
    keyed: true,
    columns: { minute: 'word', pages: 'int', relevant: 'int', rated: 'int', relevance: 'real' },
  },
};

/** Version 22: the scores of first verdicts, packed; their topics are stored once for each list of them. */
const TABLES_22: Readonly<Record<string, TableSpec>> = {
  first_topics: { key: ['id'], columns: { id: 'id', names: 'long' } },
  first_scores: { key: ['page'], columns: { page: 'id', topics: 'big', scores: 'blob' } },
};

/** Version 23: links between the shards of a spread crawl, and what each may fetch. */
const TABLES_23: Readonly<Record<string, TableSpec>> = {
  parcel: { key: ['target', 'sequence'], columns: { target: 'int', sequence: 'id', data: 'blob' } },
  inbox: {
    key: ['sequence'],
    columns: { sequence: 'id', source: 'int', upto: 'id', at: 'big', data: 'blob' },
    indexes: [['source', 'upto']],
  },
  shard_grant: { key: ['shard'], columns: { shard: 'int', pages: 'id' } },
};

/** Version 24: the processes that work on a spread crawl. */
const TABLES_24: Readonly<Record<string, TableSpec>> = {
  shard_worker: { key: ['id'], columns: { id: 'word', seen: 'big' } },
};

/** Version 25: the features of many pages together, by which they are judged again. */
const TABLES_25: Readonly<Record<string, TableSpec>> = {
  feature_block: { key: ['block'], columns: { block: 'id', data: 'blob' } },
};

/** Version 26: which records of other stores of a spread crawl a store has. */
const TABLES_26: Readonly<Record<string, TableSpec>> = {
  followed: { key: ['source', 'own'], keyed: true, columns: { source: 'int', own: 'id', place: 'id' } },
};

/** Version 27: the targets of links, packed by segments of pages. */
const TABLES_27: Readonly<Record<string, TableSpec>> = {
  link_segment: { key: ['first'], columns: { first: 'id', last: 'big', links: 'int', data: 'blob' } },
};

const EVERY_TABLE: Readonly<Record<string, TableSpec>> = {
  ...{ ...TABLES_1, ...TABLES_2, ...TABLES_3, ...TABLES_5, ...TABLES_7, ...TABLES_11 },
  ...{
    ...TABLES_12,
    ...TABLES_13,
    ...TABLES_14,
    ...TABLES_15,
    ...TABLES_17,
    ...TABLES_20,
    ...TABLES_21,
    ...TABLES_22,
    ...TABLES_23,
    ...TABLES_24,
    ...TABLES_25,
    ...TABLES_26,
    ...TABLES_27,
  },
};

// No index begins with `replaced_by`: SQLite would assume that few pages match the condition, but almost all do.
const PAGE_INDEXES_5: readonly (readonly string[])[] = [
  ['topic', 'others', 'replaced_by'],
  ['relevance', 'replaced_by'],
  ['confidence', 'replaced_by'],
  ['fetched_at', 'host', 'content_type', 'replaced_by'],
];

const MIGRATIONS: readonly Migration[] = [
  { version: 1, up: (db, dialect) => createTables(db, dialect, TABLES_1) },
  { version: 2, up: (db, dialect) => createTables(db, dialect, TABLES_2) },
  { version: 3, up: (db, dialect) => createTables(db, dialect, TABLES_3) },
  {
    version: 4,
    // Finds the most relevant of many matching pages without reading all pages.
    up: (db, dialect) => createIndex(db, dialect, 'page', ['relevance']),
  },
  {
    version: 5,
    async up(db, dialect) {
      await createTables(db, dialect, TABLES_5);
      // The columns by which a search filters and sorts. The index alone answers, because it also holds the key of
      // the row.
      for (const columns of [['topic', 'others'], ['relevance']]) await dropIndex(db, dialect, 'page', columns);
      for (const columns of PAGE_INDEXES_5) await createIndex(db, dialect, 'page', columns);
      await fillEndings(db as Kysely<Tables>);
    },
  },
  {
    version: 6,
    // A query is stemmed in the languages of all pages; the index lists them without reading the pages.
    up: (db, dialect) => createIndex(db, dialect, 'page', ['language']),
  },
  { version: 7, up: (db, dialect) => createTables(db, dialect, TABLES_7) },
  {
    version: 8,
    // Changes only the views: they now include rejected pages that the user put into a topic.
    up: async () => {},
  },
  {
    version: 9,
    up: (db) => leadToNewest(db as Kysely<Tables>),
  },
  {
    version: 10,
    // Changes only the views: they now leave out pages that no longer exist.
    up: async () => {},
  },
  {
    version: 11,
    async up(db, dialect) {
      await createTables(db, dialect, TABLES_11);
      await fillStemList(db as Kysely<Tables>);
    },
  },
  { version: 12, up: (db, dialect) => createTables(db, dialect, TABLES_12) },
  { version: 13, up: (db, dialect) => createTables(db, dialect, TABLES_13) },
  { version: 14, up: (db, dialect) => createTables(db, dialect, TABLES_14) },
  { version: 15, up: (db, dialect) => createTables(db, dialect, TABLES_15) },
  {
    version: 16,
    // Adds views only.
    up: async () => {},
  },
  {
    version: 17,
    async up(db, dialect) {
      await createTables(db, dialect, TABLES_17);
      await fillUrlRuns(db as Kysely<Tables>);
      await dropIndex(db, dialect, 'url', ['hash']);
    },
  },
  // Adds views only.
  { version: 18, up: async () => {} },
  {
    version: 19,
    // Changes only the views: they begin with accepted pages.
    up: async () => {},
  },
  {
    version: 20,
    async up(db, dialect) {
      await createTables(db, dialect, TABLES_20);
      await fillVoteWords(db as Kysely<Tables>);
    },
  },
  {
    version: 21,
    async up(db, dialect) {
      await createTables(db, dialect, TABLES_21);
      await createMeta(db, dialect);
      await fillPageSums(db as Kysely<Tables>, dialect);
    },
  },
  {
    version: 22,
    async up(db, dialect) {
      await createTables(db, dialect, TABLES_22);
      const tables = await sql.raw<{ readonly name: string }>(dialect.tableNames).execute(db);
      if (!tables.rows.some(({ name }) => name === 'first_score')) return;
      await packFirstScores(db as Kysely<Tables>);
      await db.schema.dropTable('first_score').execute();
    },
  },
  { version: 23, up: (db, dialect) => createTables(db, dialect, TABLES_23) },
  { version: 24, up: (db, dialect) => createTables(db, dialect, TABLES_24) },
  { version: 25, up: (db, dialect) => createTables(db, dialect, TABLES_25) },
  { version: 26, up: (db, dialect) => createTables(db, dialect, TABLES_26) },
  {
    version: 27,
    async up(db, dialect) {
      await createTables(db, dialect, TABLES_27);
      await fillLinkSegments(db as Kysely<Tables>);
    },
  },
];

/** Points the addresses of older page versions to the newest version. */
async function leadToNewest(db: Kysely<Tables>): Promise<void> {
  const replaced = await db
    .selectFrom('page')
    .select(['sequence', 'replaced_by'])
    .where('replaced_by', 'is not', null)
    .orderBy('sequence', 'asc')
    .execute();
  // A page is always replaced by a later one, so one pass in order moves each address to the newest version.
  for (const { sequence, replaced_by } of replaced)
    await db.updateTable('alias').set({ page: replaced_by! }).where('page', '=', sequence).execute();
}

/** Schema version that this program reads and writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.at(-1)!.version;

/**
 * Migrates a database to {@link SCHEMA_VERSION}; an empty one receives all tables.
 * @throws StoreError `STORE_TOO_NEW` if a newer program wrote it, `STORE_FOREIGN` if it is not a Bingo database
 */
export async function migrate(db: Kysely<unknown>, dialect: SchemaDialect, place: string): Promise<void> {
  const version = await schemaVersion(db, dialect, place);
  const pending = MIGRATIONS.filter((migration) => migration.version > version);
  if (pending.length === 0) return;
  await dropViews(db);
  for (const migration of pending) await migration.up(db, dialect);
  await createViews(db, dialect);
  // Written last, so that an interrupted migration runs again.
  await createMeta(db, dialect);
  await sql`delete from meta where name = 'schema_version'`.execute(db);
  await sql`insert into meta (name, value) values ('schema_version', ${String(SCHEMA_VERSION)})`.execute(db);
}

/** Returns the schema version; 0 if the database is empty or its first migration was interrupted. */
export async function schemaVersion(db: Kysely<unknown>, dialect: SchemaDialect, place: string): Promise<number> {
  const tables = (await sql.raw<{ readonly name: string }>(dialect.tableNames).execute(db)).rows.map((row) => row.name);
  const version = tables.includes('meta') ? await versionIn(db, place) : 0;
  if (version > SCHEMA_VERSION) throw newerStore(place, { found: version, supported: SCHEMA_VERSION });
  const foreign = tables.find(
    (name) => !['meta', 'lease'].includes(name) && !(name in EVERY_TABLE) && !/^sqlite_/.test(name),
  );
  if (version === 0 && foreign !== undefined) throw foreignStore(place, foreign);
  return version;
}

async function versionIn(db: Kysely<unknown>, place: string): Promise<number> {
  try {
    const found = await sql<{ readonly value: string }>`select value from meta where name = 'schema_version'`.execute(
      db,
    );
    return Number(found.rows[0]?.value ?? 0);
  } catch (error) {
    // Another program's table has other columns.
    const isOther = /^(SQLITE_ERROR|ER_BAD_FIELD_ERROR)$/.test((error as { readonly code?: string }).code ?? '');
    throw isOther ? foreignStore(place, 'meta') : error;
  }
}

async function createTables(
  db: Kysely<unknown>,
  dialect: SchemaDialect,
  tables: Readonly<Record<string, TableSpec>>,
): Promise<void> {
  for (const [name, spec] of Object.entries(tables)) await createTable(db, dialect, name, spec);
}

async function createTable(db: Kysely<unknown>, dialect: SchemaDialect, name: string, spec: TableSpec): Promise<void> {
  let table = db.schema.createTable(name).ifNotExists();
  for (const [column, kind] of Object.entries(spec.columns)) {
    const type = dialect.types[kind.replace('?', '') as ColumnKind];
    table = table.addColumn(column, sql.raw(type), (c) => (kind.endsWith('?') ? c : c.notNull()));
  }
  table = table.addPrimaryKeyConstraint(`${name}_key`, spec.key as never[]);
  const options = spec.keyed ? dialect.keyedTableOptions : dialect.tableOptions;
  if (options !== '') table = table.modifyEnd(sql.raw(options));
  await table.execute();
  for (const columns of spec.indexes ?? []) await createIndex(db, dialect, name, columns);
}

async function createIndex(
  db: Kysely<unknown>,
  dialect: SchemaDialect,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const index = indexName(table, columns);
  // An index left by an interrupted migration is created again.
  if (!dialect.repeatsIndexes) await dropIndexOf(db, table, index);
  const create = db.schema
    .createIndex(index)
    .on(table)
    .columns([...columns]);
  await (dialect.repeatsIndexes ? create.ifNotExists() : create).execute();
}

async function dropIndex(
  db: Kysely<unknown>,
  dialect: SchemaDialect,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const index = indexName(table, columns);
  if (dialect.repeatsIndexes) await db.schema.dropIndex(index).ifExists().execute();
  else await dropIndexOf(db, table, index);
}

function indexName(table: string, columns: readonly string[]): string {
  return `${table}_by_${columns.join('_')}`;
}

async function dropIndexOf(db: Kysely<unknown>, table: string, index: string): Promise<void> {
  const found = await sql`select 1 from information_schema.statistics where table_schema = database()
    and table_name = ${table} and index_name = ${index} limit 1`.execute(db);
  if (found.rows.length > 0) await db.schema.dropIndex(index).on(table).execute();
}

async function createMeta(db: Kysely<unknown>, dialect: SchemaDialect): Promise<void> {
  await createTable(db, dialect, 'meta', { key: ['name'], columns: { name: 'name', value: 'text' } });
}
