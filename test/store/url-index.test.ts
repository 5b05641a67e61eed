import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hash53, seededRandom } from '../../src/kit/index.ts';
import { checkUrls } from '../../src/store/check/check-urls.ts';
import { findUrl } from '../../src/store/read/find-url.ts';
import { openSqliteWriter } from '../../src/store/sqlite/connection.ts';
import { kyselyOver, prepareSqlite } from '../../src/store/sqlite/database.ts';
import { SqliteSink } from '../../src/store/sqlite/sink.ts';
import { UrlFilter } from '../../src/store/url-index/url-filter.ts';
import { UrlIndex } from '../../src/store/url-index/url-index.ts';
import { UrlNumbers } from '../../src/store/write/url-ids.ts';

/** URLs per run at least: few, so that runs are merged twice. */
const RECENT = 50;

let folder: string;
let file: string;
let db: BetterSqlite3.Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bingo-urls-'));
  file = join(folder, 'store.db');
  await prepareSqlite(file);
  db = openSqliteWriter(file, undefined);
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const url = (n: number): string => `https://h${n % 7}.example/page/${n}`;

function numbers(): { readonly urls: UrlNumbers; readonly sink: SqliteSink } {
  const sink = new SqliteSink(db, 0);
  return { urls: new UrlNumbers(sink, new UrlIndex(sink, RECENT)), sink };
}

const countOf = (table: string): number =>
  (db.prepare(`select count(*) as n from ${table}`).get() as { readonly n: number }).n;

/** Returns the ids of blocks that no run has. */
function orphans(): unknown[] {
  return db
    .prepare(
      `select id from url_block where not exists
        (select 1 from url_run where id >= base and id < base + blocks + pieces)`,
    )
    .all();
}

describe('the index of URLs', () => {
  test('keeps each number through merges, rolled back transactions and interrupted processes', async () => {
    const random = seededRandom(7);
    const known = new Map<string, number>();
    let { urls, sink } = numbers();
    let next = 0;
    for (let batch = 0; batch < 400; batch++) {
      // Old and new URLs, each several times.
      const wanted = new Set<string>();
      for (let i = 0; i < 20; i++) wanted.add(url(random() < 0.3 ? Math.floor(random() * next) : next++));
      const fate = random();
      await sink.begin();
      const ids = await urls.of(wanted);
      for (const [text, id] of ids) if (known.has(text)) expect(id).toBe(known.get(text));
      if (fate < 0.1) {
        await sink.rollback();
        urls.forget();
      } else {
        await sink.commit();
        for (const [text, id] of ids) known.set(text, id);
      }
      if (fate > 0.9) ({ urls, sink } = numbers());
    }
    expect(new Set(known.values()).size).toBe(known.size);
    expect(known.size).toBeGreaterThan(4_000);
    expect(countOf('url')).toBe(known.size);
    expect(countOf('url_run')).toBeLessThan(24);
    const reader = kyselyOver(db);
    for (const [text, id] of [...known].filter((_, i) => i % 37 === 0)) expect(await findUrl(reader, text)).toBe(id);
    expect(await findUrl(reader, url(next + 1))).toBeUndefined();
  });

  test('removes the blocks of merged runs', async () => {
    const { urls, sink } = numbers();
    let most = 0;
    for (let batch = 0; batch < 200; batch++) {
      await sink.begin();
      await urls.of(new Set(Array.from({ length: 30 }, (_, i) => url(batch * 30 + i))));
      await sink.commit();
      most = Math.max(most, countOf('url_run'));
    }
    expect(most).toBeLessThan(20);
    // Of the last merge alone, if it has just ended.
    expect(orphans().length).toBeLessThan(40);
    expect(countOf('url_block')).toBeLessThan(100);
  });

  test('is checked against the table of URLs', async () => {
    const { urls, sink } = numbers();
    await sink.begin();
    await urls.of(new Set(Array.from({ length: 1_000 }, (_, i) => url(i))));
    await sink.commit();
    const reader = kyselyOver(db);
    expect(countOf('url_run')).toBe(1);
    expect(await checkUrls(reader)).toEqual([]);
    db.exec('update url set hash = hash + 1 where id = 7');
    expect(await checkUrls(reader)).toEqual([expect.stringContaining('addresses 1 to 1000 does not match')]);
    db.exec('update url set hash = hash - 1 where id = 7');
    expect(await checkUrls(reader)).toEqual([]);
    db.exec('delete from url_block where id = 1');
    expect(await checkUrls(reader)).toHaveLength(1);
  });

  test('finds the URLs of a store with an index on their hashes after its upgrade', async () => {
    const { urls, sink } = numbers();
    await sink.begin();
    const ids = await urls.of(new Set(Array.from({ length: 3_000 }, (_, i) => url(i))));
    await sink.commit();
    db.exec('drop table url_run; drop table url_block; create index url_by_hash on url (hash)');
    db.exec("update meta set value = '16' where name = 'schema_version'");
    expect(await findUrl(kyselyOver(db), url(17))).toBe(ids.get(url(17)));
    db.close();
    await prepareSqlite(file);
    db = openSqliteWriter(file, undefined);
    expect(db.prepare("select 1 from sqlite_master where name = 'url_by_hash'").get()).toBeUndefined();
    for (const n of [0, 1, 1_234, 2_999]) expect(await findUrl(kyselyOver(db), url(n))).toBe(ids.get(url(n)));
    const again = numbers();
    await again.sink.begin();
    expect(await again.urls.of(new Set([url(2_999), url(3_000)]))).toEqual(
      new Map([
        [url(2_999), ids.get(url(2_999))],
        [url(3_000), 3_001],
      ]),
    );
    await again.sink.commit();
  });
});

describe('the filter of a run', () => {
  test('has every hash added to it and few others', () => {
    let n = 0;
    const hash = (): number => hash53(url(n++));
    const filter = new UrlFilter(20_000);
    const added = Array.from({ length: 20_000 }, hash);
    for (const one of added) filter.add(one);
    const copy = new UrlFilter(20_000);
    for (const [n, piece] of [...filter.pieces()].entries()) copy.setPiece(n, piece);
    expect(added.every((one) => copy.mayHave(one))).toBe(true);
    const wrong = Array.from({ length: 20_000 }, hash).filter((one) => copy.mayHave(one));
    expect(wrong.length / 20_000).toBeLessThan(0.03);
  });
});
