import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeNamedFile } from '../../../src/workbench/index.ts';

const dir = mkdtempSync(join(tmpdir(), 'out-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('a file to write never replaces a checkpoint of a workspace', async () => {
  writeFileSync(join(dir, 'bingo.yaml'), '');
  const checkpoint = join(dir, 'checkpoint-000000000012');
  writeFileSync(checkpoint, 'state');
  await expect(writeNamedFile(checkpoint, ['x'])).rejects.toThrow('is a file of the workspace');
  expect(readFileSync(checkpoint, 'utf8')).toBe('state');
  await writeNamedFile(join(dir, 'checkpoints.csv'), ['x']);
  expect(existsSync(join(dir, 'checkpoints.csv'))).toBe(true);
});
