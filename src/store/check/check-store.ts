import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import type { StoreCheckEvent } from '../store-problem.ts';
import { checkLinkSegments } from './check-link-segments.ts';
import { checkRange } from './check-range.ts';
import { checkSums } from './check-sums.ts';
import { checkUrls } from './check-urls.ts';

type Db = Kysely<Tables>;

/** What a check needs of the database. */
export interface CheckedStore {
  readonly ask: <T>(question: (db: Db) => Promise<T>) => Promise<T>;
  /** Returns what the database itself finds wrong in its files. */
  readonly integrity: () => Promise<readonly string[]>;
}

/** Records per transaction outside of the index's segments: each sees one state of a store that a crawl writes. */
const RANGE = 1024;

/**
 * Compares everything that the store holds more than once: journal and tables, pages and texts, texts and search
 * index, links and their packed forms, URLs and their numbers, pages and the sums over them. Writes nothing; a crawl may run.
 */
export async function* checkStore({ ask, integrity }: CheckedStore): AsyncGenerator<StoreCheckEvent> {
  yield { kind: 'checked', part: 'database', done: 0, of: 1 };
  for (const message of await integrity())
    yield { kind: 'problem', problem: { part: 'database', sequence: 0, url: '', message } };
  yield { kind: 'checked', part: 'database', done: 1, of: 1 };
  const of = await ask(lastOf);
  for (let done = 0; done < of; ) {
    yield { kind: 'checked', part: 'records', done, of };
    const range = { first: done + 1, last: Math.min(of, done + RANGE) };
    const { problems, last } = await ask((db) => db.transaction().execute((snapshot) => checkRange(snapshot, range)));
    for (const problem of problems) yield { kind: 'problem', problem };
    done = last;
  }
  for (const message of await ask((db) => db.transaction().execute(checkUrls)))
    yield { kind: 'problem', problem: { part: 'index', sequence: 0, url: '', message } };
  for (const message of await ask((db) => db.transaction().execute(checkSums)))
    yield { kind: 'problem', problem: { part: 'sums', sequence: 0, url: '', message } };
  for (let covered = 0; ; ) {
    const { messages, last } = await ask((db) => checkLinkSegments(db, covered));
    for (const message of messages) yield { kind: 'problem', problem: { part: 'sums', sequence: 0, url: '', message } };
    if (last === 0) break;
    covered = last;
  }
  yield { kind: 'checked', part: 'records', done: of, of };
}

/** Returns the greatest sequence of any record, also of one that the journal lacks. */
async function lastOf(db: Db): Promise<number> {
  const journal = await db
    .selectFrom('journal')
    .select((eb) => eb.fn.max('sequence').as('last'))
    .executeTakeFirst();
  const page = await db
    .selectFrom('page')
    .select((eb) => eb.fn.max('sequence').as('last'))
    .executeTakeFirst();
  return Math.max(Number(journal?.last ?? 0), Number(page?.last ?? 0));
}
