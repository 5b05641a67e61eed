import type { Kysely } from 'kysely';
import {
  type AnalyzedDocument,
  type JournalRecord,
  type PageRecord,
  type PageVote,
  type Refusal,
  type RoundRecord,
  StoreError,
  type TopicId,
  type TopicNaming,
  unpackDocument,
  unpackMainText,
  unpackText,
  unpackWords,
  type VisitRecord,
} from '../../core/index.ts';
import { freeBytes } from '../../kit/index.ts';
import type { StoredFetch } from '../exchange-state.ts';
import { toAssignment, toPages, toVisit } from '../rows/row-records.ts';
import type { Tables } from '../schema.ts';
import type { PageWords, ReadOptions } from '../store.ts';
import { readFirstScores } from './first-scores.ts';
import { readInbox } from './parcels.ts';
import { readCommand, readRare, readSteers, roundsBetween } from './rare-records.ts';

/** Records per chunk: each record blocks the thread for some milliseconds. */
const CHUNK = 50;
/** First schema version that keeps the first verdict. */
const FIRST_VERDICTS_SINCE = 3;
/** First schema version that keeps snippet limits. */
const SNIPPET_LIMITS_SINCE = 7;
/** First schema version with votes of page classifiers. */
const VOTES_SINCE = 13;
/** First schema version with priorities of links. */
const PRIORITIES_SINCE = 14;

/** First schema version with links of other shards. */
const PARCELS_SINCE = 23;

type Db = Kysely<Tables>;

/** Runs a query, and repeats it if the connection was lost. Queries must be safe to repeat. */
export type Ask = <T>(question: (db: Db) => Promise<T>) => Promise<T>;

/** Returns the languages of stored pages, as detected by the analysis. */
export async function readLanguages(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom('page').select('language').distinct().orderBy('language').execute();
  return rows.map(({ language }) => language);
}

/** Source of a journal. */
export interface JournalSource {
  readonly ask: Ask;
  /** Location, for messages. */
  readonly place: string;
  /** Maximum number of concurrent queries. >= 1 */
  readonly readers: number;
}

/**
 * Yields records in order of `sequence`, in chunks. The next chunks are requested in advance, because a server may be
 * far away. Records written meanwhile may be left out.
 */
export async function* readJournal(
  { ask, place, readers }: JournalSource,
  { after = 0, links = true }: ReadOptions = {},
): AsyncGenerator<readonly JournalRecord[]> {
  const version = await ask(versionOf);
  const chunkAfter = (last: number): Promise<readonly JournalRecord[]> =>
    ask(async (db) => {
      const found = await readChunk(db, place, { after: last, links });
      return version >= FIRST_VERDICTS_SINCE ? await withFirstVerdicts(db, found, version) : found;
    });
  const coming: Promise<readonly JournalRecord[]>[] = [];
  for (let next = after; ; ) {
    for (; coming.length < readers; next += CHUNK) {
      const chunk = chunkAfter(next);
      // If the caller stops early, errors of chunks not yet read are dropped.
      chunk.catch(() => {});
      coming.push(chunk);
    }
    const records = await coming.shift()!;
    if (records.length > 0) yield records;
    if (records.length < CHUNK) return;
  }
}

async function readChunk(
  db: Db,
  place: string,
  { after, links }: { readonly after: number; readonly links: boolean },
): Promise<readonly JournalRecord[]> {
  const sequences = await db
    .selectFrom('journal')
    .select('sequence')
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(CHUNK)
    .execute();
  if (sequences.length === 0) return [];
  const records = await readRange(db, after + 1, sequences.at(-1)!.sequence, links);
  for (let i = 0; i < Math.max(sequences.length, records.length); i++)
    if (sequences[i]?.sequence !== after + i + 1 || records[i]?.sequence !== after + i + 1)
      throw gap(place, after + i + 1);
  return records;
}

