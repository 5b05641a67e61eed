import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FileWindow } from '../../src/warc/file-window.ts';

const MB = 2 ** 20;
let dir = '';
let file: FileHandle;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-window-'));
  writeFileSync(join(dir, 'file'), Buffer.alloc(20 * MB, 'abc'));
});
afterEach(() => file.close());
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Returns the size of the window in MiB after these requests. */
async function grown(...needed: readonly (number | undefined)[]): Promise<number> {
  file = await open(join(dir, 'file'));
  const window = new FileWindow(file);
  for (const bytes of needed) await window.grow(bytes);
  return window.bytes.length / MB;
}

test('doubles its contents, so that little is copied repeatedly', async () => {
  expect(await grown(undefined, undefined, undefined)).toBe(16);
});

test('reads a large record at once, and no more than the record', async () => {
  expect(await grown(undefined, 17 * MB)).toBe(17);
});

test('allocates no memory beyond the size of the file', async () => {
  expect(await grown(undefined, 500 * MB)).toBe(20);
});
