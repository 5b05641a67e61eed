import { type Kysely, sql } from 'kysely';
import { type AnalyzedDocument, contentHash, EMPTY_COUNTS, unpackDocument } from '../../core/index.ts';
import { hash53 } from '../../kit/index.ts';
import { versionOf } from '../read/reading.ts';
import { cleanUrl, linkRows } from '../rows/record-rows.ts';
import { toPages } from '../rows/row-records.ts';
import type { Tables } from '../schema.ts';
import type { StorePart, StoreProblem } from '../store-problem.ts';
import { type IndexSums, logSums, segmentSums, sumOfTerms } from './index-sums.ts';

type Db = Kysely<Tables>;

/** Sequences of records. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** Documents in memory at a time. */
const CHUNK = 50;
/** Tables with one row per record. Each is named after the kind of its records. */
const KINDS = ['page', 'visit', 'round', 'phase', 'run', 'steer', 'inbox'] as const;
/** First schema version with tables that the first one did not have. */
const SINCE: Readonly<Record<string, number>> = { steer: 2, inbox: 23 };

/**
 * Checks the records of a range, and what the index has of them.
 * @returns the problems, and the last record checked: the end of the segment of the index, if one begins here
 */
export async function checkRange(
  db: Db,
  range: Range,
): Promise<{ readonly problems: readonly StoreProblem[]; readonly last: number }> {
  const found = new Problems();
  const segment = await segmentAt(db, range);
  const last = segment?.last ?? range.last;
  const sums = segment === undefined ? await logSums(db, range.first, last) : await segmentSums(db, segment.first);
  const indexed = new Set<number>();
  for (let first = range.first; first <= last; first += CHUNK) {
    const part = { first, last: Math.min(last, first + CHUNK - 1) };
    const kinds = await checkJournal(db, part, found);
    for (const page of await checkPages(db, { ...part, kinds, sums }, found)) indexed.add(page);
  }
  for (const page of sums.pages)
    if (!indexed.has(page)) found.add('index', page, 'The search index has it, but it is not a stored page.');
  return { problems: found.list, last };
}

/** Returns the first segment of the index that begins in the range. No segment covers the records before it. */
async function segmentAt(db: Db, { first, last }: Range): Promise<Range | undefined> {
  const row = await db
    .selectFrom('term_segment')
    .select(['first', 'last'])
    .where('first', '>=', first)
    .where('first', '<=', last)
    .orderBy('first')
    .executeTakeFirst();
  return row && { first: row.first, last: Math.max(row.first, row.last) };
}

class Problems {
  readonly list: StoreProblem[] = [];

  add(part: StorePart, sequence: number, message: string, url = ''): void {
    this.list.push({ part, sequence, url, message });
  }
}

/** Compares the journal with the tables of its records. Returns the kind of each record by the journal. */
async function checkJournal(db: Db, { first, last }: Range, found: Problems): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('journal')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  const kinds = new Map(rows.map(({ sequence, kind }) => [sequence, kind]));
  const version = await versionOf(db);
  const tables = KINDS.filter((kind) => version >= (SINCE[kind] ?? 1));
  const parts = tables.map(
    (kind) => sql`select sequence, ${sql.lit(kind)} as kind from ${sql.table(kind)}
      where sequence >= ${first} and sequence <= ${last}`,
  );
  const stored = await sql<Tables['journal']>`${sql.join(parts, sql` union all `)}`.execute(db);
  const kindsOf = Map.groupBy(stored.rows, ({ sequence }) => sequence);
  for (let sequence = first; sequence <= last; sequence++) {
    const kind = kinds.get(sequence);
    const own = kindsOf.get(sequence)?.map((row) => row.kind) ?? [];
    if (kind === undefined) found.add('journal', sequence, 'The record is missing.');
    else if (!own.includes(kind)) found.add('journal', sequence, `Its row in the table ${kind} is missing.`);
    for (const table of own)
      if (kind !== undefined && table !== kind)
        found.add('journal', sequence, `The journal has a ${kind}, but the table ${table} also has this record.`);
  }
  return kinds;
}

interface PageRange extends Range {
  readonly kinds: ReadonlyMap<number, string>;
  readonly sums: IndexSums;
}

