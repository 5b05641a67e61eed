import { afterEach, expect, test, vi } from 'vitest';
import { inChunks, writeJsonArray } from '../../src/cli/json-array.ts';
import { capturedIo } from './support/captured-io.ts';

const LINE = `${'x'.repeat(99)}\n`;

/** Yields lines at an interval of `ms`. */
async function* lines(count: number, ms: number): AsyncGenerator<string> {
  let at = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => at);
  for (let i = 0; i < count; i++) {
    at += ms;
    yield LINE;
  }
}

async function chunksOf(count: number, ms: number): Promise<readonly number[]> {
  const sizes: number[] = [];
  for await (const chunk of inChunks(lines(count, ms))) sizes.push(chunk.length);
  return sizes;
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('joins short texts, except the first one, which is written at once', async () => {
  expect(await chunksOf(1_500, 0)).toEqual([100, 65_600, 65_600, 18_700]);
  expect(await chunksOf(1, 0)).toEqual([100]);
  expect(await chunksOf(0, 0)).toEqual([]);
});

test('does not delay texts that arrive slowly', async () => {
  expect(await chunksOf(5, 1_000)).toEqual([100, 100, 100, 100, 100]);
  expect(await chunksOf(6, 100)).toEqual([100, 200, 200, 100]);
});

test('writes an array of many items in few pieces', async () => {
  let written = 0;
  const { io, out } = capturedIo();
  const counting = {
    ...io,
    out: (text: string) => {
      written++;
      return io.out(text);
    },
  };
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const items = Array.from({ length: 5_000 }, (_, i) => ({ i }));
  await writeJsonArray(counting, items);
  expect(JSON.parse(out())).toEqual(items);
  expect(written).toBeLessThan(5);
});
