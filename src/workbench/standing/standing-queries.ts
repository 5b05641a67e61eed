import { join } from 'node:path';
import { BingoError, InputError, UsageError } from '../../core/index.ts';
import { hash53 } from '../../kit/index.ts';
import { webAddress } from '../../postprocess/index.ts';
import type { Store } from '../../store/index.ts';
import { searchStored } from '../search/search-stored.ts';
import { FILE_LIMITS, readBounded } from '../workspace/bounded-file.ts';
import { replaceFile } from '../workspace/replace-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The file beside bingo.yaml that keeps the standing queries and what they found. */
export const STANDING_FILE = 'standing.json';

/** A page or row that a standing query found for the first time. */
export interface NewFinding {
  /** Title of the page, or the cells of the row. */
  readonly title: string;
  /** `null` for a row of SQL without an address. */
  readonly url: string | null;
  /** When it was found, ISO 8601, UTC. */
  readonly foundAt: string;
}

/** A query that is asked again after each crawl and recheck. */
export interface StandingQuery {
  /** Words of a search, or a SQL statement. */
  readonly query: string;
  readonly kind: 'search' | 'sql';
  /** When it was last asked, ISO 8601, UTC; `null` before the first crawl. */
  readonly askedAt: string | null;
  /** What was found since the user last marked the findings as seen, oldest first. */
  readonly news: readonly NewFinding[];
}

/** What a standing query found this time. */
export interface StandingAnswer {
  readonly query: string;
  /** Found for the first time. */
  readonly found: readonly NewFinding[];
  /** Why it could not be asked, for example because a column is missing. */
  readonly problem?: string;
}

/** A standing query in the file. */
interface Stored extends StandingQuery {
  /** Hashes of everything found before, oldest first. */
  readonly known: readonly string[];
}

/** Best pages of a search, and rows of SQL, that are compared with what was known. */
const MAX_PAGES = 1_000;
const MAX_ROWS = 5_000;
/** Limits of the file, per query. */
const MAX_KNOWN = 20_000;
const MAX_NEWS = 1_000;
const MAX_QUERIES = 100;
const MAX_TITLE = 300;

/** Returns the standing queries of a workspace, in the order in which they were added. */
export function standingQueries(dir: string): readonly StandingQuery[] {
  return stored(dir).map(({ known: _, ...query }) => query);
}

/**
 * Adds a standing query. What it finds now is known; only later findings are new.
 * @param store `undefined` before the first crawl
 * @throws UsageError if it is not valid, or there already
 */
export async function addStanding(
  workspace: Pick<Workspace, 'dir' | 'tree'>,
  store: Store | undefined,
  text: string,
): Promise<StandingQuery> {
  const query = text.trim();
  if (query === '') throw new UsageError('The standing query is empty.', 'Name words to look for, or a SQL statement.');
  const all = stored(workspace.dir);
  if (all.some((one) => one.query === query))
    throw new UsageError(`"${query}" is a standing query already.`, 'bingo watch DIR list shows them.');
  if (all.length >= MAX_QUERIES)
    throw new UsageError(`A workspace has at most ${MAX_QUERIES} standing queries.`, 'Remove one first.');
  const fresh: Stored = { query, kind: isSql(query) ? 'sql' : 'search', askedAt: null, news: [], known: [] };
  const found = store === undefined ? undefined : await findingsOf(fresh, store, workspace);
  const added = found === undefined ? fresh : { ...fresh, ...taken(fresh, found), news: [] };
  write(workspace.dir, [...stored(workspace.dir), added]);
  const { known: _, ...shown } = added;
  return shown;
}

/**
 * Removes a standing query, named by its text or its number from 1.
 * @returns its text
 * @throws UsageError for an unknown query
 */
export function removeStanding(dir: string, named: string): string {
  const all = stored(dir);
  const found = all.find(({ query }) => query === named.trim()) ?? all[Number(named) - 1];
  if (found === undefined)
    throw new UsageError(`"${named}" is not a standing query.`, 'bingo watch DIR list shows them with their numbers.');
  write(
    dir,
    all.filter((one) => one !== found),
  );
  return found.query;
}

/** Marks all findings as seen. Returns their number. */
export function markStandingSeen(dir: string): number {
  const all = stored(dir);
  const news = all.reduce((sum, one) => sum + one.news.length, 0);
  if (news > 0)
    write(
      dir,
      all.map((one) => ({ ...one, news: [] })),
    );
  return news;
}

