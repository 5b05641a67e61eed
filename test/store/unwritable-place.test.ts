import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openScratch, openStore } from '../../src/store/index.ts';
import { type Place, sqlite } from '../contracts/store-databases.ts';
import { typicalPage } from '../contracts/store-records.ts';

let place: Place;
let file: string;

beforeEach(async () => {
  place = await sqlite.place();
  file = join(place.options.workspace, 'store.db');
});
afterEach(() => place.drop());

/**
 * Prevents SQLite from making lock files beside the file, even for root: links have their names, and SQLite follows
 * no links.
 */
function forbidLocks(store = file): void {
  symlinkSync('nowhere', `${store}-shm`);
}

describe('a store in a folder that is not writable', () => {
  test('can be read, by queries in SQL and by work in SQL too', async () => {
    const writer = await place.open();
    for (let n = 1; n <= 20; n++) writer.append(typicalPage(n));
    await writer.close();
    forbidLocks();
    const store = await openStore({ ...place.options, readOnly: true });
    expect(await store.count()).toBe(20);
    const answer = await store.sql('select count(*) as n from page', { maxRows: 10 });
    for await (const row of answer.rows) expect(row).toEqual([20]);
    await store.close();
    const scratch = await openScratch({ ...place.options, readOnly: true });
    expect(await scratch.all('select count(*) from journal')).toEqual([[20]]);
    await scratch.close();
  });

  test('shows what a killed crawl left in its log', async () => {
    const backup = await sqlite.place();
    const writer = await place.open();
    for (let n = 1; n <= 20; n++) writer.append(typicalPage(n));
    await writer.flush();
    for (const name of ['store.db', 'store.db-wal'])
      copyFileSync(join(place.options.workspace, name), join(backup.options.workspace, name));
    await writer.close();
    forbidLocks(join(backup.options.workspace, 'store.db'));
    const store = await openStore({ ...backup.options, readOnly: true });
    expect(await store.count()).toBe(20);
    await store.close();
    await backup.drop();
  });

  test('rejects writes with an error that names a remedy', async () => {
    await (await place.open()).close();
    forbidLocks();
    await expect(place.open()).rejects.toMatchObject({
      code: 'STORE_UNWRITABLE',
      hint: expect.stringContaining('you can still read'),
    });
  });

  test('leaves no copy behind', async () => {
    await (await place.open()).close();
    forbidLocks();
    const before = copies();
    const script = `
      import { openStore } from ${JSON.stringify(join(import.meta.dirname, '../../src/store/index.ts'))};
      import { readdirSync } from 'node:fs';
      const store = await openStore({ ...${JSON.stringify(place.options)}, readOnly: true });
      console.log(readdirSync(${JSON.stringify(tmpdir())}).some((name) => name.startsWith('bingo-read-')));
      await store.close();`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(child.stdout).toBe('true\n');
    expect(copies()).toEqual(before);
  });

  test('removes the copy of a killed process, and not that of a running one', async () => {
    await (await place.open()).close();
    forbidLocks();
    const [ended, running] = [spawnSync('true').pid, process.ppid].map((pid) =>
      mkdtempSync(join(tmpdir(), `bingo-read-${pid}-`)),
    );
    writeFileSync(join(ended!, 'store.db'), 'a copy');
    await (await openStore({ ...place.options, readOnly: true })).close();
    expect([ended, running].map((folder) => existsSync(folder!))).toEqual([false, true]);
    rmSync(running!, { recursive: true });
  });

  test('explains how to have a copy elsewhere if none can be made', async () => {
    await (await place.open()).close();
    forbidLocks();
    const before = process.env.TMPDIR;
    process.env.TMPDIR = join(place.options.workspace, 'nowhere');
    try {
      await expect(openStore({ ...place.options, readOnly: true })).rejects.toMatchObject({
        code: 'STORE_UNREADABLE',
        hint: expect.stringContaining('TMPDIR'),
      });
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

function copies(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('bingo-read-'));
}
