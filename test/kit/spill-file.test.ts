import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { SpillFile } from '../../src/kit/index.ts';

const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('bingo-'));
const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

test('returns what was written, and leaves nothing on the disk', () => {
  const before = new Set(folders());
  const file = new SpillFile<string>(1000);
  file.set('a', bytes(300, 1));
  file.set('b', bytes(300, 2));
  expect(folders().filter((name) => !before.has(name))).toEqual([]);
  expect(file.get('a')).toEqual(Buffer.from(bytes(300, 1)));
  expect(file.get('b')).toEqual(Buffer.from(bytes(300, 2)));
  expect(file.get('c')).toBeUndefined();
  file.close();
  expect(file.has('a')).toBe(false);
});

test('never grows beyond its limit: earlier strings are dropped', () => {
  const file = new SpillFile<string>(1000);
  for (const key of ['a', 'b', 'c', 'd']) file.set(key, bytes(400, key.charCodeAt(0)));
  expect(['a', 'b', 'c', 'd'].filter((key) => file.has(key))).toEqual(['c', 'd']);
  expect(file.get('d')).toEqual(Buffer.from(bytes(400, 100)));
  file.set('huge', bytes(1001, 1));
  expect(file.has('huge')).toBe(false);
  file.close();
});
