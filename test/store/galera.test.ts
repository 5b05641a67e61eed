import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Parcel } from '../../src/core/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { connectMysql } from '../../src/store/mysql/database.ts';
import { LEASE_MS, Lease } from '../../src/store/mysql/lease.ts';
import { typicalPage } from '../contracts/store-records.ts';
import { type Cluster, startGalera, whyNoGalera } from '../support/galera.ts';

const missing = whyNoGalera();
const PARCEL: Parcel = { pages: [], redirects: [], lessons: [] };
const ROUNDS = 5;

describe.skipIf(missing !== undefined)(`a store on a Galera cluster (${missing ?? 'three nodes'})`, () => {
  let cluster: Cluster;
  const workspace = mkdtempSync(join(tmpdir(), 'bingo-galera-store-'));

  beforeAll(async () => {
    cluster = await startGalera();
    await onNode(0, 'create database bingo');
  }, 300_000);

  afterAll(() => {
    cluster?.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  const onNode = async (node: number, statement: string): Promise<void> => {
    const connection = await createConnection(cluster.nodes[node]!);
    await connection.query(statement).finally(() => connection.destroy());
  };
  const urlAt = (node: number): string => `${cluster.nodes[node]!}/bingo`;
  const open = (node: number): Promise<Store> =>
    openStore({ url: urlAt(node), workspace, batch: 100, flushMs: 10, reconnectMs: 20_000 });
  const openInTime = async (node: number): Promise<Store> => {
    for (const end = performance.now() + 60_000; ; ) {
      try {
        return await open(node);
      } catch (error) {
        if (performance.now() > end) throw error;
      }
    }
  };
  const forget = (): Promise<void> => onNode(0, `update bingo.lease set owner = ''`);

  test('is written by one of two processes that claim it at once on two nodes', async () => {
    await (await open(0)).close();
    const [one, other] = await Promise.all([connectMysql(urlAt(0)), connectMysql(urlAt(1))]);
    for (const connection of [one, other]) connection.on('error', () => {});
    for (let round = 0; round < ROUNDS; round++) {
      await forget();
      const claims = await Promise.allSettled([one, other].map((connection) => Lease.claim(connection, 'it', 0)));
      const refused = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason.code] : []));
      expect(refused.filter((code) => code !== 'STORE_BUSY')).toEqual([]);
      // A claim on a node that did not know of the other one yet is lost at its first write.
      const renewals = await Promise.allSettled(
        claims.flatMap((claim, i) => (claim.status === 'fulfilled' ? [claim.value.renew([one, other][i]!)] : [])),
      );
      expect(renewals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const lost = renewals.flatMap((renewal) => (renewal.status === 'rejected' ? [renewal.reason.code] : []));
      expect(lost.filter((code) => code !== 'STORE_FENCED')).toEqual([]);
    }
    one.destroy();
    other.destroy();
  });

  test('stores nothing of a process that was replaced on another node: no page, no parcel, no note', async () => {
    await forget();
    const paused = await open(0);
    paused.append(typicalPage(1), new Map([[1, PARCEL]]), { source: 2, own: 7 });
    await paused.flush();
    await onNode(1, `update bingo.lease set owner = '', renewed = renewed - ${LEASE_MS}`);
    const next = await open(1);
    paused.append(typicalPage(2), new Map([[1, PARCEL]]), { source: 2, own: 8 });
    await expect(paused.flush()).rejects.toMatchObject({ code: 'STORE_FENCED' });
    expect(await next.count()).toBe(1);
    expect(await next.exchange()).toMatchObject({ sequence: 1, sent: new Map([[1, 1]]) });
    expect(await next.followed()).toEqual(new Map([[2, 7]]));
    await paused.close();
    next.append({ kind: 'inbox', sequence: 2, source: 4, upto: 9, parcel: PARCEL, at: 1 });
    await next.flush();
    await next.close();
  });

  test('is taken over on another node while its node hangs, and then stores nothing of its first process', async () => {
    const first = await open(1);
    const stored = await first.count();
    cluster.hang(1);
    first.append(typicalPage(stored + 1), new Map([[1, PARCEL]]));
    const refused = expect(first.flush()).rejects.toMatchObject({ code: 'STORE_FENCED' });
    const next = await openInTime(0);
    next.append(typicalPage(stored + 1));
    await next.flush();
    await cluster.wake(1);
    await refused;
    expect(await next.exchange()).toMatchObject({ sequence: stored + 1, sent: new Map([[1, 1]]) });
    await first.close();
    await next.close();
  }, 180_000);

  test('is continued on another node after its node was killed, without a gap', async () => {
    const before = await open(2);
    const stored = await before.count();
    for (let i = 1; i <= 20; i++) before.append(typicalPage(stored + i));
    await before.flush();
    cluster.kill(2);
    await before.close();
    const next = await openInTime(1);
    const sequences: number[] = [];
    for await (const records of next.read()) sequences.push(...records.map(({ sequence }) => sequence));
    expect(sequences).toEqual(Array.from({ length: stored + 20 }, (_, i) => i + 1));
    expect(await next.exchange()).toMatchObject({ received: new Map([[4, 9]]) });
    await next.close();
  }, 120_000);
});
