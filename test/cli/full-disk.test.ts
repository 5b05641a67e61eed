import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { openSession } from '../../src/workbench/crawl/session.ts';
import { loadWorkspace } from '../../src/workbench/workspace/workspace.ts';
import { runBingo, startBingo } from './support/bingo-process.ts';
import { type FaultyWeb, faultyPage, startFaultyWeb } from './support/faulty-web.ts';

const folder = mkdtempSync(join(tmpdir(), 'bingo-full-disk-'));
const disk = join(folder, 'disk');
let web: FaultyWeb;

beforeAll(async () => {
  web = await startFaultyWeb({ timeouts: 0, errors: 0.05, redirects: 0.1 });
});
afterAll(async () => {
  for (const mounted of [disk, join(folder, 'small')]) spawnSync('umount', [mounted]);
  await web.close();
  rmSync(folder, { recursive: true, force: true });
});

function workspace(dir: string): string {
  const seeds = [0, 2, 4].flatMap((n) => ['--seed', faultyPage(n)]);
  const sets = ['network.delayMs=0', 'network.backoffMs=20', 'store.batch=5', 'store.flushMs=20'];
  const others = join(folder, 'others.txt');
  // More than ten pages, on the sites of the seeds. Otherwise OTHERS could be left out.
  writeFileSync(others, [5, 7, 9, 15, 17, 19, 25, 27, 29, 35, 37, 39].map(faultyPage).join('\n'));
  const rest = ['--others', others, ...sets.flatMap((set) => ['--set', set])];
  runBingo(['init', dir, '--topic', 'railways', ...seeds, ...rest]);
  return dir;
}

/** Returns the URLs of the stored pages, and checks that each is stored once. */
async function storedPages(dir: string): Promise<string[]> {
  const store = await openStore({ url: 'sqlite', workspace: dir, batch: 100, flushMs: 100, readOnly: true });
  const urls: string[] = [];
  for await (const row of store.exportPages()) urls.push(row.finalUrl);
  await store.close();
  expect(new Set(urls).size).toBe(urls.length);
  return urls;
}

const CRAWL = ['--learn', '5', '--json', '--plain'];

describe.skipIf(!existsSync(join(import.meta.dirname, '../../dist/main.js')))('a disk that is full', () => {
  test('ends the crawl with a remedy; with free space the crawl continues', async () => {
    const dir = workspace(join(folder, 'limited'));
    const { config, tree } = loadWorkspace(dir, {
      flags: new Map([
        ['network.proxy', web.proxy],
        ['crawl.learn', '5'],
      ]),
      env: {},
    });
    const store = await openStore({ url: 'sqlite', workspace: dir, batch: 5, flushMs: 20, maxBytes: 900_000 });
    let stored = 0;
    const reported = new Map<number, string>();
    const onEvent: Parameters<typeof openSession>[0]['onEvent'] = (event) => {
      if (event.kind === 'stored') stored = event.sequence;
      if (event.kind === 'page') reported.set(event.record.sequence, event.record.finalUrl);
    };
    await store.saveTopics(tree);
    const session = await openSession({ dir, tree, config, journal: store, onEvent });
    await expect(session.crawl.run()).rejects.toMatchObject({ code: 'STORE_FULL' });
    await session.close();
    await store.close();

    const kept = [...reported].filter(([sequence]) => sequence <= stored).map(([, url]) => url);
    expect(kept.length).toBeGreaterThan(5);
    expect(await storedPages(dir)).toEqual(expect.arrayContaining(kept));
    const run = startBingo(['crawl', dir, '--budget', String(kept.length + 30), '--proxy', web.proxy, ...CRAWL]);
    const { code, err, lines } = await run.ended;
    expect(code, err).toBe(0);
    // The first model may accept nearly everything, which is reported. The disk is not mentioned.
    const notes = ['network.backoffMs', 'store.batch', 'store.flushMs'].map((key) => `${key} is retired [^\n]*\n`);
    const told = /(Nearly every page looks like the examples[^\n]*\n)?(\nStored pages were judged again[^\n]*\n)?$/;
    expect(err).toMatch(new RegExp(`^${notes.join('')}${told.source}`));
    expect(lines.at(-1)).toMatchObject({ kind: 'summary', reason: 'budget' });
    expect(await storedPages(dir)).toEqual(expect.arrayContaining(kept));
  });

  test('on a small file system ends the crawl, which continues once it is larger', async ({ skip }) => {
    mkdirSync(disk);
    // Only a privileged user can mount. Otherwise the test above must suffice.
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1500k', 'tmpfs', disk]).status !== 0) skip('cannot mount');
    const dir = workspace(join(disk, 'w'));
    const crawl = ['crawl', dir, '--proxy', web.proxy, '--warc', join(disk, 'w.warc.gz'), ...CRAWL];
    const full = await startBingo([...crawl, '--budget', '100000']).ended;
    expect(full.code).toBe(1);
    expect(full.err).toMatch(/disk is full|no space left/i);
    const reported = full.lines.filter(({ kind }) => kind === 'page').map(({ finalUrl }) => String(finalUrl));

    expect(spawnSync('mount', ['-o', 'remount,size=64m', disk]).status).toBe(0);
    const on = await startBingo([...crawl, '--budget', String(reported.length + 30)]).ended;
    expect(on.code, on.err).toBe(0);
    expect(await storedPages(dir)).toEqual(expect.arrayContaining(reported));
  });

  test('leaves no partial workspace that blocks the next attempt', async ({ skip }) => {
    const small = join(folder, 'small');
    mkdirSync(small);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=20k', 'tmpfs', small]).status !== 0) skip('cannot mount');
    const dir = join(small, 'w');
    const init = (...more: string[]): string[] => [
      'init',
      dir,
      '--topic',
      'railways',
      '--seed',
      faultyPage(0),
      ...more,
    ];
    const filler = join(small, 'filler');
    writeFileSync(filler, Buffer.alloc(20_000));
    expect((await startBingo(init()).ended).code).toBe(1);
    expect(existsSync(dir)).toBe(false);

    rmSync(filler);
    expect(await startBingo(init()).ended).toMatchObject({ code: 0 });
    const made = readFileSync(join(dir, 'bingo.yaml'), 'utf8');
    writeFileSync(filler, Buffer.alloc(16_000));
    expect((await startBingo(init('--seed', faultyPage(2), '--force')).ended).code).toBe(1);
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toBe(made);
  });
});
