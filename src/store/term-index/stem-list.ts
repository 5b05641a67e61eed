import type { Kysely } from 'kysely';
import { unpackStems } from '../../core/index.ts';
import { versionOf } from '../read/reading.ts';
import type { Tables } from '../schema.ts';
import { LINE_BREAK } from './known-stems.ts';

type Db = Kysely<Tables>;

/** First schema version with the list. */
const STEMS_SINCE = 11;
/** Pages read at a time to fill the list, and stems cached meanwhile. */
const PAGES = 100;
const REMEMBERED = 200_000;

/**
 * Stems of all pages, for prefix search; the index holds only numbers. Analysis reports each stem that it meets for
 * the first time; the writer adds the missing ones (`known-stems.ts`).
 */
export class StemList {
  /** UTF-8 bytes as characters, so that one pass searches for all beginnings. */
  readonly #parts: string[] = [];
  #last = 0;

  /**
   * Returns stems with one of these beginnings, shortest first; `undefined` if an older version wrote the store and
   * no newer one has opened it for writing.
   */
  async startingWith(db: Db, beginnings: readonly string[]): Promise<readonly string[] | undefined> {
    if ((await versionOf(db)) < STEMS_SINCE) return undefined;
    await this.#readNew(db);
    const wanted = beginningPattern(beginnings);
    const found = new Set<string>();
    for (const part of this.#parts)
      for (const [, bytes] of part.matchAll(wanted)) found.add(Buffer.from(bytes!, 'latin1').toString('utf8'));
    return [...found].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  }

  async #readNew(db: Db): Promise<void> {
    const rows = await db
      .selectFrom('stem_list')
      .selectAll()
      .where('sequence', '>', this.#last)
      .orderBy('sequence')
      .execute();
    // A concurrent caller may have read them meanwhile.
    const fresh = rows.filter(({ sequence }) => sequence > this.#last);
    if (fresh.length === 0) return;
    this.#last = fresh.at(-1)!.sequence;
    // The first stem needs a line break before it, too.
    this.#parts.push(Buffer.concat([Buffer.of(LINE_BREAK), ...fresh.map(({ stems }) => stems)]).toString('latin1'));
  }
}

/** Returns a pattern for a line break and a stem with one of these beginnings, over UTF-8 bytes as characters. */
export function beginningPattern(beginnings: readonly string[]): RegExp {
  const ways = beginnings.map((beginning) =>
    Buffer.from(beginning)
      .toString('latin1')
      .replace(/[^\w\x80-\xff]/g, '\\$&'),
  );
  return new RegExp(`\\n((?:${ways.join('|')})[^\\n]*)`, 'g');
}

/** Adds the stems of pages already stored. */
export async function fillStemList(db: Db): Promise<void> {
  // An interrupted migration runs again.
  await db.deleteFrom('stem_list').execute();
  const known = new Set<string>();
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('page_content')
      .selectAll()
      .where('page', '>', last)
      .orderBy('page')
      .limit(PAGES)
      .execute();
    if (rows.length === 0) return;
    last = rows.at(-1)!.page;
    const fresh = new Set(rows.flatMap(({ content }) => unpackStems(content).filter((stem) => !known.has(stem))));
    if (known.size > REMEMBERED) known.clear();
    for (const stem of fresh) known.add(stem);
    const stems = Buffer.from([...fresh].map((stem) => `${stem}\n`).join(''));
    if (fresh.size > 0) await db.insertInto('stem_list').values({ sequence: last, stems }).execute();
  }
}
