import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Piece } from '../../src/kit/index.ts';
import { type Checkpoints, deleteCheckpointCopy, openCheckpoints } from '../../src/store/index.ts';
import { mysql, type Place } from '../contracts/store-databases.ts';

const HEADER = { record: 'r', ordering: 'bingo', basis: 'b' } as const;
/** More than a row holds. */
const LARGE = Buffer.from(Array.from({ length: 2_500_000 }, (_, i) => (i * i) % 251));

describe.skipIf(mysql.missing !== undefined)('checkpoints of a crawl on a server', () => {
  let place: Place;
  let root: string;
  beforeEach(async () => {
    place = await mysql.place();
    await (await place.open()).close();
    root = await mkdtemp(join(tmpdir(), 'bingo-copies-'));
  });
  afterEach(async () => {
    await rm(root, { recursive: true });
    await place.drop();
  });

  /** The checkpoints of one machine: a folder of its own, and the server that all reach. */
  const machine = async (): Promise<{ readonly dir: string; readonly checkpoints: Checkpoints }> => {
    const dir = await mkdtemp(join(root, 'machine-'));
    return { dir, checkpoints: await openCheckpoints(place.options, dir, '1.0.0') };
  };
  const write = async ({ checkpoints }: { readonly checkpoints: Checkpoints }, sequence: number, bytes: Uint8Array) => {
    const draft = await checkpoints.begin();
    await draft.add({ kind: 1, bytes });
    await draft.keep({ ...HEADER, sequence });
  };
  const read = async ({ checkpoints }: { readonly checkpoints: Checkpoints }): Promise<readonly [number, Piece]> => {
    const [newest] = await checkpoints.list();
    for await (const { kind, bytes } of newest!.read())
      return [newest!.header.sequence, { kind, bytes: Buffer.from(bytes) }];
    throw new Error('The checkpoint has no pieces');
  };

  test('reach a machine that never crawled it, the newest one only', async () => {
    const [first, second] = [await machine(), await machine()];
    await write(first, 7, Buffer.from('old'));
    await write(first, 20, LARGE);
    expect(await read(second)).toEqual([20, { kind: 1, bytes: LARGE }]);
    expect(await readdir(second.dir)).toEqual(['checkpoint-000000000020']);
  });

  test('of this machine are used if they are newer, and if the server lost a part of the copy', async () => {
    const [first, second] = [await machine(), await machine()];
    await write(first, 20, Buffer.from('first'));
    await write(second, 30, LARGE);
    await place.tamper('delete from checkpoint_copy where part = 1');
    expect(await read(first)).toEqual([20, { kind: 1, bytes: Buffer.from('first') }]);
    expect(await read(second)).toEqual([30, { kind: 1, bytes: LARGE }]);
  });

  test('with a damaged copy are ignored', async () => {
    const [first, second] = [await machine(), await machine()];
    await write(first, 20, LARGE);
    await place.tamper("update checkpoint_copy set data = 'damaged' where part = 0");
    expect(await second.checkpoints.list()).toEqual([]);
    expect(await readdir(second.dir)).toEqual([]);
  });

  test('leave nothing on the server once only one machine continues the crawl', async () => {
    const first = await machine();
    await write(first, 20, LARGE);
    await deleteCheckpointCopy(place.options);
    expect(await (await machine()).checkpoints.list()).toEqual([]);
  });
});
