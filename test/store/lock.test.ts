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

  test('rejects another process and names the owner; it is free once the owner is killed', async () => {
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

  test('rejects the same process, too', () => {
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

  test('ignores a pid file without a running owner', () => {
    writeFileSync(join(folder, 'lock.pid'), '1\n');
    lockWorkspace(folder).release();
  });

  test('reports a damaged lock, not damaged pages, and can be locked without that file', () => {
    const file = join(folder, 'lock.db');
    writeFileSync(file, 'no database'.repeat(1000));
    expect(caught(() => lockWorkspace(folder))).toMatchObject({
      code: 'LOCK_DAMAGED',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('It holds no data'),
    });
    rmSync(file);
    lockWorkspace(folder).release();
  });

  test('is created if its folder does not exist', () => {
    const lock = lockWorkspace(join(folder, 'new', 'workspace'));
    lock.release();
  });

  test('reports a folder that is not writable', () => {
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
