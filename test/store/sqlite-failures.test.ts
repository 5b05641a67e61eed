import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/core/index.ts';
import { storeError } from '../../src/store/errors.ts';
import { isStoreEmptied, openStore, type Store } from '../../src/store/index.ts';
import { type Place, sqlite } from '../contracts/store-databases.ts';
import { typicalPage } from '../contracts/store-records.ts';

let place: Place;
let file: string;

beforeEach(async () => {
  place = await sqlite.place();
  file = join(place.options.workspace, 'store.db');
});
afterEach(() => place.drop());

describe('a full disk', () => {
  test('is reported once with a remedy, keeps all reported pages, and allows resuming', async () => {
    const store = await place.open({ batch: 10, maxBytes: 1_500_000 });
    const failures: Error[] = [];
    let stored = 0;
    store.onFailed((error) => failures.push(error));
    store.onStored((sequence) => {
      stored = sequence;
    });
    for (let n = 1; n <= 500; n++) store.append(typicalPage(n));
    await expect(store.flush()).rejects.toMatchObject({
      code: 'STORE_FULL',
      hint: expect.stringContaining('Free some space'),
    });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toBeInstanceOf(StoreError);
    expect(failures[0]!.message).toContain('the disk is full');
    expect(store.backlog).toBe(500 - stored);
    await store.close();

    const again = await place.open();
    expect(await again.count()).toBe(stored);
    expect(stored).toBeGreaterThan(0);
    for (let n = stored + 1; n <= 500; n++) again.append(typicalPage(n));
    await again.flush();
    expect(await sequencesOf(again)).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
    await again.close();
  });

  test('a file size limit is not reported as a full disk', () => {
    const error = storeError(Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' }), '/w/store.db');
    expect(error.message).toContain('accepts no more data');
    expect(error).toMatchObject({ code: 'STORE_FULL', hint: expect.stringContaining('the file is too large') });
  });

  test('rejects later requests, and notifies a late listener', async () => {
    const store = await place.open({ maxBytes: 400_000 });
    for (let n = 1; n <= 200; n++) store.append(typicalPage(n));
    await store.flush().catch(() => {});
    await expect(store.flush()).rejects.toMatchObject({ code: 'STORE_FULL' });
    await expect(store.saveScores('x' as never, [])).rejects.toMatchObject({ code: 'STORE_FULL' });
    store.append(typicalPage(201));
    expect(await new Promise((resolve) => store.onFailed(resolve))).toMatchObject({ code: 'STORE_FULL' });
    await store.close();
  });
});

describe('files removed under an open store', () => {
  test.each([
    ['are removed', (folder: string) => ['', '-wal', '-shm'].map((end) => rmSync(join(folder, `store.db${end}`)))],
    ['go with their folder', (folder: string) => rmSync(folder, { recursive: true })],
    ['are moved', (folder: string) => renameSync(join(folder, 'store.db'), join(folder, 'elsewhere.db'))],
    ['lose their log', (folder: string) => rmSync(join(folder, 'store.db-wal'))],
    ['are replaced', (folder: string) => replace(join(folder, 'store.db'))],
  ])('and %s are missed at the next batch', async (_, misfortune) => {
    const store = await place.open();
    store.append(typicalPage(1));
    await store.flush();
    misfortune(place.options.workspace);
    store.append(typicalPage(2));
    await expect(store.flush()).rejects.toMatchObject({
      code: 'STORE_GONE',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('copy'),
    });
    await store.close();
  });

  const replace = (path: string): void => {
    copyFileSync(path, `${path}.old`);
    renameSync(`${path}.old`, path);
  };
});

test('a closed store is one file, complete without its write-ahead log', async () => {
  const store = await place.open();
  store.append(typicalPage(1));
  await store.close();
  expect(readdirSync(place.options.workspace)).toEqual(['store.db']);
});

test('reports a folder that has the name of the database file', async () => {
  mkdirSync(file);
  for (const readOnly of [false, true])
    await expect(place.open({ readOnly })).rejects.toMatchObject({
      code: 'STORE_NO_FILE',
      message: expect.stringContaining('is a folder'),
    });
});

describe('a damaged file', () => {
  beforeEach(async () => {
    const store = await place.open();
    for (let n = 1; n <= 100; n++) store.append(typicalPage(n));
    await store.close();
  });

  test('that is not a database is reported and not changed', async () => {
    writeFileSync(file, 'This was a shopping list. '.repeat(1000));
    const before = readFileSync(file);
    for (const readOnly of [false, true])
      await expect(place.open({ readOnly })).rejects.toMatchObject({
        code: 'STORE_DAMAGED',
        message: expect.stringContaining(file),
        hint: expect.stringContaining('Nothing was changed'),
      });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('that is truncated is reported, at the latest when it is read', async () => {
    truncateSync(file, Math.floor(statSync(file).size / 3));
    await expect(place.open().then(sequencesOf)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  test('with overwritten pages is reported when it is read', async () => {
    const handle = openSync(file, 'r+');
    for (let at = 40_960; at < statSync(file).size; at += 4096)
      writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, at);
    closeSync(handle);
    const outcome = place.open().then(async (store) => {
      await sequencesOf(store).finally(() => store.close());
    });
    await expect(outcome).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  test('with a damaged compressed text is reported when that text is read', async () => {
    await place.tamper(`update page_content set content = x'00112233' where page = 7`);
    const store = await place.open({ readOnly: true });
    await expect(store.texts([7])).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect((await store.texts([8])).size).toBe(1);
    await store.close();
  });
});

describe('an empty file', () => {
  const opening = (readOnly: boolean) => place.open({ readOnly });

  test('is not a store to readers, and is made one by a crawl, which says so', async () => {
    writeFileSync(file, '');
    expect(isStoreEmptied(place.options.workspace, 'sqlite')).toBe(true);
    await expect(opening(true)).rejects.toMatchObject({
      code: 'STORE_MISSING',
      message: expect.stringContaining('is empty'),
    });
    await (await opening(false)).close();
    expect(isStoreEmptied(place.options.workspace, 'sqlite')).toBe(false);
    await (await opening(true)).close();
  });

  test('whose log contains pages is reported, and the log kept', async () => {
    writeFileSync(file, '');
    writeFileSync(`${file}-wal`, 'pages');
    for (const readOnly of [false, true])
      await expect(opening(readOnly)).rejects.toMatchObject({
        code: 'STORE_DAMAGED',
        message: expect.stringContaining(`${file}-wal`),
      });
    expect(readFileSync(`${file}-wal`, 'utf8')).toBe('pages');
  });
});

test('a place where no file can be created is reported with a remedy', async () => {
  const inFile = join(place.options.workspace, 'a-file');
  writeFileSync(inFile, 'no folder');
  await expect(place.open({ workspace: inFile })).rejects.toMatchObject({
    code: 'STORE_UNWRITABLE',
    hint: expect.stringContaining('may write'),
  });
});

describe('a database locked by another program', () => {
  const HOLD = `const db = new (require('better-sqlite3'))(process.argv[1]); db.exec('begin immediate');
    console.log('held'); process.stdin.once('data', () => { db.close(); process.exit(); });`;

  async function hold(): Promise<{ readonly pid: number; release(): void }> {
    const child = spawn(process.execPath, ['-e', HOLD, file], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return { pid: child.pid!, release: () => child.stdin.write('end') };
  }
  const isKnown = existsSync('/proc/locks');

  test('is reported when it is opened, with the program', async () => {
    await (await place.open()).close();
    const other = await hold();
    const message = expect.stringContaining(isKnown ? `(pid ${other.pid})` : 'locked');
    await expect(place.open()).rejects.toMatchObject({ code: 'STORE_BUSY', message });
    other.release();
  });

  test('is waited for while a crawl writes, longer than five seconds', async () => {
    const store = await place.open();
    expect(store.heldBy()).toBeUndefined();
    const other = await hold();
    store.append(typicalPage(1));
    const writing = store.flush();
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    expect(store.backlog).toBe(1);
    if (isKnown) expect(store.heldBy()).toContain(`(pid ${other.pid})`);
    other.release();
    await writing;
    expect(await store.count()).toBe(1);
    await store.close();
  }, 20_000);

  test('ends the writing after the time that is set', async () => {
    const store = await place.open({ reconnectMs: 0 });
    const other = await hold();
    store.append(typicalPage(1));
    await expect(store.flush()).rejects.toMatchObject({ code: 'STORE_BUSY' });
    other.release();
    await store.close();
  }, 20_000);
});

test('the database of another program stays as it is, byte for byte', async () => {
  const { default: BetterSqlite3 } = await import('better-sqlite3');
  const other = new BetterSqlite3(file);
  other.exec('create table customers (id int)');
  other.close();
  const before = readFileSync(file);
  await expect(place.open()).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a store.url without a database is rejected with an example', async () => {
  for (const url of ['postgres://localhost/x', 'mysql://host', 'mysql://', 'sqlite3', ''])
    await expect(openStore({ ...place.options, url })).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('mysql://'),
    });
});

async function sequencesOf(store: Store): Promise<number[]> {
  const sequences: number[] = [];
  for await (const records of store.read()) sequences.push(...records.map((record) => record.sequence));
  return sequences;
}

test('a query on damaged pages reports the store, not the query', async () => {
  const store = await place.open();
  for (let n = 1; n <= 200; n++) store.append(typicalPage(n));
  await store.flush();
  await store.close();
  const { size } = statSync(file);
  const at = openSync(file, 'r+');
  for (let page = Math.floor(size / 4096 / 2); page * 4096 < size; page++)
    writeSync(at, Buffer.alloc(4096, 0xab), 0, 4096, page * 4096);
  closeSync(at);
  const damaged = await place.open({ readOnly: true });
  const read = async (): Promise<void> => {
    for (const query of ['select * from page_content', 'select * from link', 'select * from url']) {
      const result = await damaged.sql(query, { maxRows: 1e6 });
      for await (const _ of result.rows);
    }
  };
  await expect(read()).rejects.toMatchObject({ code: 'STORE_DAMAGED', message: expect.stringContaining(file) });
  await damaged.close();
});
