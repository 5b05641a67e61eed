import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openScratch } from '../../src/store/index.ts';
import { placesOf, rowsOf } from '../contracts/each-database.ts';
import { mysql, type Place } from '../contracts/store-databases.ts';
import { typicalPage } from '../contracts/store-records.ts';

describe.skipIf(mysql.missing !== undefined)('a MySQL database and its workspace', () => {
  const places = placesOf(mysql);
  let place: Place;
  let root: string;
  let first: string;

  beforeEach(async () => {
    place = await places.take();
    root = mkdtempSync(join(tmpdir(), 'bingo-owner-'));
    first = join(root, 'first');
    cpSync(place.options.workspace, first, { recursive: true });
    await work(first);
  });

  afterEach(async () => {
    await places.leave(place);
    rmSync(root, { recursive: true, force: true });
  });

  /** Opens the store for writing from a folder, and closes it. */
  const work = async (workspace: string): Promise<void> => {
    const store = await place.open({ workspace });
    store.append(typicalPage((await store.count()) + 1));
    await store.close();
  };

  /** Returns the number of records as seen by a reader from that folder. */
  const look = async (workspace: string): Promise<number> => {
    const store = await place.open({ workspace, readOnly: true });
    return await store.count().finally(() => store.close());
  };

  const folder = (name: string): string => mkdtempSync(join(root, name));
  const idOf = (workspace: string): string => readFileSync(join(workspace, 'workspace.id'), 'utf8').trim();

  test('stay together', async () => {
    await work(first);
    expect(await look(first)).toBe(2);
    const store = await place.open({ workspace: first, readOnly: true });
    const answer = await store.sql("select value from meta where name like 'workspace%' order by name", { maxRows: 9 });
    expect(await rowsOf(answer)).toEqual([[idOf(first)], [first], [expect.any(String)]]);
    await store.close();
  });

  test('reject another workspace for every kind of access', async () => {
    const other = folder('other');
    const refusal = {
      code: 'STORE_TAKEN',
      message: expect.stringContaining(first),
      hint: expect.stringContaining(idOf(first)),
    };
    await expect(work(other)).rejects.toMatchObject(refusal);
    await expect(look(other)).rejects.toMatchObject(refusal);
    const asks = openScratch({ url: place.options.url, workspace: other, readOnly: true });
    await expect(asks).rejects.toMatchObject(refusal);
    expect(await look(first)).toBe(1);
  });

  test('reject a workspace that already has another database', async () => {
    const other = folder('other');
    const second = await mysql.place();
    const store = await second.open({ workspace: other });
    await store.close();
    const id = idOf(other);
    await expect(work(other)).rejects.toMatchObject({ code: 'STORE_TAKEN' });
    expect(idOf(other)).toBe(id);
    await second.drop();
  });

  test('continue together if the folder is moved', async () => {
    const moved = join(root, 'moved');
    renameSync(first, moved);
    expect(await look(moved)).toBe(1);
    await work(moved);
    expect(await look(moved)).toBe(2);
  });

  test('match under another name of the folder', async () => {
    symlinkSync(first, join(root, 'name'));
    await work(join(root, 'name'));
    expect(await look(first)).toBe(2);
  });

  test('are not shared with a copy of the folder, which may only read', async () => {
    const copy = join(root, 'copy');
    cpSync(first, copy, { recursive: true });
    expect(await look(copy)).toBe(1);
    await expect(work(copy)).rejects.toMatchObject({
      code: 'STORE_TAKEN',
      message: expect.stringContaining('copy'),
      hint: expect.stringContaining(join(first, 'workspace.id')),
    });
    // Follows the hint.
    rmSync(join(first, 'workspace.id'));
    await work(copy);
    await expect(work(first)).rejects.toMatchObject({ code: 'STORE_TAKEN' });
  });

  test('match again, as the error explains, if the folder was lost and made again', async () => {
    const id = idOf(first);
    rmSync(first, { recursive: true });
    mkdirSync(first);
    await expect(work(first)).rejects.toMatchObject({
      code: 'STORE_TAKEN',
      message: expect.stringContaining('formerly in this folder'),
      hint: expect.stringContaining(id),
    });
    writeFileSync(join(first, 'workspace.id'), `${id}\n`);
    await work(first);
    expect(await look(first)).toBe(2);
  });

  test('find each other if an older version made the database', async () => {
    await place.tamper("delete from meta where name like 'workspace%'");
    const other = folder('other');
    expect(await look(other)).toBe(1);
    await work(other);
    await expect(work(first)).rejects.toMatchObject({ code: 'STORE_TAKEN' });
  });

  test('find each other if a full disk left the id empty', async () => {
    await place.tamper("delete from meta where name like 'workspace%'");
    writeFileSync(join(first, 'workspace.id'), '');
    await work(first);
    expect(idOf(first)).not.toBe('');
    expect(await look(first)).toBe(2);
  });
});
