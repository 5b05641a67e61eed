import { safeJson } from '../kit/index.ts';
import type { Io } from './command.ts';

/** Writes a JSON array with one item per line, as the items arrive. */
export async function writeJsonArray(io: Io, items: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
  for await (const text of inChunks(jsonArray(items))) await io.out(text);
}

async function* jsonArray(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const item of items) {
    yield `${separator}${safeJson(item)}`;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

const CHUNK_CHARS = 65_536;
/** Maximum delay of slow items. */
const CHUNK_MS = 200;

/** Joins short texts, because single writes are slow. The first text, and any after a pause, is written at once. */
export async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  let wroteAt = Number.NEGATIVE_INFINITY;
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARS && performance.now() - wroteAt < CHUNK_MS) continue;
    yield chunk;
    chunk = '';
    wroteAt = performance.now();
  }
  if (chunk !== '') yield chunk;
}
