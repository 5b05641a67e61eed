import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Io } from '../../src/cli/command.ts';
import { judgeAfterCrawl, judgedText } from '../../src/cli/judging/after-crawl.ts';
import { requestSteer, type Store } from '../../src/store/index.ts';
import { attendOthers } from '../../src/workbench/judging/after-crawl.ts';
import type { Workspace } from '../../src/workbench/workspace/workspace.ts';
import { BIKE, type BikeWeb, bikeWorkspace, FOOD, page, prose, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: BikeWeb;
const folders: string[] = [];

beforeAll(async () => {
  web = await startBikeWeb();
});

afterAll(async () => {
  await web.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function workspace(text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'bingo-judge-after-'));
  folders.push(dir);
  writeFileSync(join(dir, 'bingo.yaml'), text);
  return dir;
}

async function ask(dir: string, query: string): Promise<Record<string, unknown>[]> {
  const { out } = await run(['sql', dir, '--json', query]);
  return JSON.parse(out || '[]');
}

/** Repeats a query until it has an answer. */
async function answerTo(dir: string, query: string): Promise<Record<string, unknown>> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const [row] = await ask(dir, query).catch(() => []);
    if (row !== undefined) return row;
  }
  throw new Error(`Expected an answer to ${query}`);
}

const EVERYDAY =
  `people place world year often later small large work name story great many number side the and of to long part city water house night
  morning school family money letter paper street summer winter river field window answer question friend music picture market voice
  minute reason result sister table garden doctor power level`.split(/\s+/);
const PAGES = 25;

/** Serves two hosts whose pages share most words and link to each other. */
function serveEverydayWeb(): void {
  const subjects = { 'wheels.test': BIKE, 'ovens.test': FOOD };
  for (const [host, words] of Object.entries(subjects))
    web.handle(host, (request, response) => {
      const n = Number(request.url?.slice(1));
      response.writeHead(n >= 0 && n < PAGES ? 200 : 404, { 'content-type': 'text/html' });
      const places = [n + 1, n + 7].flatMap((to) => Object.keys(subjects).map((h) => `${web.origin(h)}/${to % PAGES}`));
      const everyday = Array.from({ length: 120 }, (_, i) => EVERYDAY[(i * i * 7 + n * 13 + i) % EVERYDAY.length]);
      response.end(page(`${words[n % 5]} ${n}`, `${prose(words, n)} ${everyday.join(' ')}`, places));
    });
}

const ACCEPTED = `select final_url from page where role = 'crawled' and others = 0`;

test('removes pages from a topic that only an over-accepting first model accepted', async () => {
  serveEverydayWeb();
  const examples = [0, 5].map((n) => `${web.origin('wheels.test')}/${n}`).join(', ');
  const named = bikeWorkspace(web).replace(/examples: .*$/m, `examples: [${examples}]`);
  const dir = workspace(named.replace(/^others: .*$/m, `others: [${web.origin('ovens.test')}/99]`));
  const { code, err } = await run(['crawl', dir, '--budget', '45', '--ordering', 'breadth-first', '--plain']);
  expect(code, err).toBe(0);
  expect(err).toContain('Stored pages were judged again by what was learned since');
  const [first] = await ask(dir, `select count(*) as pages from first_verdict where others = 0`);
  expect(first!.pages).toBeGreaterThan(5);
  const found = (await ask(dir, ACCEPTED)).map(({ final_url }) => String(final_url));
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter((url) => !url.startsWith('http://wheels.test'))).toEqual([]);
});

test('a stopped crawl judges its pages with the marks made during the run', async () => {
  const dir = workspace(bikeWorkspace(web));
  let stop = (): void => {};
  const onInterrupt = (listener: () => void): (() => void) => {
    stop = listener;
    return () => {};
  };
  const goOn = web.hold(18);
  const crawl = run(['crawl', dir, '--budget', '30', '--learn', '4', '--plain'], { onInterrupt });
  const url = String((await answerTo(dir, ACCEPTED)).final_url);
  await requestSteer({ url: 'sqlite', workspace: dir, batch: 1, flushMs: 1 }, { kind: 'pause' });
  await answerTo(dir, `select id from live_status where status like '%"paused":true%'`);
  goOn();
  expect((await run(['mark', dir, '--bad', url])).err).toContain('The running crawl has learned from it');
  stop();
  const { code, err } = await crawl;
  expect([code, err]).toEqual([
    130,
    expect.stringContaining('Stored pages were judged again by what was learned since'),
  ]);
  expect(await ask(dir, `select others from page where final_url = '${url}'`)).toEqual([{ others: 1 }]);
});

test('a crawl that stops before it learned from marks leaves its pages to the next run', async () => {
  const told: string[] = [];
  const store = { status: async () => ({ pages: 10 }) } as unknown as Store;
  const io = { err: (text: string) => told.push(text) } as unknown as Io;
  const workspace = {} as Workspace;
  const stopped = { isReclassificationDue: true, isResumed: true, reason: 'stopped' } as const;
  await judgeAfterCrawl({ store, workspace, io }, { ...stopped, isRoundLeft: true });
  expect(told).toEqual([expect.stringContaining('the next run does it')]);
});

test('a crawl that judges its pages shows progress, and stops judging at a late decision', async () => {
  let requests: unknown[] = [];
  let told: unknown = { phase: 'done' };
  const store = {
    published: async () => ({ at: 0, status: told }),
    publish: async (status: unknown) => {
      told = status;
    },
    takeRequests: async () => requests,
  } as unknown as Store;
  const first = attendOthers(store);
  await first.onJudged(200, 900);
  expect([told, first.waited.aborted]).toEqual([{ phase: 'done', judged: { pages: 200, of: 900 } }, false]);
  await first.leave();
  expect(told).toEqual({ phase: 'done' });
  requests = [{ kind: 'judge-page' }];
  const second = attendOthers(store);
  await second.onJudged(200, 900);
  expect(second.waited.aborted).toBe(true);
});

test('the process with a late decision says that it judges the pages the crawl left', () => {
  const effect = { pages: 200, of: 900, changed: 3 };
  expect(judgedText(effect, true)).toContain('The other 700 are left to the command that waits');
  expect(judgedText(effect, false)).toContain('The other 700 are left to the next run.');
  expect(judgedText({ ...effect, of: 200 }, true)).not.toContain('left to');
});
