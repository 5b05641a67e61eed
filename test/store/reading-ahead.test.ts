import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { type Ask, readJournal } from '../../src/store/read/reading.ts';
import type { ReadingDialect } from '../../src/store/reading-dialect.ts';
import { sqliteFile } from '../../src/store/sqlite/connection.ts';
import { openSqliteReading } from '../../src/store/sqlite/reading.ts';
import { page } from '../contracts/store-records.ts';

const workspace = mkdtempSync(join(tmpdir(), 'bingo-ahead-'));
let reading: ReadingDialect;

beforeAll(async () => {
  const store = await openStore({ url: 'sqlite', workspace, batch: 100, flushMs: 1, reconnectMs: 0 });
  for (let i = 1; i <= 430; i++) store.append(page(i, `https://a.example/${i}`));
  await store.close();
  reading = await openSqliteReading(sqliteFile(workspace));
});

afterAll(async () => {
  await reading.close();
  rmSync(workspace, { recursive: true });
});

/** A remote server that answers later queries first. */
function farServer() {
  const server = { asked: 0, under: 0, most: 0 };
  const ask: Ask = async (question) => {
    server.asked++;
    server.most = Math.max(server.most, ++server.under);
    for (let turns = 20 - server.asked; turns > 0; turns--) await nextTurn();
    const answer = await question(reading.db);
    server.under--;
    return answer;
  };
  return { server, ask };
}

test('records arrive in order, with one open query per reader of the server', async () => {
  const { server, ask } = farServer();
  const sequences: number[] = [];
  for await (const chunk of readJournal({ ask, place: 'x', readers: 3 }, { after: 20 }))
    sequences.push(...chunk.map((record) => record.sequence));
  expect(sequences).toEqual(Array.from({ length: 410 }, (_, i) => i + 21));
  expect(server.most).toBe(3);
});

test('an error in a prefetched record is reported only to its reader', async () => {
  const ask: Ask = async (question) => {
    if (++asked > 2) throw new Error('lost');
    return await question(reading.db);
  };
  let asked = 0;
  const chunks = readJournal({ ask, place: 'x', readers: 3 });
  expect((await chunks.next()).value).toHaveLength(50);
  await chunks.return(undefined);
  asked = 0;
  const whole = readJournal({ ask, place: 'x', readers: 3 });
  await whole.next();
  await expect(whole.next()).rejects.toThrow('lost');
});
