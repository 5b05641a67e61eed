import type { Kysely } from 'kysely';
import { unpackStems } from '../../core/index.ts';
import { versionOf } from '../read/reading.ts';
import type { Tables } from '../schema.ts';
import { LINE_BREAK } from './known-stems.ts';

type Db = Kysely<Tables>;

/** First version of the schema with the list. */
const STEMS_SINCE = 11;
/** Pages that are read at a time to fill it, and stems that are remembered meanwhile. */
const PAGES = 100;
const REMEMBERED = 200_000;

/**
 * The stems of all pages, since the index has numbers alone: by these no beginning of a word is found. Analysis hands on each stem that it
 * meets for the first time; the writer lists those that are not there (`known-stems.ts`).
 */
export class StemList {
  /** Bytes of UTF-8 as characters, so that one pass finds all ways at once. */
  readonly #parts: string[] = [];
  #last = 0;

  /** Stems that begin in one of these ways, the shortest first; `undefined`: an older version wrote the store, and no newer one has opened it for writing. */
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
    // Who asked at the same time may have read them meanwhile.
    const fresh = rows.filter(({ sequence }) => sequence > this.#last);
    if (fresh.length === 0) return;
    this.#last = fresh.at(-1)!.sequence;
    // A line break before the first one, too.
    this.#parts.push(Buffer.concat([Buffer.of(LINE_BREAK), ...fresh.map(({ stems }) => stems)]).toString('latin1'));
  }
}

/** Finds a line break and the stem behind it that begins in one of these ways, all in bytes of UTF-8 as characters. */
export function beginningPattern(beginnings: readonly string[]): RegExp {
  const ways = beginnings.map((beginning) =>
    Buffer.from(beginning)
      .toString('latin1')
      .replace(/[^\w\x80-\xff]/g, '\\$&'),
  );
  return new RegExp(`\\n((?:${ways.join('|')})[^\\n]*)`, 'g');
}

/** Lists the stems of pages that are stored already. */
export async function fillStemList(db: Db): Promise<void> {
  // A migration that was cut short is run again.
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
