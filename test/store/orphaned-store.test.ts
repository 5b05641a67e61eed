import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mysql, onServer, type Place, sqlite } from '../contracts/store-databases.ts';
import { typicalPage } from '../contracts/store-records.ts';

describe.skipIf(mysql.missing !== undefined)('store.url changed from one store to another', () => {
  let server: Place;
  let file: Place;
  let workspace: string;

  beforeEach(async () => {
    server = await mysql.place();
    file = await sqlite.place();
    workspace = file.options.workspace;
  });
  afterEach(() => Promise.all([server.drop(), file.drop()]));

  const crawlIn = async (place: Place): Promise<number> => {
    const store = await place.open({ workspace });
    try {
      store.append(typicalPage((await store.count()) + 1));
      await store.flush();
      return await store.count();
    } finally {
      await store.close();
    }
  };

  const databaseOf = ({ options }: Place): string => options.url.split('/').at(-1)!;

  test('does not silently abandon pages in the file', async () => {
    await crawlIn(file);
    const refusal = { code: 'STORE_ELSEWHERE', message: expect.stringContaining(join(workspace, 'store.db')) };
    await expect(crawlIn(server)).rejects.toMatchObject(refusal);
    await expect(server.open({ workspace, readOnly: true })).rejects.toMatchObject(refusal);
    // No database was created either.
    await expect(onServer(`use ${databaseOf(server)}`)).rejects.toMatchObject({ code: 'ER_BAD_DB_ERROR' });
    await onServer(`create database ${databaseOf(server)}`);
    await expect(crawlIn(server)).rejects.toMatchObject(refusal);
    expect(await crawlIn(file)).toBe(2);
  });

  test('starts a new crawl on the server if the file was moved away, as the error says', async () => {
    await crawlIn(file);
    rmSync(join(workspace, 'store.db'));
    expect(await crawlIn(server)).toBe(1);
    expect(await crawlIn(server)).toBe(2);
  });

  test('does not silently abandon pages on a server', async () => {
    expect(await crawlIn(server)).toBe(1);
    const id = readFileSync(join(workspace, 'workspace.id'));
    const refusal = { code: 'STORE_ELSEWHERE', hint: expect.stringContaining(join(workspace, 'workspace.id')) };
    const other = await mysql.place();
    for (const place of [file, other]) {
      await expect(crawlIn(place)).rejects.toMatchObject(refusal);
      await expect(place.open({ workspace, readOnly: true })).rejects.toMatchObject(refusal);
    }
    await other.drop();
    expect(existsSync(join(workspace, 'store.db'))).toBe(false);
    expect(await crawlIn(server)).toBe(2);
    expect(readFileSync(join(workspace, 'workspace.id'))).toEqual(id);
    rmSync(join(workspace, 'workspace.id'));
    expect(await crawlIn(file)).toBe(1);
  });

  test('can name an existing store', async () => {
    await crawlIn(server);
    writeFileSync(join(workspace, 'kept.id'), readFileSync(join(workspace, 'workspace.id')));
    rmSync(join(workspace, 'workspace.id'));
    await crawlIn(file);
    writeFileSync(join(workspace, 'workspace.id'), readFileSync(join(workspace, 'kept.id')));
    expect([await crawlIn(server), await crawlIn(file)]).toEqual([2, 2]);
  });
});
