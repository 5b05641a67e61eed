import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestSteer } from '../../src/store/index.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let dir: string;

async function ask(query: string): Promise<Record<string, unknown>[]> {
  const { out } = await run(['sql', dir, '--json', query]);
  return JSON.parse(out || '[]');
}

/** Asks until there is an answer. */
async function answerTo(query: string): Promise<Record<string, unknown>> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(100)) {
    const [row] = await ask(query).catch(() => []);
    if (row !== undefined) return row;
  }
  throw new Error(`Expected an answer to ${query}`);
}

beforeAll(async () => {
  web = await startBikeWeb();
  dir = mkdtempSync(join(tmpdir(), 'bingo-mark-live-'));
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
});

afterAll(async () => {
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a crawl that runs learns from a mark at once, and judges its stored pages again when it ends', async () => {
  let isOver = false;
  const crawl = run(['crawl', dir, '--budget', '30', '--learn', '4', '--plain', '--set', 'network.delayMs=300ms']);
  void crawl.finally(() => {
    isOver = true;
  });
  const accepted = `select final_url from page where role = 'crawled' and others = 0 and topic = 'cycling' limit 1`;
  const url = String((await answerTo(accepted)).final_url);
  // However long marking takes here, the crawl does not end before it.
  const place = { url: 'sqlite', workspace: dir, batch: 1, flushMs: 1 };
  await requestSteer(place, { kind: 'pause' });
  await answerTo(`select id from live_status where status like '%"paused":true%'`);
  const marked = await run(['mark', dir, '--bad', url]);
  expect(marked.code, marked.err).toBe(0);
  expect(isOver).toBe(false);
  expect(marked.err).toContain('The running crawl has learned from it');
  expect(marked.out).toContain('would go to another topic');
  await requestSteer(place, { kind: 'resume' });
  const { code, err } = await crawl;
  expect(code).toBe(0);
  expect(err).toContain('Stored pages were judged again, as other pages are learned from, or in another way');
  const [page] = await ask(`select others from page where final_url = '${url}'`);
  expect(page).toEqual({ others: 1 });
  expect(
    (await ask('select command from steer order by sequence')).map((row) => JSON.parse(String(row.command)).kind),
  ).toEqual(['judge-page', 'reclassified']);
}, 60_000);
