import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeNamedFile, writeOutFile } from '../../../src/workbench/workspace/out-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'bingo-out-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a file that cannot be written completely keeps its old content, without leftovers', async () => {
  const file = join(folder, 'pages.csv');
  writeFileSync(file, 'old');
  async function* cutOff(): AsyncGenerator<string> {
    yield 'new '.repeat(100_000);
    throw new Error('the database went away');
  }
  await expect(writeOutFile(file, cutOff())).rejects.toThrow('went away');
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['pages.csv']);
});

test('a file that cannot be written at all leaves nothing behind', async () => {
  const place = mkdtempSync(join(folder, 'nothing-'));
  // biome-ignore lint/correctness/useYield: it ends before the first text
  async function* lost(): AsyncGenerator<string> {
    throw new Error('the database went away');
  }
  for (let n = 0; n < 10; n++) await expect(writeOutFile(join(place, `${n}.csv`), lost())).rejects.toThrow('went away');
  // What was about to be opened is open by now.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(readdirSync(place)).toEqual([]);
});

test('a full device is named', async () => {
  await expect(writeOutFile('/dev/full', ['text'])).rejects.toThrow(
    "ENOSPC: no space left on device, write '/dev/full'",
  );
});

test('a missing folder is reported by the given name', async () => {
  const file = join(folder, 'nowhere', 'pages.csv');
  await expect(writeOutFile(file, ['text'])).rejects.toThrow(`ENOENT: no such file or directory, open '${file}'`);
});

test('an export never overwrites a file of a workspace', async () => {
  const workspace = mkdtempSync(join(folder, 'workspace-'));
  const file = join(workspace, 'bingo.yaml');
  writeFileSync(file, 'topics: []');
  await expect(writeNamedFile(file, ['text'])).rejects.toThrow('is a file of the workspace');
  await expect(writeNamedFile(join(workspace, 'store.db'), ['text'])).rejects.toThrow('is a file of the workspace');
  await writeNamedFile(join(workspace, 'pages.csv'), ['text']);
  await writeNamedFile(join(folder, 'store.db'), ['text']);
  expect(readFileSync(file, 'utf8')).toBe('topics: []');
  expect(readdirSync(workspace).toSorted()).toEqual(['bingo.yaml', 'pages.csv']);
});

test('a folder and an empty name are rejected', async () => {
  await expect(writeNamedFile(folder, ['text'])).rejects.toThrow(`${folder} is a folder; a file is needed.`);
  await expect(writeNamedFile('', ['text'])).rejects.toThrow('The file to write has no name.');
});
