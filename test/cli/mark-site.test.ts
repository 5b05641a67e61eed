import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestSteer } from '../../src/store/index.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: BikeWeb;
let dir: string;

/** Returns the pages of bikes.test that the crawl found, by topic; `null` is OTHERS. */
async function found(): Promise<readonly (string | null)[]> {
  const { out } = await run(['export', dir, '--format', 'jsonl']);
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; topic: string | null; role: string });
  return rows.flatMap(({ url, topic, role }) => (role === 'crawled' && url.includes('bikes.test') ? [topic] : []));
}

beforeAll(async () => {
  web = await startBikeWeb();
  dir = mkdtempSync(join(tmpdir(), 'bingo-mark-site-'));
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  const { code, err } = await run(['crawl', dir, '--budget', '9', '--plain']);
  expect(code, err).toBe(0);
});

afterAll(async () => {
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a preview shows which pages would leave their topics, and changes nothing', async () => {
  const before = await found();
  const { code, out, err } = await run(['mark', dir, '--bad-site', 'bikes.test', '--preview']);
  expect(code, err).toBe(0);
  const accepted = before.filter((topic) => topic !== null).length;
  expect(accepted).toBeGreaterThan(3);
  expect(out).toContain(`bikes.test: blocked; removes ${accepted} pages from topics, sets aside `);
  const waiting = Number(/sets aside ([\d,]+) waiting links\./.exec(out)?.[1]);
  expect(waiting).toBeGreaterThan(0);
  expect(out).toContain('Keeps your 2 examples on it; remove with --drop PAGE.');
  expect(out).toContain('would go to another topic');
  expect(await found()).toEqual(before);
});

test('pages of a bad site that are marked as examples do not count as leaving', async () => {
  const { out } = await run([
    'sql',
    dir,
    '--json',
    "select url from page where role = 'crawled' and topic = 'cycling'",
  ]);
  const pages: readonly { url: string }[] = JSON.parse(out).filter(({ url }: { url: string }) => url.includes('bikes'));
  const leave = `removes ${pages.length - 1} pages from topics, `;
  const both = ['--bad-site', 'bikes.test', '--preview'];
  expect((await run(['mark', dir, '--good', pages[0]!.url, ...both])).out).toContain(leave);
  expect((await run(['mark', dir, '--good', pages[0]!.url])).code).toBe(0);
  const { out: told } = await run(['mark', dir, ...both]);
  expect(told).toContain(leave);
  expect(told).toContain('Keeps your 3 examples on it');
  expect((await run(['mark', dir, '--undo', pages[0]!.url])).code).toBe(0);
});

test('a bad site is not fetched, its pages move to OTHERS, and marked examples stay', async () => {
  const { code, out, err } = await run(['mark', dir, '--bad-site', `${web.origin('bikes.test')}/3`]);
  expect(code, err).toBe(0);
  expect(out).toContain('went to another topic');
  expect((await found()).filter((topic) => topic !== null)).toEqual([]);
  const before = web.requests.length;
  await run(['crawl', dir, '--budget', '30', '--plain']);
  await run(['crawl', dir, '--recheck-all', '--plain']);
  const asked = web.requests
    .slice(before)
    .filter((path) => path.startsWith('bikes.test/') && !path.endsWith('robots.txt'));
  expect(asked.toSorted()).toEqual(['bikes.test/0', 'bikes.test/5']);
  expect((await found()).filter((topic) => topic !== null)).toEqual([]);
  const host = new URL(web.origin('bikes.test')).host;
  expect((await run(['status', dir])).out).toMatch(new RegExp(`bad sites +${host}`));
  const why = await run(['why', dir, `${web.origin('bikes.test')}/4`]);
  expect(why.out.replaceAll('\n', ' ')).toContain('a person marked its site bad (bingo mark --bad-site)');
});

