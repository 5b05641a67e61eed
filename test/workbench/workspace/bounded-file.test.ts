import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { UnreadableFileError } from '../../../src/core/index.ts';
import { readAtMost } from '../../../src/kit/index.ts';
import { askService } from '../../../src/workbench/find/search-service.ts';
import {
  FILE_LIMITS,
  loadWorkspace,
  readBounded,
  readReviewTable,
  readTextFile,
} from '../../../src/workbench/index.ts';

const dir = mkdtempSync(join(tmpdir(), 'bounded-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Makes a file of this size that takes no room on the disk. */
function sparse(name: string, size: number): string {
  const path = join(dir, name);
  writeFileSync(path, '');
  truncateSync(path, size);
  return path;
}

const HUGE = 50 * 1024 ** 3;

describe('a file of 50 GB', () => {
  it.each([
    ['bingo.yaml', '64 MiB', () => loadWorkspace(dir)],
    ['list.txt', '256 MiB', (path: string) => readTextFile(path)],
    ['review.csv', '20 MiB', (path: string) => readReviewTable(path)],
    [
      'results.json',
      '256 MiB',
      (path: string) => askService({ kind: 'file', path }, 'x', { userAgent: 'x', limit: 1, network: {} as never }),
    ],
  ])('is refused as %s, with its name, its size and the limit', async (name, limit, read) => {
    const path = sparse(name, HUGE);
    const error: unknown = await Promise.resolve()
      .then((): unknown => read(path))
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(UnreadableFileError);
    expect((error as Error).message).toContain(`${path} has 50 GiB; at most ${limit} are read.`);
  });
});

test('a device without an end is read up to the limit', () => {
  expect(readAtMost('/dev/zero', 3_000_000)).toEqual({});
  expect(() => readBounded('/dev/zero', FILE_LIMITS.review)).toThrow('has more than 20 MiB');
});

test('files up to the limit are read whole, also those of unknown size', () => {
  const path = sparse('fits', 2_500_000);
  expect(readAtMost(path, 2_500_000)).toMatchObject({ size: 2_500_000 });
  expect(readAtMost(path, 2_499_999)).toEqual({ size: 2_500_000 });
  expect(readAtMost('/proc/self/status', 1_000_000).bytes?.toString()).toContain('Pid:');
});

test('a pipe is read to its end', () => {
  const pipe = join(dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  execFileSync('sh', ['-c', `head -c 200000 /dev/zero | tr '\\0' x > ${pipe} &`], { stdio: 'ignore' });
  expect(readTextFile(pipe)).toHaveLength(200_000);
});
