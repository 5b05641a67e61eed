import { expect, test } from 'vitest';
import { HOME } from '../../src/core/index.ts';
import { eachDatabase, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { page, round, typicalPage, visit } from './store-records.ts';

eachDatabase((name) => `records of other stores in ${name}`, contract);

function contract(database: Database): void {
  const tested = storeOfEachTest(database);
  const { keep, reopen } = tested;

  test('a store knows which records of other stores it has, also after it was opened again', async () => {
    expect(await tested.store.followed()).toEqual(new Map());
    tested.store.append(page(1, 'https://a.example/'), undefined, { source: 3, own: 17 });
    tested.store.append(page(2, 'https://b.example/'));
    tested.store.append(page(3, 'https://c.example/'), undefined, { source: 3, own: 21 });
    tested.store.append(round(4), undefined, { source: HOME, own: 5 });
    await tested.store.flush();
    await reopen();
    expect(await tested.store.followed()).toEqual(
      new Map([
        [3, 21],
        [HOME, 5],
      ]),
    );
    expect(await tested.store.places(3, [17, 18, 21])).toEqual(
      new Map([
        [17, 1],
        [21, 3],
      ]),
    );
    await tested.store.saveGrants(new Map([[0, 9]]));
    await tested.store.endSpread();
    expect(await tested.store.followed()).toEqual(new Map());
    expect(await tested.store.grants()).toEqual(new Map());
  });

  test('a store of an older version has none of another store', async () => {
    await tested.store.close();
    await tested.place.tamper('drop table followed', "update meta set value = '25' where name = 'schema_version'");
    tested.store = await tested.place.open({ readOnly: true });
    expect(await tested.store.followed()).toEqual(new Map());
    await reopen();
    expect(await tested.store.followed()).toEqual(new Map());
  });

  test('fetches are pages and visits after a record, with whole documents and fields', async () => {
    const whole = typicalPage(2);
    const document = { ...whole.document, fields: { price: 12 } };
    await keep(
      { kind: 'run', sequence: 1, at: 1, settings: '{}' },
      { ...whole, document },
      { kind: 'steer', sequence: 3, at: 2, command: { kind: 'set-budget', budget: 9 } },
      visit(4, 'https://b.example/'),
      page(5, 'https://c.example/'),
    );
    const [first, second] = await tested.store.fetches({ after: 0, limit: 2 });
    expect(first).toMatchObject({ sequence: 2, document: { text: document.text, fields: { price: 12 } } });
    expect(first).toMatchObject({ document: { features: document.features } });
    expect(second).toMatchObject({ kind: 'visit', sequence: 4 });
    expect((await tested.store.fetches({ after: 4, limit: 2 })).map(({ sequence }) => sequence)).toEqual([5]);
    expect(await tested.store.fetches({ after: 5, limit: 2 })).toEqual([]);
    expect(await Promise.all([0, 2, 5].map((after) => tested.store.countFetches(after)))).toEqual([3, 2, 0]);
  });

  test('decisions are rounds and changes by the user after a record', async () => {
    await keep(
      round(1, { model: 1 }),
      { kind: 'steer', sequence: 2, at: 2, command: { kind: 'lock-host', host: 'b.example' } },
      page(3, 'https://c.example/'),
      round(4, { model: 2 }),
    );
    const found = await tested.store.decisions(1);
    expect(found.map(({ kind, sequence }) => [kind, sequence])).toEqual([
      ['steer', 2],
      ['round', 4],
    ]);
  });
}
