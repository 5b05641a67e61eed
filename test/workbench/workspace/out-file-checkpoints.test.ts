import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeNamedFile } from '../../../src/workbench/index.ts';

const dir = mkdtempSync(join(tmpdir(), 'out-'));
afterAll(() => rmSync(dir, { recursive: true }));

test.each(['checkpoint-000000000012', 'topics.json'])(
  'a file to write never replaces the workspace file %s',
  async (name) => {
    writeFileSync(join(dir, 'bingo.yaml'), '');
    const file = join(dir, name);
    writeFileSync(file, 'state');
    await expect(writeNamedFile(file, ['x'])).rejects.toThrow('is a file of the workspace');
    expect(readFileSync(file, 'utf8')).toBe('state');
  },
);

test('a file to write may have a name like a checkpoint', async () => {
  await writeNamedFile(join(dir, 'checkpoints.csv'), ['x']);
  expect(existsSync(join(dir, 'checkpoints.csv'))).toBe(true);
});
