import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockWorkspace, openStore, requestSteer, type Store } from '../../src/store/index.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: BikeWeb;
let dir: string;

async function ask(query: string): Promise<Record<string, unknown>[]> {
  const { out } = await run(['sql', dir, '--json', query]);
  return JSON.parse(out || '[]');
}

/** Repeats a query until it has an answer. */
async function answerTo(query: string): Promise<Record<string, unknown>> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const [row] = await ask(query).catch(() => []);
    if (row !== undefined) return row;
  }
  throw new Error(`Expected an answer to ${query}`);
}

/** Reports once a second that a crawl harvests, like a running crawl, until the returned function is called. */
async function harvesting(store: Store): Promise<() => void> {
  const { status } = (await store.published())!;
  const tell = (): Promise<void> => store.publish({ ...status, phase: 'harvesting' });
  await tell();
  const timer = setInterval(tell, 1000);
  return () => clearInterval(timer);
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

test('a running crawl learns from a mark at once, and judges its stored pages at its end', async () => {
  let isOver = false;
  const goOn = web.hold(18);
  const crawl = run(['crawl', dir, '--budget', '30', '--learn', '4', '--plain']);
  void crawl.finally(() => {
    isOver = true;
  });
  const accepted = `select final_url from page where role = 'crawled' and others = 0 and topic = 'cycling' limit 1`;
  const url = String((await answerTo(accepted)).final_url);
  // The crawl does not end before the mark is applied, however long that takes.
  const place = { url: 'sqlite', workspace: dir, batch: 1, flushMs: 1 };
  await requestSteer(place, { kind: 'pause' });
  await answerTo(`select id from live_status where status like '%"paused":true%'`);
  goOn();
  const marked = await run(['mark', dir, '--bad', url]);
  expect(marked.code, marked.err).toBe(0);
  expect(isOver).toBe(false);
  expect(marked.err).toContain('The running crawl has learned from it');
  expect(marked.out).toContain('would go to another topic');
  await requestSteer(place, { kind: 'resume' });
  const { code, err } = await crawl;
  expect(code).toBe(0);
  expect(err).toContain('Stored pages were judged again by what was learned since');
  const [page] = await ask(`select others from page where final_url = '${url}'`);
  expect(page).toEqual({ others: 1 });
  expect(
    (await ask('select command from steer order by sequence')).map((row) => JSON.parse(String(row.command)).kind),
  ).toEqual(['judge-page', 'reclassified']);
});

test('the mark command applies once what an ending crawl does not accept', async () => {
  const accepted = `select final_url from page where role = 'crawled' and others = 0 and topic = 'cycling' limit 1`;
  const url = String((await answerTo(accepted)).final_url);
  const lock = lockWorkspace(dir);
  const ending = await openStore({ url: 'sqlite', workspace: dir, batch: 1, flushMs: 1 });
  const { status } = (await ending.published())!;
  const stop = await harvesting(ending);
  const told: string[] = [];
  const marking = run(['mark', dir, '--bad', url], { err: (text) => told.push(text) });
  await answerTo('select id from steer_request');
  stop();
  await ending.publish({ ...status, phase: 'done' });
  await expect
    .poll(() => told.join(''))
    .toContain('The crawl has ended meanwhile: this command applies the decisions.\n');
  await ending.close();
  lock.release();
  expect((await marking).code, told.join('')).toBe(0);
  expect(told.join('')).toContain('\nNext: bingo search');
  expect(await ask('select id from steer_request')).toEqual([]);
  expect(await ask(`select others from page where final_url = '${url}'`)).toEqual([{ others: 1 }]);
  const taken = await ask(`select count(*) as n from steer where command like '%judge-page%${url}"%'`);
  expect(taken).toEqual([{ n: 1 }]);
});

test('a mark waits briefly for a process that holds the workspace and takes no requests', async () => {
  // After two marks the model may accept no crawled page.
  const [page] = await ask(`select final_url from page where role = 'crawled' order by others, sequence desc limit 1`);
  const lock = lockWorkspace(dir);
  setTimeout(() => lock.release(), 2500);
  const { code, err } = await run(['mark', dir, '--bad', String(page!.final_url)]);
  expect(code, err).toBe(0);
  expect(err).toContain('Next: bingo search');
});

test('a mark waits for a crawl that judges its pages, and shows its progress', async () => {
  const [page] = await ask(`select final_url from page where role = 'crawled' order by others, sequence limit 1`);
  const lock = lockWorkspace(dir);
  const ended = await openStore({ url: 'sqlite', workspace: dir, batch: 1, flushMs: 1 });
  await ended.publish({ ...(await ended.published())!.status, phase: 'done', judged: { pages: 7, of: 9 } });
  let waiting = '';
  const err = (text: string): void => {
    if (!text.startsWith('Waiting for')) return;
    waiting = text;
    lock.release();
  };
  const { code } = await run(['mark', dir, '--bad', String(page!.final_url)], { err });
  expect(code).toBe(0);
  expect(waiting).toBe('Waiting for the crawl, which has ended and judges its pages again: 7 of 9\n');
  await ended.close();
});

test('a running crawl is sent its own topic names, and no topics that it does not know', async () => {
  const file = join(dir, 'bingo.yaml');
  const yaml = readFileSync(file, 'utf8');
  const star = `${web.origin('stars.test')}/1`;
  expect((await run(['topic', 'rename', dir, 'cycling', 'velo'])).code).toBe(0);
  const edited = readFileSync(file, 'utf8')
    .replace(`${star}, `, '')
    .replace('others:', `  - name: stars\n    examples: ["${star}"]\nothers:`);
  writeFileSync(file, edited);
  const [page] = await ask(`select final_url from page where role = 'crawled' order by sequence limit 1`);
  const url = String(page!.final_url);
  const lock = lockWorkspace(dir);
  const running = await openStore({ url: 'sqlite', workspace: dir, batch: 1, flushMs: 1 });
  const { status } = (await running.published())!;
  const stop = await harvesting(running);
  const unknown = await run(['mark', dir, '--good', url, '--topic', 'stars']);
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('The running crawl has no topic "stars": it was added to bingo.yaml later.');
  const told: string[] = [];
  const marking = run(['mark', dir, '--good', url, '--topic', 'velo'], { err: (text) => told.push(text) });
  const { command } = await answerTo('select command from steer_request');
  expect(JSON.parse(String(command)).judgement).toMatchObject({ key: url, topic: 'cycling' });
  stop();
  await running.publish({ ...status, phase: 'done' });
  await expect.poll(() => told.join('')).toContain('The crawl has ended meanwhile');
  await running.close();
  lock.release();
  expect((await marking).code, told.join('')).toBe(0);
  expect((await run(['topic', 'show', dir, 'velo', '--json'])).out).toContain(url);
  writeFileSync(file, yaml);
});
