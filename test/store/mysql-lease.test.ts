import type { Connection } from 'mysql2/promise';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { storeError } from '../../src/store/errors.ts';
import { connectMysql } from '../../src/store/mysql/database.ts';
import { LEASE_MS, Lease } from '../../src/store/mysql/lease.ts';
import { isTaken } from '../../src/workbench/spread/leader.ts';
import { mysql, type Place } from '../contracts/store-databases.ts';
import { typicalPage } from '../contracts/store-records.ts';

// No test holds a lock of the server: on a cluster, two processes on two nodes would both get it.
describe.skipIf(mysql.missing !== undefined)('the lease of a MySQL store', () => {
  let place: Place;
  let one: Connection;
  let other: Connection;
  const drops: Promise<void>[] = [];

  beforeEach(async () => {
    place = await mysql.place();
    await (await place.open()).close();
    [one, other] = [await connectMysql(place.options.url), await connectMysql(place.options.url)];
    for (const connection of [one, other]) connection.on('error', () => {});
  });

  afterEach(() => {
    one.destroy();
    other.destroy();
    drops.push(place.drop());
  });

  afterAll(() => Promise.all(drops));

  const claim = (connection: Connection, waitMs = 0): Promise<Lease> => Lease.claim(connection, 'the place', waitMs);
  const countOf = async (connection: Connection): Promise<unknown> =>
    (await connection.query('select count(*) as n from topic'))[0];
  /** The holder last renewed it long ago, from another machine. */
  const age = (): Promise<void> =>
    place.tamper(`update lease set renewed = renewed - ${LEASE_MS}, owner = concat('x', substring(owner, 2))`);

  test('belongs to one of two processes that claim it at once', async () => {
    const ends: (() => void)[] = [];
    const kept = async (connection: Connection): Promise<void> => {
      const lease = await claim(connection);
      ends.push(lease.keep(() => lease.renew(connection)));
    };
    const claims = await Promise.allSettled([kept(one), kept(other)]);
    expect(claims.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const end of ends) end();
  });

  test('is left at once to a process that was faster', async () => {
    const query = other.query.bind(other) as (...words: unknown[]) => Promise<unknown>;
    let faster: Lease | undefined;
    vi.spyOn(other, 'query').mockImplementation((async (...words: unknown[]) => {
      if (String(words[0]).startsWith('update lease set epoch')) faster ??= await claim(one);
      return await query(...words);
    }) as typeof other.query);
    await expect(claim(other, 600_000)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await faster!.renew(one);
  });

  test('names its holder to a second process', async () => {
    const lease = await claim(one);
    const endKeeping = lease.keep(() => lease.renew(one));
    await expect(claim(other)).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringMatching(new RegExp(`process ${process.pid} on \\S+, since \\d{4}-`)),
    });
    endKeeping();
  });

  test('names its holder to a store that is open for reading', async () => {
    const reader = await place.open({ readOnly: true });
    expect(await reader.writer()).toBeUndefined();
    const writer = await place.open();
    expect(await reader.writer()).toContain(`process ${process.pid} on `);
    await writer.close();
    expect(await reader.writer()).toBeUndefined();
    await reader.close();
  });

  test('is claimed without making its table again, which would stop all nodes of a cluster', async () => {
    const statements = vi.spyOn(one, 'query');
    await claim(one);
    expect(statements.mock.calls.map(([statement]) => String(statement))).not.toContainEqual(
      expect.stringMatching(/create table/),
    );
  });

  test('that another transaction holds for too long is reported as busy: the next attempt may succeed', () => {
    const error = Object.assign(new Error('Lock wait timeout exceeded'), { code: 'ER_LOCK_WAIT_TIMEOUT' });
    const reported = storeError(error, 'the place');
    expect(reported).toMatchObject({ code: 'STORE_BUSY' });
    // A worker leaves the shard to a later turn.
    expect(isTaken(reported)).toBe(true);
  });

  test('is free for the next process once it is released', async () => {
    const lease = await claim(one);
    await lease.release(one);
    await claim(other);
    await expect(lease.renew(one)).rejects.toMatchObject({ code: 'STORE_FENCED' });
  });

  test('is taken over at once if its holder on this machine has ended', async () => {
    await claim(one);
    await place.tamper('update lease set pid = 2147483646');
    await (await claim(other)).renew(other);
  });

  test('is lost to another process if it is not renewed in time', async () => {
    const lease = await claim(one);
    await age();
    await (await claim(other)).renew(other);
    await expect(lease.renew(one)).rejects.toMatchObject({
      code: 'STORE_FENCED',
      message: expect.stringContaining(`process ${process.pid} on`),
    });
  });

  test('is taken from a process that stopped within a transaction, which then stores nothing', async () => {
    const lease = await claim(one);
    await age();
    await one.query('start transaction');
    await one.query(`update lease set renewed = renewed where id = 1`);
    await one.query(`insert into topic (id, parent, name, good, place) values ('late', null, 'late', 1, 9)`);
    await (await claim(other)).renew(other);
    await expect(one.query('commit')).rejects.toThrow(/closed|lost|reset|killed/i);
    await expect(lease.renew(other)).rejects.toMatchObject({ code: 'STORE_FENCED' });
    expect(await countOf(other)).toEqual([{ n: 0 }]);
  });

  test('lost by a crawl that was paused ends its writing, and none of its batch is stored', async () => {
    const paused = await place.open();
    const failed = new Promise<Error>((resolve) => paused.onFailed(resolve));
    paused.append(typicalPage(1));
    await paused.flush();
    await place.tamper(`update lease set owner = ''`);
    const next = await place.open();
    paused.append(typicalPage(2));
    await expect(paused.flush()).rejects.toMatchObject({
      code: 'STORE_FENCED',
      message: expect.stringContaining(`taken over by process ${process.pid} on`),
    });
    expect(await failed).toMatchObject({ code: 'STORE_FENCED' });
    expect(await next.count()).toBe(1);
    next.append(typicalPage(2));
    await next.flush();
    await next.close();
    await paused.close();
  });

  test('lost before a crawl began to read ends it at its first record, not at one of the other process', async () => {
    const paused = await place.open();
    await place.tamper(`update lease set owner = ''`);
    const next = await place.open();
    next.append(typicalPage(1));
    await next.flush();
    const read: number[] = [];
    for await (const records of paused.read()) read.push(...records.map(({ sequence }) => sequence));
    expect(read).toEqual([]);
    // A checkpoint of the other process has more records than this.
    expect(await paused.count()).toBe(0);
    paused.append(typicalPage(1));
    await expect(paused.flush()).rejects.toMatchObject({ code: 'STORE_FENCED' });
    await next.close();
    await paused.close();
  });
});