/** Returns the schema version. */
export async function versionOf(db: Db): Promise<number> {
  const row = await db.selectFrom('meta').select('value').where('name', '=', 'schema_version').executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** Restores the verdicts of the crawl at fetch time, because the journal ignores later verdicts. */
async function withFirstVerdicts(
  db: Db,
  records: readonly JournalRecord[],
  version: number,
): Promise<readonly JournalRecord[]> {
  if (records.length === 0) return records;
  const [first, last] = [records[0]!.sequence, records.at(-1)!.sequence];
  const rows = await db
    .selectFrom('first_verdict')
    .selectAll()
    .where('page', '>=', first)
    .where('page', '<=', last)
    .execute();
  if (rows.length === 0) return records;
  const scores = await readFirstScores(db, version, { first, last });
  const verdicts = new Map(rows.map((row) => [row.page, toAssignment(row, scores.get(row.page) ?? [])]));
  return records.map((record) => {
    const assignment = record.kind === 'page' ? verdicts.get(record.sequence) : undefined;
    return record.kind === 'page' && assignment !== undefined ? { ...record, assignment } : record;
  });
}

/** Returns page records without text and features, by sequence. */
export async function readPages(db: Db, sequences: readonly number[]): Promise<ReadonlyMap<number, PageRecord>> {
  const found = new Map<number, PageRecord>();
  for (const part of chunks(sequences)) {
    const pages = await db.selectFrom('page').selectAll().where('sequence', 'in', part).execute();
    const scores = await db.selectFrom('page_score').selectAll().where('page', 'in', part).execute();
    const contents = await db.selectFrom('page_content').selectAll().where('page', 'in', part).execute();
    for (const record of toPages(pages, scores, contents)) found.set(record.sequence, record);
  }
  return found;
}

/** Returns whole documents. */
export async function readDocuments(
  db: Db,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, AnalyzedDocument>> {
  const found = new Map<number, AnalyzedDocument>();
  for (const part of chunks(sequences)) {
    const pages = await db.selectFrom('page').selectAll().where('sequence', 'in', part).execute();
    const contents = await db.selectFrom('page_content').selectAll().where('page', 'in', part).execute();
    const thin = new Map(toPages(pages, [], []).map((record) => [record.sequence, record.document]));
    const limits = await readSnippetLimits(db, part);
    const votes = await readPageVotes(db, part);
    for (const { page, content } of contents) {
      const document = thin.get(page);
      const maxSnippet = limits.get(page);
      const own = votes.get(page);
      if (document !== undefined)
        found.set(page, {
          ...unpackDocument(document, content),
          ...(maxSnippet === undefined ? {} : { maxSnippet }),
          ...(own && { votes: own }),
        });
      freeBytes(content);
    }
  }
  return found;
}

/** Returns the maximum snippet length of pages that set one; empty if an older version wrote the store. */
export async function readSnippetLimits(db: Db, sequences: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  if ((await versionOf(db)) < SNIPPET_LIMITS_SINCE) return found;
  for (const part of chunks(sequences)) {
    const rows = await db.selectFrom('snippet_limit').selectAll().where('page', 'in', part).execute();
    for (const { page, chars } of rows) found.set(page, chars);
  }
  return found;
}

/** Returns the votes of page classifiers, by page; empty if an older version wrote the store. */
export async function readPageVotes(
  db: Db,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, readonly PageVote[]>> {
  const found = new Map<number, PageVote[]>();
  if ((await versionOf(db)) < VOTES_SINCE) return found;
  const query = db.selectFrom('page_vote').selectAll().where('page', 'in', sequences);
  for (const { page, voter, topic, confidence } of await query.orderBy('voter').orderBy('topic').execute()) {
    const votes = found.get(page) ?? [];
    votes.push({ voter, topic: topic as TopicId, confidence });
    found.set(page, votes);
  }
  return found;
}

/** Returns the texts of pages. @param isMain without what stands beside the main text */
export async function readTexts(
  db: Db,
  sequences: readonly number[],
  isMain = false,
): Promise<ReadonlyMap<number, string>> {
  const unpack = isMain ? unpackMainText : unpackText;
  const found = new Map<number, string>();
  for (const part of chunks(sequences)) {
    const rows = await db.selectFrom('page_content').selectAll().where('page', 'in', part).execute();
    for (const { page, content } of rows) found.set(page, unpack(content));
  }
  return found;
}

/** Returns the text and the terms of pages. */
export async function readWords(db: Db, sequences: readonly number[]): Promise<ReadonlyMap<number, PageWords>> {
  const found = new Map<number, PageWords>();
  const limits = await readSnippetLimits(db, sequences);
  for (const part of chunks(sequences)) {
    const rows = await db.selectFrom('page_content').selectAll().where('page', 'in', part).execute();
    for (const { page, content } of rows) {
      const maxSnippet = limits.get(page);
      found.set(page, { ...unpackWords(content), ...(maxSnippet !== undefined && { maxSnippet }) });
      freeBytes(content);
    }
  }
  return found;
}

/** Returns fetches of a URL without a page, in order. The target of a duplicate is the page that it repeats. */
export async function readVisits(db: Db, urlId: number): Promise<readonly VisitRecord[]> {
  const rows = await db
    .selectFrom('visit')
    .leftJoin('page as other', (on) =>
      on
        .onRef('other.sequence', '=', 'visit.page')
        .on('visit.result', '=', 'duplicate' satisfies VisitRecord['result']),
    )
    .selectAll('visit')
    .select('other.final_url as original')
    .where('visit.url_id', '=', urlId)
    .orderBy('visit.sequence')
    .execute();
  return rows.map(({ original, ...row }) => toVisit({ ...row, target: original ?? row.target }));
}

/** Returns the last fetch from a host without a page. Fetches that were given up before a request are ignored. */
export async function readLastVisit(db: Db, host: string): Promise<VisitRecord | undefined> {
  const row = await db
    .selectFrom('visit')
    .selectAll()
    .where('host', '=', host)
    .where('reason', '<>', 'bad-host' satisfies Refusal)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toVisit(row);
}

async function readRange(db: Db, first: number, last: number, withLinks: boolean): Promise<JournalRecord[]> {
  const records: JournalRecord[] = await readFetched(db, first, last, withLinks);
  const expected = last - first + 1;
  if (records.length < expected) records.push(...(await readRare(db, first, last)));
  // A store of version 1 has neither this table nor records for it.
  if (records.length < expected) records.push(...(await readSteers(db, first, last)));
  if (records.length < expected && (await versionOf(db)) >= PARCELS_SINCE)
    records.push(...(await readInbox(db, first, last)));
  return records.sort((a, b) => a.sequence - b.sequence);
}

/** Returns the pages and visits of a range in order, with the verdicts of the crawl at fetch time. */
export async function readFetchesBetween(db: Db, first: number, last: number): Promise<readonly StoredFetch[]> {
  const records = (await readFetched(db, first, last, true)).sort((a, b) => a.sequence - b.sequence);
  return (await withFirstVerdicts(db, records, await versionOf(db))) as readonly StoredFetch[];
}

async function readFetched(db: Db, first: number, last: number, withLinks: boolean): Promise<StoredFetch[]> {
  const pages = await db
    .selectFrom('page')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  const scores = await db
    .selectFrom('page_score')
    .selectAll()
    .where('page', '>=', first)
    .where('page', '<=', last)
    .execute();
  const contents = withLinks
    ? await db.selectFrom('page_content').selectAll().where('page', '>=', first).where('page', '<=', last).execute()
    : [];
  const visits = await db
    .selectFrom('visit')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  const priorities = withLinks ? await readPriorities(db, first, last) : NO_PRIORITIES;
  const linksOf = new Map(contents.map(({ page, content }) => [page, content]));
  return [...toPages(pages, scores, contents), ...visits.map((row) => toVisit(row, linksOf.get(row.sequence)))].map(
    (record) => withPriorities(record, priorities.get(record.sequence)),
  );
}

type PriorityRow = Tables['link_priority'];

const NO_PRIORITIES: ReadonlyMap<number, readonly PriorityRow[]> = new Map();

/** Returns the priorities of links in a range of records, by record; empty if an older version wrote the store. */
async function readPriorities(
  db: Db,
  first: number,
  last: number,
): Promise<ReadonlyMap<number, readonly PriorityRow[]>> {
  if ((await versionOf(db)) < PRIORITIES_SINCE) return NO_PRIORITIES;
  const query = db.selectFrom('link_priority').selectAll().where('page', '>=', first).where('page', '<=', last);
  return Map.groupBy(await query.execute(), ({ page }) => page);
}

function withPriorities(
  record: PageRecord | VisitRecord,
  rows: readonly PriorityRow[] | undefined,
): PageRecord | VisitRecord {
  const table = record.kind === 'page' ? record.document.links : record.links;
  if (rows === undefined || table === undefined) return record;
  const priorities = new Float64Array(table.size).fill(Number.NaN);
  for (const { n, priority } of rows) priorities[n] = priority;
  const links = { ...table, given: { ordering: rows[0]!.ordering, priorities } };
  return record.kind === 'page' ? { ...record, document: { ...record.document, links } } : { ...record, links };
}

/** Yields rounds in order of `sequence`, one at a time because each holds a model. */
export async function* readRounds(ask: Ask): AsyncGenerator<RoundRecord> {
  const rows = await ask((db) => db.selectFrom('round').select('sequence').orderBy('sequence').execute());
  for (const { sequence } of rows) yield* await ask((db) => roundsBetween(db, sequence, sequence));
}

/** Returns the records that name topics, in order. */
export async function readTopicNamings(db: Db): Promise<readonly TopicNaming[]> {
  const rows = await db
    .selectFrom('steer')
    .select(['sequence', 'command'])
    .where('command', 'like', '%"name-topic"%')
    .orderBy('sequence')
    .execute();
  return rows.flatMap(({ sequence, command: text }) => {
    const command = readCommand(text);
    return command?.kind === 'name-topic' ? [{ sequence, id: command.id, topic: command.topic }] : [];
  });
}

/** Yields the sequences some at a time. */
export function* chunks(sequences: readonly number[]): Generator<number[]> {
  for (let at = 0; at < sequences.length; at += CHUNK) yield sequences.slice(at, at + CHUNK);
}

function gap(place: string, sequence: number): StoreError {
  return new StoreError({
    code: 'STORE_DAMAGED',
    message: `The store ${place} is damaged: its record ${sequence} is missing.`,
    hint: 'Nothing was changed. Restore a copy of the store, or move it away and crawl again.',
  });
}
