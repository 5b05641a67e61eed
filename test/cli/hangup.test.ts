import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FrozenWeb, NO_FAULTS, serveFrozenWeb } from '../../src/lab/index.ts';
import { openStore } from '../../src/store/index.ts';
import { kitchenPage, railPage, writeTwoTopics } from '../lab/support/two-topics.ts';
import { runBingo, startBingo } from './support/bingo-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'bingo-hangup-'));
let server: Awaited<ReturnType<typeof serveFrozenWeb>>;

beforeAll(async () => {
  writeTwoTopics(folder);
  const web = await FrozenWeb.open(join(folder, 'two.warc.gz'));
  server = await serveFrozenWeb({ web, port: 0, faults: { ...NO_FAULTS, latencyMs: 500 } });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!existsSync(join(import.meta.dirname, '../../dist/main.js')))('a terminal that is closed', () => {
  test('lets the crawl finish open requests and save, however often it is sent', async () => {
    const dir = join(folder, 'w');
    writeFileSync(join(folder, 'others.txt'), [0, 1, 2, 3, 4, 5].map(kitchenPage).join('\n'));
    const seeds = [0, 1, 2].flatMap((i) => ['--seed', railPage(i)]);
    const sets = ['network.delayMs=0', 'store.flushMs=60000', 'store.batch=10000'].flatMap((set) => ['--set', set]);
    const rest = ['--others', join(folder, 'others.txt'), ...sets];
    runBingo(['init', dir, '--topic', 'railways', ...seeds, ...rest]);
    const proxy = `http://127.0.0.1:${server.port}`;
    const run = startBingo(['crawl', dir, '--budget', '1000', '--learn', '5', '--proxy', proxy, '--json']);
    await run.reported('phase', 2);

    run.child.kill('SIGHUP');
    await sleep(20);
    run.child.kill('SIGHUP');
    const { code, lines } = await run.ended;

    const summary = lines.at(-1);
    expect([code, summary]).toMatchObject([130, { kind: 'summary', reason: 'stopped' }]);
    const store = await openStore({ url: 'sqlite', workspace: dir, batch: 100, flushMs: 100, readOnly: true });
    expect((await store.status()).fetched).toBe(summary?.pages);
    await store.close();
  });
});
