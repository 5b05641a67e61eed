import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Piece } from '../../src/kit/index.ts';
import { CheckpointFiles, copyCheckpoint } from '../../src/store/index.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bingo-checkpoints-'));
});
afterEach(() => rm(dir, { recursive: true }));

const PIECES: readonly Piece[] = [
  { kind: 0, bytes: Buffer.from('one') },
  { kind: 4, bytes: new Uint8Array(3_000_000).fill(7) },
  { kind: 2, bytes: new Uint8Array(0) },
  ...Array.from({ length: 50 }, (_, i) => ({ kind: 3, bytes: new Uint8Array(40_000).fill(i) })),
];

async function write(sequence: number, pieces = PIECES, program = '1.0.0'): Promise<void> {
  const draft = await new CheckpointFiles(dir, program).begin();
  for (const piece of pieces) await draft.add(piece);
  await draft.keep({ sequence, record: 'r', ordering: 'bingo', basis: 'b' });
}

async function read(): Promise<Piece[]> {
  const [newest] = await new CheckpointFiles(dir, '1.0.0').list();
  const pieces: Piece[] = [];
  for await (const { kind, bytes } of newest!.read()) pieces.push({ kind, bytes: Uint8Array.from(bytes) });
  return pieces;
}

test('returns the pieces of the newest checkpoint', async () => {
  await write(9, PIECES.slice(0, 1));
  await write(10);
  expect(await read()).toEqual(PIECES.map(({ kind, bytes }) => ({ kind, bytes: Uint8Array.from(bytes) })));
});

test('gives a copy of the store the newest checkpoint, if any', async () => {
  const copy = join(dir, 'copy');
  await mkdir(copy);
  await copyCheckpoint(dir, copy);
  expect(await readdir(copy)).toEqual([]);
  await write(9, PIECES.slice(0, 1));
  await write(10, PIECES.slice(0, 2));
  await copyCheckpoint(dir, copy);
  expect(await readdir(copy)).toEqual(['checkpoint-000000000010']);
  // Checkpoints of the original that follow leave the copy alone.
  await write(11, PIECES.slice(0, 1));
  await write(12, PIECES.slice(0, 1));
  const [kept] = await new CheckpointFiles(copy, '1.0.0').list();
  const kinds: number[] = [];
  for await (const { kind } of kept!.read()) kinds.push(kind);
  expect(kinds).toEqual([0, 4]);
});

test('keeps the two newest checkpoints', async () => {
  for (const sequence of [5, 90, 1200]) await write(sequence, PIECES.slice(0, 1));
  const found = await new CheckpointFiles(dir, '1.0.0').list();
  expect(found.map(({ header }) => header.sequence)).toEqual([1200, 90]);
  expect(await readdir(dir)).toEqual(['checkpoint-000000000090', 'checkpoint-000000001200']);
});

test('frees the space of a dropped checkpoint', async () => {
  const draft = await new CheckpointFiles(dir, '1.0.0').begin();
  for (const piece of PIECES) await draft.add(piece);
  await draft.drop();
  expect(await new CheckpointFiles(dir, '1.0.0').list()).toEqual([]);
  expect((await stat(join(dir, 'checkpoint-draft'))).size).toBe(0);
});

test('ignores checkpoints of another version of the program', async () => {
  await write(10, PIECES, '0.9.0');
  expect(await new CheckpointFiles(dir, '1.0.0').list()).toEqual([]);
});

describe('a checkpoint that is damaged', () => {
  const damaged = async (change: (bytes: Buffer) => Buffer): Promise<void> => {
    await write(10);
    const file = join(dir, 'checkpoint-000000000010');
    await writeFile(file, change(await readFile(file)));
  };

  test.each([4096, 4097, 4101, 4105, 5000, 2_000_000, 3_500_000])('is not read if byte %d is wrong', async (at) => {
    await damaged((bytes) => {
      bytes[at]! ^= 1;
      return bytes;
    });
    await expect(read()).rejects.toThrow(RangeError);
  });

  test('is not read if its end is missing', async () => {
    await damaged((bytes) => bytes.subarray(0, -1));
    await expect(read()).rejects.toThrow(RangeError);
  });

  test('is not listed if its head is missing', async () => {
    await damaged((bytes) => bytes.fill(0, 0, 100));
    expect(await new CheckpointFiles(dir, '1.0.0').list()).toEqual([]);
    await damaged((bytes) => bytes.subarray(0, 50));
    expect(await new CheckpointFiles(dir, '1.0.0').list()).toEqual([]);
  });
});