/**
 * Asks every standing query, and keeps what is new. A query that fails is reported in its answer.
 * @param store names topics as bingo.yaml does
 */
export async function askStanding(
  workspace: Pick<Workspace, 'dir' | 'tree'>,
  store: Store,
): Promise<readonly StandingAnswer[]> {
  const { dir } = workspace;
  const answers: StandingAnswer[] = [];
  const changed = new Map<string, Stored>();
  for (const one of stored(dir)) {
    try {
      const next = { ...one, ...taken(one, await findingsOf(one, store, workspace)) };
      changed.set(one.query, next);
      answers.push({ query: one.query, found: next.found });
    } catch (error) {
      if (!(error instanceof BingoError)) throw error;
      answers.push({ query: one.query, found: [], problem: error.message });
    }
  }
  // A query may have been added or removed meanwhile.
  if (changed.size > 0)
    write(
      dir,
      stored(dir).map((one) => changed.get(one.query) ?? one),
    );
  return answers;
}

interface Finding {
  readonly key: string;
  readonly title: string;
  readonly url: string | null;
}

async function findingsOf(
  { query, kind }: Pick<Stored, 'query' | 'kind'>,
  store: Store,
  workspace: Pick<Workspace, 'tree'>,
): Promise<readonly Finding[]> {
  if (kind === 'sql') return await rowsOf(query, store);
  const { results } = await searchStored(store, workspace, query, { limit: MAX_PAGES, accepted: true });
  return results.map(({ url, title }) => ({ key: hashOf(url), title, url }));
}

async function rowsOf(query: string, store: Store): Promise<readonly Finding[]> {
  const result = await store.sql(query, { maxRows: MAX_ROWS });
  const found: Finding[] = [];
  for await (const row of result.rows) {
    const cells = row.map((cell) => (cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : String(cell)));
    const url = cells.find((cell) => webAddress(cell) !== undefined) ?? null;
    found.push({ key: hashOf(cells.join('\n')), title: cells.filter((cell) => cell !== url).join(' | '), url });
  }
  return found;
}

function taken(
  before: Pick<Stored, 'known' | 'news'>,
  findings: readonly Finding[],
): Pick<Stored, 'known' | 'news' | 'askedAt'> & { readonly found: readonly NewFinding[] } {
  const askedAt = new Date().toISOString();
  const known = new Set(before.known);
  const fresh = findings.filter(({ key }) => !known.has(key));
  const found = fresh.map(({ title, url }) => ({ title: title.slice(0, MAX_TITLE), url, foundAt: askedAt }));
  // What is found now is kept before what was only found earlier.
  const current = findings.map(({ key }) => key);
  for (const key of current) known.delete(key);
  return {
    found,
    askedAt,
    known: [...known, ...new Set(current)].slice(-MAX_KNOWN),
    news: [...before.news, ...found].slice(-MAX_NEWS),
  };
}

function hashOf(text: string): string {
  return hash53(text).toString(36);
}

function isSql(query: string): boolean {
  return /^(?:select|with)\b[\s\S]*\bfrom\b/i.test(query);
}

function write(dir: string, all: readonly (Stored & { readonly found?: unknown })[]): void {
  const queries = all.map(({ found: _, ...one }) => one);
  replaceFile(join(dir, STANDING_FILE), `${JSON.stringify({ queries }, undefined, 1)}\n`);
}

function stored(dir: string): readonly Stored[] {
  let text: string;
  try {
    text = readBounded(join(dir, STANDING_FILE), FILE_LIMITS.workspace).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    const { queries } = JSON.parse(text) as { readonly queries: readonly Stored[] };
    if (queries.every(isStored)) return queries;
  } catch {
    // Reported below.
  }
  const hint = 'Restore it from a backup, or delete it; then the standing queries are lost.';
  throw new InputError(`${STANDING_FILE} is damaged`, [
    { file: STANDING_FILE, message: 'It is not a list of standing queries.', hint },
  ]);
}

function isStored({ query, kind, known, news }: Stored): boolean {
  return typeof query === 'string' && ['search', 'sql'].includes(kind) && Array.isArray(known) && Array.isArray(news);
}
