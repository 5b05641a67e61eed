import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkspaceLockedError } from '../../src/core/index.ts';
import { lockWorkspace } from '../../src/store/index.ts';

const CHILD = fileURLToPath(new URL('lock-child.ts', import.meta.url));

describe('a locked workspace', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bingo-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is refused to another process, which is told whose it is; it is free once the holder was killed', async () => {
    const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      const error = caught(() => lockWorkspace(folder));
      expect(error).toBeInstanceOf(WorkspaceLockedError);
      expect(error).toMatchObject({ pid: child.pid, message: expect.stringContaining(`pid ${child.pid}`) });
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    lockWorkspace(folder).release();
  });

  test('is refused to the same process, too', () => {
    const lock = lockWorkspace(folder);
    expect(caught(() => lockWorkspace(folder))).toMatchObject({ pid: process.pid });
    lock.release();
  });

  test('can be locked again after its release, which may be repeated', () => {
    const lock = lockWorkspace(folder);
    lock.release();
    lock.release();
    lockWorkspace(folder).release();
    expect(existsSync(join(folder, 'lock.pid'))).toBe(false);
  });

  test('does not trust a pid file that nobody holds', () => {
    writeFileSync(join(folder, 'lock.pid'), '1\n');
    lockWorkspace(folder).release();
  });

  test('says that its lock is damaged, and not its pages, and is locked again without that file', () => {
    const file = join(folder, 'lock.db');
    writeFileSync(file, 'no database'.repeat(1000));
    expect(caught(() => lockWorkspace(folder))).toMatchObject({
      code: 'LOCK_DAMAGED',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('nothing is kept in it'),
    });
    rmSync(file);
    lockWorkspace(folder).release();
  });

  test('is made when its folder does not exist', () => {
    const lock = lockWorkspace(join(folder, 'new', 'workspace'));
    lock.release();
  });

  test('says so when the folder cannot be written', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(caught(() => lockWorkspace(join(folder, 'file')))).toMatchObject({ code: 'STORE_UNWRITABLE' });
  });
});

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
