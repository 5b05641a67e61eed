import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ReadableCopies } from '../../src/store/sqlite/readable-copy.ts';

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return { ...real, copyFileSync: vi.fn(real.copyFileSync) };
});

describe('the copy of a store made during writes', () => {
  const copied = vi.mocked(copyFileSync);
  const copy = copied.getMockImplementation()!;
  let folder: string;
  let file: string;
  let writer: BetterSqlite3.Database;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bingo-copied-'));
    vi.stubEnv('TMPDIR', folder);
    file = join(folder, 'store.db');
    writer = new BetterSqlite3(file);
    writer.pragma('journal_mode = wal');
    writer.exec('create table t (n integer, text text)');
    writer.pragma('wal_checkpoint(truncate)');
    write();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    copied.mockImplementation(copy);
    writer.close();
    rmSync(folder, { recursive: true });
  });

  const write = (): void => {
    const insert = writer.prepare('insert into t values (?, ?)');
    for (let n = 0; n < 100; n++) insert.run(n, 'text '.repeat(100));
  };

  /** Runs `work` after the file is copied and before its log is. */
  const onCopied = (times: number, work: () => void): void => {
    let left = times;
    copied.mockImplementation((from, ...rest) => {
      copy(from, ...rest);
      if (from === file && left-- > 0) work();
    });
  };

  const rowsOf = (made: string): unknown[] => {
    const db = new BetterSqlite3(made);
    try {
      return [db.pragma('integrity_check', { simple: true }), db.prepare('select count(*) from t').pluck().get()];
    } finally {
      db.close();
    }
  };

  test('is made again if the log was restarted or removed', () => {
    onCopied(2, () => {
      writer.pragma('wal_checkpoint(truncate)');
      write();
    });
    expect(rowsOf(new ReadableCopies().of(file))).toEqual(['ok', 300]);
    onCopied(1, () => writer.close());
    expect(rowsOf(new ReadableCopies().of(file))).toEqual(['ok', 300]);
  });

  test('is complete if the log only grew, or was merged into the file', () => {
    onCopied(1, () => {
      write();
      writer.pragma('wal_checkpoint(passive)');
    });
    expect(rowsOf(new ReadableCopies().of(file))).toEqual(['ok', 200]);
    expect(copied.mock.calls.filter(([from]) => from === file)).toHaveLength(1);
  });

  test('fails with advice if the writing does not end', () => {
    onCopied(Number.POSITIVE_INFINITY, () => {
      writer.pragma('wal_checkpoint(truncate)');
      write();
    });
    expect(() => new ReadableCopies().of(file)).toThrow(expect.objectContaining({ code: 'STORE_BUSY' }));
  });
});