/** Compares pages with their packed contents, their links, their addresses and the index. Returns their sequences. */
async function checkPages(db: Db, range: PageRange, found: Problems): Promise<readonly number[]> {
  const { first, last, kinds, sums } = range;
  const rows = await db
    .selectFrom('page')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  const contents = await contentsOf(db, range);
  const links = await linksOf(db, range);
  const addresses = await addressesOf(db, range);
  for (const record of toPages(rows, [], [])) {
    const { sequence, url } = record;
    const add = (part: StorePart, message: string): void => found.add(part, sequence, message, url);
    const packed = contents.get(sequence);
    const document = packed && unpacked(record.document, packed);
    if (document === undefined) add('pages', packed ? 'Its text cannot be unpacked.' : 'Its text is missing.');
    else checkDocument(document, { links: links.get(sequence) ?? '', sum: sums.of(sequence), add });
  }
  for (const { sequence, url, replaced_by } of rows)
    if (replaced_by === null && addresses.get(sequence) !== cleanUrl(url))
      found.add('pages', sequence, 'Its URL does not lead to it (table alias).', url);
  const sequences = rows.map(({ sequence }) => sequence);
  for (const page of contents.keys())
    if (!sequences.includes(page) && kinds.get(page) !== 'visit')
      found.add('pages', page, 'A text has no page (table page_content).');
  return sequences;
}

interface Expected {
  /** Rows of the table `link`, see {@link linksOf}. */
  readonly links: string;
  /** Sum of the page in the index. */
  readonly sum: number;
  readonly add: (part: StorePart, message: string) => void;
}

function checkDocument(document: AnalyzedDocument, { links, sum, add }: Expected): void {
  if (contentHash(Buffer.from(document.text)) !== document.contentHash)
    add('pages', 'Its text does not match its digest: it is damaged or belongs to another page.');
  if (
    linkRows({ document })
      .map((row) => row.join(' '))
      .join('\n') !== links
  )
    add('pages', 'Its links do not match its text (table link).');
  if (sumOfTerms(document.features.terms ?? EMPTY_COUNTS) !== sum)
    add('index', 'The search index does not have the words of the page.');
}

async function contentsOf(db: Db, { first, last }: Range): Promise<ReadonlyMap<number, Uint8Array>> {
  const query = db.selectFrom('page_content').selectAll().where('page', '>=', first).where('page', '<=', last);
  return new Map((await query.execute()).map(({ page, content }) => [page, content]));
}

function unpacked(thin: AnalyzedDocument, content: Uint8Array): AnalyzedDocument | undefined {
  try {
    return unpackDocument(thin, content);
  } catch {
    return undefined;
  }
}

/** Returns the number and target of each stored link, one per line, by page. */
async function linksOf(db: Db, { first, last }: Range): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('link')
    .leftJoin('url', 'url.id', 'link.target')
    .select(['link.page as page', 'link.n as n', 'url.url as url', 'url.hash as hash'])
    .where('link.page', '>=', first)
    .where('link.page', '<=', last)
    .orderBy('link.page')
    .orderBy('link.n')
    .execute();
  const lines = Map.groupBy(rows, ({ page }) => page);
  return new Map([...lines].map(([page, own]) => [page, own.map((row) => `${row.n} ${urlOf(row)}`).join('\n')]));
}

/** Returns the URLs that lead to each page as its own, one per line: there should be one. */
async function addressesOf(db: Db, { first, last }: Range): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('alias')
    .innerJoin('url', 'url.id', 'alias.url_id')
    .select(['alias.page as page', 'url.url as url', 'url.hash as hash'])
    .where('alias.page', '>=', first)
    .where('alias.page', '<=', last)
    .where('alias.reason', '=', 'page')
    .execute();
  const own = Map.groupBy(rows, ({ page }) => page);
  return new Map([...own].map(([page, urls]) => [page, urls.map(urlOf).join('\n')]));
}

/** Returns the URL of a row; '' if its hash is wrong, because nothing finds it then. */
function urlOf({ url, hash }: { readonly url: string | null; readonly hash: number | null }): string {
  return url !== null && hash53(url) === Number(hash) ? url : '';
}
