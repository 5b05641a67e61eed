import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, test } from 'vitest';
import { readExchange } from '../../src/store/read/parcels.ts';
import type { Tables } from '../../src/store/schema.ts';
import { prepareSqlite } from '../../src/store/sqlite/database.ts';
import { sqlite } from '../contracts/store-databases.ts';

test('what a shard has received is found without reading all that it has received', async () => {
  const place = await sqlite.place();
  const file = join(place.options.workspace, 'store.db');
  await prepareSqlite(file);
  const statements: string[] = [];
  const database = new BetterSqlite3(file, { verbose: (statement) => statements.push(String(statement)) });
  const add = database.prepare("insert into inbox (sequence, source, upto, at, data) values (?, ?, ?, 0, x'')");
  for (let i = 1; i <= 30; i++) add.run(i, [0, 2, 5][i % 3], 2 * i);
  const addParcel = database.prepare("insert into parcel (target, sequence, data) values (?, ?, x'')");
  for (let i = 1; i <= 4; i++) addParcel.run(1 + (i % 2), i);
  statements.length = 0;
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  expect(await readExchange(db)).toEqual({
    sequence: 0,
    sent: new Map([
      [1, 4],
      [2, 3],
    ]),
    received: new Map([
      [0, 60],
      [2, 56],
      [5, 58],
    ]),
  });
  const plans = [...statements].flatMap(
    (statement) => database.prepare(`explain query plan ${statement}`).all() as { readonly detail: string }[],
  );
  expect(plans.map(({ detail }) => detail)).not.toContainEqual(expect.stringMatching(/SCAN (inbox|parcel)/));
  expect(plans.map(({ detail }) => detail)).toContainEqual(expect.stringMatching(/SEARCH inbox/));
  await db.destroy();
  await place.drop();
});
