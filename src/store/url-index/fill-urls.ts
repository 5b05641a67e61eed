import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import { RunWriter } from './run-writer.ts';

type Db = Kysely<Tables>;

/** URLs read at a time, and rows inserted by one statement. */
const READ_AT_ONCE = 20_000;

/** Puts all stored URLs into one run, in order of the index that their hashes still have. */
export async function fillUrlRuns(db: Db): Promise<void> {
  // An interrupted migration runs again. The row of the run is written last, and the index dropped after it.
  if ((await db.selectFrom('url_run').select('first').execute()).length > 0) return;
  await db.deleteFrom('url_block').execute();
  const greatest = await db
    .selectFrom('url')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirst();
  const last = Number(greatest?.last ?? 0);
  if (last === 0) return;
  const insert = async (table: string, rows: readonly (readonly unknown[])[]): Promise<void> => {
    if (table === 'url_block')
      await db
        .insertInto('url_block')
        .values(rows.map(([id, data]) => ({ id, data }) as Tables['url_block']))
        .execute();
    else
      for (const [first, end, base, blocks, pieces] of rows as readonly (readonly number[])[])
        await db
          .insertInto('url_run')
          .values({ first: first!, last: end!, base: base!, blocks: blocks!, pieces: pieces! })
          .execute();
  };
  const writer = new RunWriter({ insert }, { first: 1, last, base: 1 });
  for (let hash = -1, id = 0; ; ) {
    const rows = await db
      .selectFrom('url')
      .select(['id', 'hash'])
      .where((or) => or.or([or('hash', '>', hash), or.and([or('hash', '=', hash), or('id', '>', id)])]))
      .orderBy('hash')
      .orderBy('id')
      .limit(READ_AT_ONCE)
      .execute();
    for (const row of rows) writer.add(Number(row.hash), Number(row.id));
    await writer.flush();
    const end = rows.at(-1);
    if (end === undefined) break;
    [hash, id] = [Number(end.hash), Number(end.id)];
  }
  await writer.finish();
}
