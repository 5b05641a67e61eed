import type { Kysely, Selectable } from 'kysely';
import { endingOf, type PageHistory, type PageNews } from '../../core/index.ts';
import { parseSimhash } from '../rows/codec.ts';
import { type FoundColumns, toFound } from '../rows/row-records.ts';
import type { PageTable, Tables } from '../schema.ts';
import type { Ask } from './reading.ts';

type Db = Kysely<Tables>;

const CHUNK = 1_000;

/** An event of a page after it was found. */
interface Look {
  readonly sequence: number;
  readonly at: number;
  /** `version`: a newer version was stored; the one before it was fetched `at`. */
  readonly kind: 'version' | 'visit';
  readonly url: string;
  readonly result: string;
  readonly reason: string;
  readonly target: string;
}

/**
 * Yields the recheck results of every stored page, in order of its newest version. A page that was never rechecked
 * costs one row; events of the others are in memory while they are read.
 */
export async function* pageHistories(ask: Ask): AsyncGenerator<PageHistory> {
  const looks = await ask(async (db) => looksByPage(db, await replacedPages(db)));
  for (let last = 0; ; ) {
    const rows = await ask((db) => currentPages(db, last));
    if (rows.length === 0) return;
    last = rows.at(-1)!.sequence;
    for (const row of rows) yield { ...pageOf(row), ...fold(row, looks.get(row.sequence) ?? []) };
  }
}

/** Query for the next rows of pages. */
function currentPages(db: Db, after: number) {
  return db
    .selectFrom('page')
    .select(['sequence', 'url', 'final_url', 'redirects', 'host', 'role', 'others', 'from_url', 'queue', 'depth'])
    .select(['tunnel_depth', 'priority', 'via', 'etag', 'last_modified', 'content_hash', 'simhash', 'fetched_at'])
    .where('replaced_by', 'is', null)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(CHUNK)
    .execute();
}

interface Replaced {
  readonly sequence: number;
  readonly fetchedAt: number;
  /** The newest version. */
  readonly current: number;
}

async function replacedPages(db: Db): Promise<ReadonlyMap<number, Replaced>> {
  const rows = await db
    .selectFrom('page')
    .select(['sequence', 'fetched_at', 'replaced_by'])
    .where('replaced_by', 'is not', null)
    .orderBy('sequence', 'desc')
    .execute();
  const found = new Map<number, Replaced>();
  // A page is always replaced by a later one, so going backwards the end of each chain is known.
  for (const { sequence, fetched_at, replaced_by } of rows) {
    const current = found.get(replaced_by!)?.current ?? replaced_by!;
    found.set(sequence, { sequence, fetchedAt: fetched_at, current });
  }
  return found;
}

async function looksByPage(db: Db, newer: ReadonlyMap<number, Replaced>): Promise<ReadonlyMap<number, Look[]>> {
  const looks = new Map<number, Look[]>();
  const note = (page: number, look: Look): void => {
    const known = looks.get(page);
    if (known === undefined) looks.set(page, [look]);
    else known.push(look);
  };
  for (const { sequence, fetchedAt, current } of newer.values())
    note(current, { sequence, at: fetchedAt, kind: 'version', url: '', result: '', reason: '', target: '' });
  const visits = await db
    .selectFrom('visit')
    .select(['sequence', 'page', 'url', 'result', 'reason', 'target', 'fetched_at'])
    .where('via', '=', 'recheck')
    .orderBy('sequence')
    .execute();
  const byUrl = await duplicateOwners(db, visits);
  for (const { page, fetched_at, ...visit } of visits) {
    const owner = visit.result === 'duplicate' ? byUrl.get(visit.url) : page;
    if (owner !== undefined) note(newer.get(owner)?.current ?? owner, { ...visit, at: fetched_at, kind: 'visit' });
  }
  for (const list of looks.values()) list.sort((a, b) => a.sequence - b.sequence);
  return looks;
}

/** Returns the rechecked pages of duplicates. A duplicate's record names the other page, so its URL decides. */
async function duplicateOwners(
  db: Db,
  visits: readonly { readonly result: string; readonly url: string }[],
): Promise<ReadonlyMap<string, number>> {
  const urls = new Set(visits.filter(({ result }) => result === 'duplicate').map(({ url }) => url));
  const owners = new Map<string, number>();
  if (urls.size === 0) return owners;
  const rows = await db.selectFrom('page').select(['sequence', 'final_url']).orderBy('sequence').execute();
  for (const { sequence, final_url } of rows) if (urls.has(final_url)) owners.set(final_url, sequence);
  return owners;
}

function fold(newest: { readonly sequence: number; readonly fetched_at: number }, looks: readonly Look[]): PageNews {
  const { sequence, fetched_at: changedAt } = newest;
  const versions = looks.filter((look) => look.kind === 'version');
  let facts: PageNews = {
    ...{ firstAt: versions[0]?.at ?? changedAt, changedAt, checkedAt: changedAt, triedAt: changedAt },
    ...{ checks: versions.length, changes: versions.length, missing: 0, movedAt: 0, movedFrom: '' },
    ...{ backAt: backAt(newest, looks), ending: undefined, endedAt: 0, target: '' },
  };
  for (const look of looks) {
    if (look.result === 'unchanged') facts = { ...facts, checks: facts.checks + 1 };
    if (isMove(look)) facts = { ...facts, movedAt: look.at, movedFrom: look.url };
    // The newest version itself proves that the page existed until then.
    if (look.sequence > sequence) facts = { ...facts, ...since(facts, look) };
  }
  return facts;
}

/** Returns when the page last returned after it had left; 0 if it never did. */
function backAt(newest: { readonly sequence: number; readonly fetched_at: number }, looks: readonly Look[]): number {
  let at = 0;
  let isAway = false;
  const isThere = (since: number): void => {
    if (isAway) at = since;
    isAway = false;
  };
  const version = { ...newest, kind: 'version', at: newest.fetched_at, result: '', reason: '' } as const;
  for (const look of [...looks, version].toSorted((a, b) => a.sequence - b.sequence)) {
    if (look.kind === 'version' || look.result === 'unchanged') isThere(look.at);
    else if (endingOf(look) !== undefined) isAway = true;
  }
  return at;
}

function isMove({ result, reason }: Look): boolean {
  return result === 'redirected' && reason !== 'temporary';
}

/** Returns the facts that a visit after the newest version adds about the page. */
function since({ missing, ...before }: PageNews, { result, reason, at, target }: Look): Partial<PageNews> {
  if (result === 'unchanged')
    return { checkedAt: at, triedAt: at, missing: 0, ending: undefined, endedAt: 0, target: '' };
  const ending = endingOf({ result, reason });
  return {
    triedAt: at,
    ...(result === 'missing' || result === 'gone' ? { missing: missing + 1 } : {}),
    // The page left when this ending was first reported.
    ...(ending === undefined ? {} : { ending, endedAt: ending === before.ending ? before.endedAt : at, target }),
  };
}

type PageColumns = FoundColumns &
  Pick<Selectable<PageTable>, 'others' | 'etag' | 'last_modified' | 'content_hash' | 'simhash'>;

function pageOf(row: PageColumns): Omit<PageHistory, keyof PageNews> {
  return {
    ...toFound(row),
    others: row.others === 1,
    etag: row.etag,
    lastModified: row.last_modified,
    contentHash: row.content_hash,
    simhash: parseSimhash(row.simhash),
  };
}
