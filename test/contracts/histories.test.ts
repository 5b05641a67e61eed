import { expect, test } from 'vitest';
import type { JournalRecord, PageHistory, VisitRecord } from '../../src/core/index.ts';
import { eachDatabase, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { type PageParts, page, topic, url, visit } from './store-records.ts';

eachDatabase((name) => `what rechecks told, in ${name}`, contract);

const AT = 1_041_775_200_000;
const ORIGIN = { via: 'recheck', from: '', topic: topic('databases'), depth: 0, tunnelDepth: 0, priority: 1 } as const;

/** A check of page 1 that gave no new version. */
function look(sequence: number, parts: Partial<VisitRecord>): VisitRecord {
  return visit(sequence, 'https://a.example/', {
    origin: ORIGIN,
    page: 1,
    fetchedAt: AT + sequence,
    status: 0,
    ...parts,
  });
}

function version(sequence: number, parts: PageParts = {}): JournalRecord {
  const record = { origin: ORIGIN, fetchedAt: AT + sequence, ...parts.record };
  return page(sequence, 'https://a.example/', { ...parts, record });
}

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  const historyOf = async (...records: JournalRecord[]): Promise<PageHistory> => {
    for (const record of [version(1), ...records]) tested.store.append(record);
    await tested.store.flush();
    const found: PageHistory[] = [];
    for await (const history of tested.store.histories()) found.push(history);
    // The table for searches contains the same, updated record by record.
    const left = found.flatMap(({ sequence, ending, endedAt, target }) =>
      ending === undefined ? [] : [[sequence, ending, endedAt, target]],
    );
    expect(await rowsOf('select page, ending, at, target from ending order by page')).toEqual(left);
    return found.find(({ url }) => url === 'https://a.example/')!;
  };
  const rowsOf = async (query: string): Promise<unknown[]> => {
    const rows: unknown[] = [];
    for await (const row of (await tested.store.sql(query, { maxRows: 100 })).rows) rows.push([...row]);
    return rows;
  };
  const unchanged = { result: 'unchanged', reason: 'not-modified', status: 304 } as const;
  const gone = { result: 'gone', reason: 'http', status: 410 } as const;

  test('contains only the discovery of a page that was never checked again', async () => {
    expect(await historyOf()).toMatchObject({
      ...{ sequence: 1, firstAt: AT + 1, changedAt: AT + 1, checkedAt: AT + 1, triedAt: AT + 1, checks: 0, changes: 0 },
      ...{ missing: 0, ending: undefined, movedAt: 0, etag: '"abc"', simhash: [4_294_967_295, 7] },
    });
  });

  test('contains the last file name that the server sent for an unchanged version', async () => {
    const renamed = { ...unchanged, version: { etag: 'W/"new"', lastModified: 'Sat, 01 Jan 2000 00:00:00 GMT' } };
    expect(await historyOf(look(2, renamed), look(3, unchanged))).toMatchObject({
      ...{ checks: 2, changes: 0, etag: 'W/"new"', lastModified: 'Sat, 01 Jan 2000 00:00:00 GMT' },
    });
  });

  test('counts checks and changes over all versions of a page', async () => {
    const history = await historyOf(look(2, unchanged), version(3), look(4, { ...unchanged, page: 3 }), version(5));
    expect(history).toMatchObject({
      sequence: 5,
      firstAt: AT + 1,
      changedAt: AT + 5,
      checkedAt: AT + 5,
      checks: 4,
      changes: 2,
    });
  });

  test('counts consecutive checks in which a page was missing', async () => {
    const missing = { result: 'missing', reason: 'http', status: 404 } as const;
    const trouble = { result: 'failed', reason: 'http', status: 503 } as const;
    expect(await historyOf(look(2, missing), look(3, trouble), look(4, missing))).toMatchObject({
      ...{ missing: 2, checkedAt: AT + 1, triedAt: AT + 4, ending: undefined },
    });
  });

  test('records that a missing page returned', async () => {
    const missing = { result: 'missing', reason: 'http', status: 404 } as const;
    expect(await historyOf(look(2, missing), look(3, unchanged))).toMatchObject({ missing: 0, checkedAt: AT + 3 });
  });

  test('records that a page is gone', async () => {
    expect(await historyOf(look(2, gone))).toMatchObject({ ending: 'gone', endedAt: AT + 2 });
  });

  test('keeps the time since when a page is gone or different, despite later rechecks', async () => {
    const first = [look(2, gone), look(3, { result: 'failed', reason: 'http', status: 503 }), look(4, gone)];
    expect(await historyOf(...first)).toMatchObject({ ending: 'gone', endedAt: AT + 2, triedAt: AT + 4 });
    const later = [look(5, gone), look(6, { ...gone, result: 'noindex', reason: 'meta-robots' })];
    for (const record of later) tested.store.append(record);
    await tested.store.flush();
    expect(await rowsOf('select page, ending, at from ending')).toEqual([[1, 'noindex', AT + 6]]);
  });

  test('records since when a returned page is gone again', async () => {
    const history = await historyOf(look(2, gone), look(3, unchanged), look(4, gone), look(5, gone));
    expect(history).toMatchObject({ ending: 'gone', endedAt: AT + 4 });
  });

  test('records that a gone page returned', async () => {
    expect(await historyOf(look(2, gone), version(3))).toMatchObject({ ending: undefined, endedAt: 0 });
  });

  test('records that a page moved to a new address', async () => {
    const target = 'https://b.example/';
    const redirected = { result: 'redirected', status: 301, target } as const;
    const redirects = [url('https://a.example/')];
    const followed = version(3, { record: { finalUrl: url(target), redirects } });
    expect(await historyOf(look(2, { ...redirected, reason: 'permanent' }), followed)).toMatchObject({
      ...{ sequence: 3, finalUrl: target, movedAt: AT + 2, movedFrom: 'https://a.example/', ending: undefined },
    });
  });

  test('records that a page moved to a stored page', async () => {
    const target = 'https://b.example/';
    const redirected = { result: 'redirected', status: 301, target } as const;
    expect(await historyOf(look(2, { ...redirected, reason: 'merged' }))).toMatchObject({ ending: 'moved', target });
  });

  test('records that a page became a copy of another page', async () => {
    const same = { result: 'duplicate', reason: 'same-content', status: 200, page: 2 } as const;
    expect(await historyOf(page(2, 'https://b.example/'), look(3, same))).toMatchObject({
      sequence: 1,
      ending: 'same',
    });
  });

  test('records that a page was gone, returned, and was gone again as another version', async () => {
    const noindex = { result: 'noindex', reason: 'meta-robots', status: 200 } as const;
    expect(await historyOf(look(2, gone), look(3, unchanged), version(4), look(5, noindex))).toMatchObject({
      sequence: 4,
      ending: 'noindex',
    });
  });

  test('lists gone, moved and changed pages in the view rechecked', async () => {
    const target = 'https://b.example/';
    const redirected = { result: 'redirected', status: 301, target } as const;
    const redirects = [url('https://a.example/')];
    await historyOf(
      look(2, { result: 'failed', reason: 'http', status: 503 }),
      version(3),
      look(4, { ...redirected, reason: 'permanent' }),
      version(5, { record: { finalUrl: url(target), redirects } }),
      look(6, { ...gone, page: 5 }),
    );
    expect(await rowsOf('select what, at, url, target, page from rechecked order by at desc, what')).toEqual([
      ['gone', AT + 6, 'https://a.example/', '', 5],
      ['changed', AT + 5, 'https://a.example/', '', 5],
      ['moved', AT + 4, 'https://a.example/', target, 5],
      ['changed', AT + 3, 'https://a.example/', '', 3],
    ]);
  });

  test('lists events of one time in a fixed order: newer pages first, then by kind', async () => {
    const target = 'https://b.example/';
    const redirected = { result: 'redirected', status: 301, target } as const;
    const redirects = [url('https://a.example/')];
    const at = { fetchedAt: AT + 9 };
    await historyOf(
      version(2, { record: at }),
      look(3, { ...redirected, reason: 'permanent', ...at }),
      version(4, { record: { finalUrl: url(target), redirects, ...at } }),
      look(5, { ...gone, page: 4, ...at }),
    );
    expect(await rowsOf('select what, page from rechecked')).toEqual([
      ['changed', 4],
      ['gone', 4],
      ['moved', 4],
      ['changed', 2],
    ]);
  });

  test('is rebuilt when a store of an older version without a list of gone pages is upgraded', async () => {
    await historyOf(look(2, gone), page(3, 'https://c.example/'));
    await tested.store.close();
    await tested.place.tamper('delete from ending', "update meta set value = '4' where name = 'schema_version'");
    const old = await tested.place.open({ readOnly: true });
    expect((await old.search({ any: ['text'], limit: 5 })).hits.map((hit) => hit.sequence).toSorted()).toEqual([1, 3]);
    await old.close();
    tested.store = await tested.place.open();
    const { hits, ended } = await tested.store.search({ any: ['text'], limit: 5 });
    expect([hits.map((hit) => hit.sequence), ended]).toEqual([[3], 1]);
  });
}
