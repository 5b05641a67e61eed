import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { openWorkspace } from '../../src/workbench/index.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { startBingo } from './support/bingo-process.ts';
import { run } from './support/captured-io.ts';

const KILLS = 8;

let web: Awaited<ReturnType<typeof startBikeWeb>>;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
  dir = join(mkdtempSync(join(tmpdir(), 'bingo-kill-adapt-')), 'bikes');
  mkdirSync(dir);
  // Slow enough that most kills happen during the crawls.
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web).replace('delayMs: 0', 'delayMs: 80'));
});
afterAll(async () => {
  await web.close();
  rmSync(join(dir, '..'), { recursive: true });
});

it('leaves the old or the new collection whole, whenever it is killed', async () => {
  await run(['crawl', dir, '--budget', '6', '--learn', '2']);
  const list = join(dir, '..', 'wishes.txt');
  writeFileSync(list, 'oven bread\nbicycle saddle\nplanet telescope\n');
  const words = ['adapt', dir, '--queries', list, '--pages', '15', '--json'];
  await using workspace = await openWorkspace(dir, { env: {} });
  const random = seededRandom(7);
  const old = await urls(workspace);
  for (let kill = 0; kill < KILLS; kill++) {
    const started = startBingo(words);
    setTimeout(() => started.child.kill('SIGKILL'), 300 + random() * 2_000);
    const { code } = await started.ended;
    if (code === 0) break;
    expect(await urls(workspace)).toEqual(old);
    expect((await workspace.search('bicycle')).matches).toBeGreaterThan(0);
  }
  const { code, lines, err } = await startBingo(words).ended;
  expect(code, err).toBe(0);
  expect(lines[0]).toMatchObject({ isReplaced: true });
  expect(await urls(workspace)).not.toEqual(old);
  expect((await workspace.search('oven')).matches).toBeGreaterThan(0);
  expect((await run(['check', dir])).code).toBe(0);
});

async function urls(workspace: Awaited<ReturnType<typeof openWorkspace>>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { url } of workspace.pages()) found.push(url);
  return found;
}