test('an existing mark is reported, and removed by the name of the host', async () => {
  const host = new URL(web.origin('bikes.test')).host;
  expect((await run(['mark', dir, '--bad-site', host])).err).toContain('Already marked: 1 mark. Nothing was changed.');
  const looked = await run(['mark', dir, '--undo', host, '--preview']);
  expect(Number(/resets the priority of (\d+) waiting links\./.exec(looked.out)?.[1])).toBeGreaterThan(0);
  const { code, out, err } = await run(['mark', dir, '--undo', host]);
  expect(code, err).toBe(0);
  expect(out).toContain(`${host}: mark removed; resets the priority of `);
  expect((await found()).filter((topic) => topic === 'cycling').length).toBeGreaterThan(3);
  expect((await run(['status', dir])).out).not.toContain('bad sites');
});

test('status shows a good site, and nothing is learned from it', async () => {
  const { out } = await run(['mark', dir, '--good-site', 'stars.test', '--json']);
  expect(JSON.parse(out).decisions).toEqual([{ site: 'stars.test', use: 'good-site' }]);
  const trained = `select count(*) as rounds from round`;
  const rounds = (await run(['sql', dir, '--json', trained])).out;
  const other = await run(['mark', dir, '--good-site', 'other.test']);
  expect(other.out).toBe('other.test: preferred, with the hosts below it; moves its waiting links to the front.\n');
  expect(other.err).toContain('Next: bingo crawl ');
  expect((await run(['sql', dir, '--json', trained])).out).toBe(rounds);
  expect((await run(['mark', dir, '--undo', 'other.test'])).out).toBe(
    'other.test: mark removed; resets the priority of its waiting links.\n',
  );
  expect(JSON.parse((await run(['status', dir, '--json'])).out).markedSites).toEqual([
    { host: 'stars.test', use: 'good-site' },
  ]);
});

test('a word that is not a host and a site marked twice are rejected', async () => {
  const [none, twice] = [
    await run(['mark', dir, '--bad-site', 'no host']),
    await run(['mark', dir, '--bad-site', 'a.test', '--good-site', 'A.test']),
  ];
  expect([none.code, twice.code]).toEqual([2, 2]);
  expect(none.err).toContain('"no host" is not the name of a host.');
  expect(twice.err).toContain('a.test is marked twice.');
});

test('a crawl in another terminal applies it at once, and drops the pages at its end', async () => {
  const live = mkdtempSync(join(tmpdir(), 'bingo-mark-site-live-'));
  writeFileSync(join(live, 'bingo.yaml'), bikeWorkspace(web));
  const answerTo = async (query: string): Promise<void> => {
    for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
      const { out } = await run(['sql', live, '--json', query]);
      if (out !== '' && JSON.parse(out).length > 0) return;
    }
    throw new Error(`Expected an answer to ${query}`);
  };
  const goOn = web.hold(18);
  const crawl = run(['crawl', live, '--budget', '30', '--learn', '4', '--plain']);
  await answerTo(`select 1 from page where role = 'crawled' and others = 0`);
  const place = { url: 'sqlite', workspace: live, batch: 1, flushMs: 1 };
  await requestSteer(place, { kind: 'pause' });
  await answerTo(`select id from live_status where status like '%"paused":true%'`);
  goOn();
  const before = web.requests.length;
  const marked = await run(['mark', live, '--bad-site', 'bikes.test']);
  expect(marked.code, marked.err).toBe(0);
  expect(marked.err).toContain('The running crawl has learned from it');
  await requestSteer(place, { kind: 'resume' });
  const { code, err } = await crawl;
  expect(code).toBe(0);
  expect(err).toContain('bikes.test marked a bad site');
  // Requests open at the time of the pause may still have finished.
  expect(web.requests.slice(before).filter((path) => path.startsWith('bikes.test/')).length).toBeLessThanOrEqual(1);
  const { out } = await run([
    'sql',
    live,
    '--json',
    `select count(*) n from page where role = 'crawled' and others = 0 and host like 'bikes.test%'`,
  ]);
  expect(JSON.parse(out)).toEqual([{ n: 0 }]);
  rmSync(live, { recursive: true, force: true });
});

test('a site that the crawl never met is reported before any training', async () => {
  const unknown = await run(['mark', dir, '--bad-site', 'nosuch.example', '--preview']);
  expect(unknown.err).toContain('Warning: nosuch.example is unknown, no stored page or link has this site.');
  const known = await run(['mark', dir, '--good-site', 'stars.test', '--preview']);
  expect(known.err).not.toContain('Warning');
});
