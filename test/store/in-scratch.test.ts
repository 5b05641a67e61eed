import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScratch, openStore } from '../../src/store/index.ts';

describe('work in SQL', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'bingo-in-scratch-'));
  const lost = Object.assign(new Error('Connection lost: The server closed the connection.'), {
    code: 'PROTOCOL_CONNECTION_LOST',
  });

  beforeAll(async () => {
    const store = await openStore({ url: 'sqlite', workspace, batch: 1, flushMs: 1 });
    await store.close();
  });
  afterAll(() => rmSync(workspace, { recursive: true }));

  /** Returns work that fails this number of times. */
  async function failing(times: number, error: Error): Promise<{ begun: number; told: number; answer: unknown }> {
    const counts = { begun: 0, told: 0 };
    const answer = await inScratch(
      { url: 'sqlite', workspace },
      async (scratch) => {
        await scratch.make('mine', { columns: { n: 'int' }, key: ['n'] });
        await scratch.insert('mine', [[1]]);
        if (counts.begun++ < times) throw error;
        return await scratch.all('select n from mine');
      },
      () => counts.told++,
    ).catch((thrown: unknown) => thrown);
    return { ...counts, answer };
  }

  test('starts again, with new tables, if the connection was lost', async () => {
    expect(await failing(3, lost)).toEqual({ begun: 4, told: 3, answer: [[1]] });
  });

  test('gives up if the connection is lost each time', async () => {
    expect(await failing(9, lost)).toMatchObject({ begun: 4, told: 3, answer: { code: 'STORE_LOST' } });
  });

  test('runs once if it fails for any other reason', async () => {
    const error = new Error('no such column');
    expect(await failing(1, error)).toEqual({ begun: 1, told: 0, answer: error });
  });
});
