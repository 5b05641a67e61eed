import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, MAX_SHARDS, UsageError } from '../../core/index.ts';
import { readAtMost } from '../../kit/index.ts';
import { quoted } from '../words/shell-words.ts';
import { replaceFile } from './replace-file.ts';

/** The file beside bingo.yaml that says how a crawl is spread. While it exists, the workspace's own store is only read. */
const SPREAD_FILE = 'spread.json';
const MAX_BYTES = 10_000;
/** Folder of the shards' stores. */
export const SHARDS_FOLDER = 'shards';

/** How a crawl is spread. */
export interface Spread {
  /** Number of shards. */
  readonly shards: number;
  /** Sequence of the last record before the crawl was spread. The shards share the records up to it. */
  readonly at: number;
  /** Pages fetched until then that count against the budget. */
  readonly fetched: number;
}

/** Returns how a crawl is spread; `undefined` if it is not. */
export function readSpread(dir: string): Spread | undefined {
  const file = join(dir, SPREAD_FILE);
  if (!existsSync(file)) return undefined;
  const { shards, at, fetched } = JSON.parse(textOf(file)) as Spread;
  const isWhole = [shards, at, fetched].every((n) => Number.isSafeInteger(n) && n >= 0);
  if (!isWhole || shards < 1 || shards > MAX_SHARDS)
    throw new UsageError(`${file} does not say how the crawl is spread.`, 'Restore a copy of the file.');
  return { shards, at, fetched };
}

function textOf(file: string): string {
  return readAtMost(file, MAX_BYTES).bytes?.toString('utf8') ?? '';
}

export function writeSpread(dir: string, spread: Spread): void {
  replaceFile(join(dir, SPREAD_FILE), `${JSON.stringify(spread)}\n`);
}

export function removeSpread(dir: string): void {
  rmSync(join(dir, SPREAD_FILE), { force: true });
}

/** Returns the folder of a shard: its store, its lock, its checkpoints. */
export function shardFolder(dir: string, shard: number): string {
  return join(dir, SHARDS_FOLDER, String(shard));
}

/**
 * Checks that all shards together keep the limit of requests at a time to one address: each has a part of it.
 * @throws UsageError if the limit is less than the number of shards
 */
export function checkAddressLimit(shards: number, { perAddress }: Config['network']): void {
  if (perAddress === 0 || shards <= perAddress) return;
  throw new UsageError(
    `At most ${perAddress} shards can keep to ${perAddress} requests at a time to one address, not ${shards}.`,
    `Use ${perAddress} shards, or set network.perDomain to ${Math.ceil(shards / 2)}: an address gets twice as many.`,
  );
}

/** @throws UsageError if the crawl is not spread */
export function requireSpread(dir: string): Spread {
  const spread = readSpread(dir);
  if (spread === undefined)
    throw new UsageError(`The crawl of ${dir} is not spread.`, `First: bingo spread ${quoted(dir)} --shards 4`);
  return spread;
}
