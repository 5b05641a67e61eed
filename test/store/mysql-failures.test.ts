import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storeError } from '../../src/store/errors.ts';
import type { Store } from '../../src/store/index.ts';
import { closePool, connectMysql, openMysqlPool, prepareMysql } from '../../src/store/mysql/database.ts';
import { Lease } from '../../src/store/mysql/lease.ts';
import { rowsOf } from '../contracts/each-database.ts';
import { mysql, onServer, type Place } from '../contracts/store-databases.ts';
import { page, typicalPage } from '../contracts/store-records.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

describe.skipIf(mysql.missing !== undefined)('a MySQL server', () => {
  let place: Place;
  let proxy: TcpProxy;
  let store: Store;
  const drops: Promise<void>[] = [];

  beforeEach(async () => {
    place = await mysql.place();
    proxy = await TcpProxy.to(place.options.url);
    store = await place.open({ url: proxy.through(place.options.url), batch: 10, reconnectMs: 10_000 });
  });

  afterEach(async () => {
    await store.close();
    await proxy.refuse();
    // Dropping is slow, so it runs during the next test.
    drops.push(place.drop());
  });

  afterAll(() => Promise.all(drops));

  const expectAll = async (count: number): Promise<void> => {
    await store.flush();
    const direct = await place.open({ readOnly: true });
    const sequences: number[] = [];
    for await (const records of direct.read()) sequences.push(...records.map((record) => record.sequence));
    expect(sequences).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    await direct.close();
  };

  test('that restarts while idle is connected to again', async () => {
    store.append(typicalPage(1));
    await store.flush();
    proxy.reset();
    store.append(typicalPage(2));
    await expectAll(2);
  });

  test('that resets our connection while nothing is written keeps our lease', async () => {
    const holder = async (): Promise<unknown> =>
      await rowsOf(await store.sql('select connection from lease', { maxRows: 1 }));
    const before = await holder();
    proxy.reset();
    await expect.poll(holder, { interval: 500 }).not.toEqual(before);
    store.append(typicalPage(1));
    await expectAll(1);
  });

  test('that restarts during a batch receives that batch again, once', async () => {
    for (let n = 1; n <= 60; n++) store.append(typicalPage(n));
    await proxy.sees('insert into link');
    await proxy.refuse();
    await proxy.resume();
    await expectAll(60);
  });

  test('that commits and dies before it answers does not receive the batch twice', async () => {
    const swallowed = proxy.swallowAnswerTo('commit');
    for (let n = 1; n <= 30; n++) store.append(typicalPage(n));
    await swallowed;
    await expectAll(30);
  });

  test('with another SQL dialect is queried in ours, on every connection', async () => {
    const modeOf = 'select @@sql_mode as mode';
    expect(await rowsOf(await store.sql(modeOf, { maxRows: 1 }))).toEqual([['STRICT_TRANS_TABLES']]);
    const pool = openMysqlPool(place.options.url);
    const [rows] = await pool.promise().query(modeOf);
    expect(rows).toEqual([{ mode: 'STRICT_TRANS_TABLES' }]);
    await closePool(pool);
  });

  test('with a damaged text does not lead to advice on repairing a file', async () => {
    store.append(typicalPage(1));
    await store.flush();
    await place.tamper(`update page_content set content = x'00112233'`);
    await expect(store.texts([1])).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.not.stringContaining('file'),
      hint: expect.stringMatching(/^(?!.*sqlite).*backup/),
    });
  });

  test('on which another process upgrades the store is left to it', async () => {
    const { url, workspace } = place.options;
    await store.close();
    const other = await connectMysql(url);
    const lease = await Lease.claim(other, url, 0);
    const endKeeping = lease.keep(() => lease.renew(other));
    await place.tamper(`update meta set value = '19' where name = 'schema_version'`);
    await expect(prepareMysql(url, workspace, 0)).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringContaining('another process'),
    });
    endKeeping();
    await lease.release(other);
    await prepareMysql(url, workspace);
    await other.end();
  });

  test('that kills our connection is connected to again', async () => {
    store.append(typicalPage(1));
    await store.flush();
    const database = new URL(place.options.url).pathname.slice(1);
    const { default: driver } = await import('mysql2/promise');
    const admin = await driver.createConnection(place.options.url);
    const [rows] = await admin.query(
      'select id from information_schema.processlist where db = ? and id <> connection_id()',
      [database],
    );
    for (const { id, ID } of rows as { id?: number; ID?: number }[])
      await admin.query(`kill ${id ?? ID}`).catch(() => {});
    await admin.end();
    store.append(typicalPage(2));
    await expectAll(2);
  });

  test('that restarts during a long read is waited for, even by readers', async () => {
    for (let n = 1; n <= 300; n++) store.append(page(n, `https://t.example/${n}`));
    await store.flush();
    const reader = await place.open({ url: proxy.through(place.options.url), readOnly: true, reconnectMs: 10_000 });
    const sequences: number[] = [];
    for await (const records of reader.read()) {
      if (sequences.length === 0) {
        await proxy.refuse();
        setTimeout(() => void proxy.resume(), 600);
      }
      sequences.push(...records.map((record) => record.sequence));
    }
    expect(sequences).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));

    const listed: number[] = [];
    for await (const { sequence } of reader.exportPages()) {
      listed.push(sequence);
      if (sequence === 200) proxy.reset();
      // A concurrent query is repeated as well.
      if (sequence === 201) expect(await reader.count()).toBe(300);
    }
    expect(listed).toEqual(sequences);
    // No read is open any more.
    await proxy.refuse();
    await expect(reader.count()).rejects.toMatchObject({ code: 'STORE_LOST' });
    await proxy.resume();
    await reader.close();
  });

  test('that dies during a query is reported, before the first row and after it', async () => {
    const reader = await place.open({ url: proxy.through(place.options.url), readOnly: true });
    const slow = reader.sql('select sleep(20)', { maxRows: 1 });
    const refused = expect(slow).rejects.toMatchObject({ code: 'STORE_LOST' });
    await proxy.sees('sleep(20)');
    proxy.reset();
    await refused;
    const numbers = 'with recursive n as (select 1 as i union all select i + 1 from n where i < 900)';
    const { rows } = await reader.sql(`${numbers} select i, repeat('x', 100000) from n`, { maxRows: 1_000 });
    const read = async (): Promise<void> => {
      for await (const [i] of rows) if (i === 1) proxy.reset();
    };
    await expect(read()).rejects.toMatchObject({ code: 'STORE_LOST' });
    await reader.close();
  });

  test('that lost its database is reported as such: stored pages are not safe', async () => {
    store.append(typicalPage(1));
    await store.flush();
    await place.drop();
    store.append(typicalPage(2));
    const gone = { code: 'STORE_GONE', hint: expect.not.stringContaining('safe') };
    await expect(store.flush()).rejects.toMatchObject(gone);
    await expect(store.count()).rejects.toMatchObject(gone);
  });

  test('that stays down is given up with a remedy; what was reported as stored is there', async () => {
    store.append(typicalPage(1));
    await store.flush();
    const hasty = store;
    await hasty.close();
    store = await place.open({ url: proxy.through(place.options.url), reconnectMs: 500 });
    await proxy.refuse();
    store.append(typicalPage(2));
    await expect(store.flush()).rejects.toMatchObject({
      code: 'STORE_LOST',
      hint: expect.stringContaining('store.url'),
    });
    const direct = await place.open({ readOnly: true });
    expect(await direct.count()).toBe(1);
    await direct.close();
  });

  test('receives the writes of a waiting process after those of this one', async () => {
    const waits = proxy.sees('from lease');
    const next = place.open({ url: proxy.through(place.options.url) });
    await waits;
    store.append(typicalPage(1));
    await store.close();
    store = await next;
    store.append(typicalPage(2));
    await expectAll(2);
  });

  test('lets one process write at a time', async () => {
    await expect(place.open()).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringContaining('another process'),
    });
  });

  test('that rejects our user is reported without the password', async () => {
    const wrong = new URL(place.options.url);
    wrong.username = 'nobody_here';
    wrong.password = 'hunter2';
    const error = await place.open({ url: wrong.href }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'STORE_DENIED' });
    expect(JSON.stringify([String(error), (error as Error).message])).not.toContain('hunter2');
  });

  test('accepts a record of many megabytes', async () => {
    const text = Array.from({ length: 200_000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20_000))).join(
      '',
    );
    for (let n = 1; n <= 10; n++) store.append({ ...typicalPage(n), document: { ...typicalPage(n).document, text } });
    await expectAll(10);
    expect((await store.texts([10])).get(10)).toBe(text);
  });

  test('runs no statement that a read-only transaction would allow to write', async () => {
    for (const statement of [
      'shutdown',
      'kill 1',
      `set global max_connections = 1`,
      '/*!50000 drop table page */',
      `select 1 into outfile '/tmp/bingo-x'`,
      'select 1 into @x',
      'do sleep(1)',
      'call x()',
      'select 1 /*M! into @x */',
    ])
      await expect(store.sql(statement, { maxRows: 1 })).rejects.toMatchObject({ code: 'SQL_READ_ONLY' });
  });
});

test.each([
  ['ER_RECORD_FILE_FULL', "The table 'pair_log' is full"],
  ['ER_ERROR_ON_WRITE', `Error writing file '/tmp/#sql/fd=83' (Errcode: 28 "No space left on device")`],
  ['ER_DISK_FULL', `Disk got full writing '.(temporary)' (Errcode: 28 "No space left on device")`],
])('reports that the disk of the server is full (%s)', (code, message) => {
  const error = storeError(Object.assign(new Error(message), { code }), 'mysql://root@127.0.0.1/x');
  expect(error).toMatchObject({ code: 'STORE_FULL', hint: expect.stringContaining('Free some space') });
});

test.skipIf(mysql.missing !== undefined)('a missing server is reported with a remedy', async () => {
  const place = await mysql.place();
  const nowhere = new URL(place.options.url);
  nowhere.hostname = '127.0.0.1';
  nowhere.port = '1';
  await expect(place.open({ url: nowhere.href })).rejects.toMatchObject({ code: 'STORE_LOST' });
  await onServer('select 1');
});
