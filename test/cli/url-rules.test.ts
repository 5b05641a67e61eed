import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;
let dir: string;
let text: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-rules-'));
  dir = join(root, 'bikes');
  mkdirSync(dir);
  text = bikeWorkspace(web);
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

/** Writes the workspace file with these crawl settings. */
function write(...crawl: readonly string[]): void {
  writeFileSync(join(dir, 'bingo.yaml'), `${text}crawl:\n${crawl.map((line) => `  ${line}\n`).join('')}`);
}

/** Returns the addresses requested after the first `before` requests. */
function askedSince(before: number): readonly string[] {
  return web.requests.slice(before).filter((path) => !path.endsWith('/robots.txt'));
}

it('a wrong rule is reported with its line and a correction', async () => {
  write('exclude:', '  - stars.test', '  - login');
  const { code, err } = await run(['crawl', dir]);
  const line = readFileSync(join(dir, 'bingo.yaml'), 'utf8').split('\n').indexOf('    - login') + 1;
  expect(code).toBe(2);
  expect(err).toContain(`bingo.yaml:${line}: crawl.exclude: Expected a host, a path, or both,`);
  expect(err).toContain('Write "/login" for paths that start with it');
});

it('a crawl skips and counts addresses that a rule excludes; why names rule and line', async () => {
  write('exclude:', '  - stars.test', '  - /7$', 'learn: 2');
  const { code, err } = await run(['crawl', dir, '--budget', '12']);
  expect(code).toBe(0);
  expect(err).toMatch(/Links left out: .*addresses excluded by a rule \(crawl\.exclude\)/);
  expect(askedSince(0).filter((path) => path === 'bikes.test/7')).toEqual([]);
  const { out } = await run(['why', dir, `${web.origin('bikes.test')}/7`]);
  const line = readFileSync(join(dir, 'bingo.yaml'), 'utf8').split('\n').indexOf('    - /7$') + 1;
  expect(out).toContain(`It was not fetched: crawl.exclude excludes it: "/7$" (bingo.yaml, line ${line}).`);
});

it('a new rule is reported by the next run, and the links it excludes are not fetched', async () => {
  const before = web.requests.length;
  const { err } = await run(['crawl', dir, '--budget', '40', '--set', 'crawl.exclude=[food.test, stars.test, "/9$"]']);
  expect(err).toContain('since the last run: crawl.exclude ["stars.test", "/7$"] → ["food.test", "stars.test", "/9$"]');
  const asked = askedSince(before);
  expect(asked).toContain('bikes.test/7');
  expect(asked.filter((path) => !path.startsWith('bikes.test'))).toEqual([]);
  const { out } = await run(['why', dir, `${web.origin('food.test')}/10`]);
  expect(out.replaceAll('\n', ' ')).toContain('crawl.exclude excluded it: "food.test" in the last run.');
});

it('a recheck skips stored pages that a new rule excludes, and counts them', async () => {
  write('include: [bikes.test]', 'exclude: [/6$]', 'learn: 2');
  const before = web.requests.length;
  const { err } = await run(['crawl', dir, '--recheck-all']);
  expect(err).toMatch(/\d+ stored pages? skipped \(crawl\.exclude, crawl\.include\)/);
  expect(askedSince(before).length).toBeGreaterThan(3);
  expect(askedSince(before).filter((path) => path === 'bikes.test/6')).toEqual([]);
  const { out } = await run(['why', dir, `${web.origin('bikes.test')}/6`]);
  expect(out.replaceAll('\n', ' ')).toContain('It is not fetched again: crawl.exclude excludes it: "/6$"');
});

it('why names the rule that puts a waiting link first or last', async () => {
  const folder = join(root, 'waiting');
  mkdirSync(folder);
  const rules = 'crawl:\n  learn: 0\n  prefer: [stars.test]\n  defer: [/1]\n';
  writeFileSync(join(folder, 'bingo.yaml'), `${text}${rules}`);
  await run(['crawl', folder, '--budget', '1']);
  const line = readFileSync(join(folder, 'bingo.yaml'), 'utf8').trimEnd().split('\n').length;
  const last = await run(['why', folder, `${web.origin('bikes.test')}/1`]);
  const first = await run(['why', folder, `${web.origin('stars.test')}/0`]);
  const told = [last, first].map(({ out }) => out.replaceAll('\n', ' ')).join(' ');
  expect(told).toContain(
    `Links to it go behind all others of their topic: crawl.defer has "/1" (bingo.yaml, line ${line}).`,
  );
  expect(told).not.toContain('crawl.prefer has "/1"');
});

it('why says for a link that was not followed how far the crawl came, and which limits apply', async () => {
  const folder = join(root, 'spent');
  mkdirSync(folder);
  const crawl = (limits: string, budget: number) => {
    writeFileSync(join(folder, 'bingo.yaml'), `${text}crawl:\n  learn: 0\n${limits}`);
    return run(['crawl', folder, '--budget', String(budget)]);
  };
  const told = async (): Promise<string> => {
    const { out } = await run(['sql', folder, '--json', NEVER_FETCHED]);
    const [{ url }] = JSON.parse(out) as [{ url: string }];
    return (await run(['why', folder, url])).out.replaceAll('\n', ' ');
  };
  await crawl('', 1);
  expect(await told()).toMatch(
    /a stored page links to it, but it still waits in the queue \(as \d+ links? do, and the crawl has fetched its 1 page\), or the focus rule [^.]*\), or addresses like it had led to copies and errors \(traps\)\./,
  );
  await crawl('  maxPagesPerTopic: 2\n', 9);
  expect(await told()).toMatch(/, but its topic has used up its page budget \(cycling\), or the focus rule /);
  await crawl('  maxPagesPerSite: 1\n', 9);
  expect(await told()).toContain(
    'It was not fetched: its site bikes.test has reached its page limit (crawl.maxPagesPerSite is 1).',
  );
});

/** An address on the topic's own site that pages link to. */
const NEVER_FETCHED = `select u.url from link l join url u on u.id = l.target join page p on p.sequence = l.page where u.url like 'http://bikes.test%'
  and p.role <> 'others' and u.id not in (select url_id from alias) and u.id not in (select url_id from visit) order by u.id limit 1`;

it('why says what locks a host, and which addresses are too long, deep or repetitive', async () => {
  const folder = join(root, 'locked');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'bingo.yaml'),
    `${text}crawl:\n  lockedHosts: [stars.test]\n  maxUrlChars: 60\ntraps:\n  maxPathDepth: 8\n`,
  );
  await run(['crawl', folder, '--budget', '12']);
  const told = async (url: string) => (await run(['why', folder, url])).out.replaceAll('\n', ' ');
  const line = readFileSync(join(folder, 'bingo.yaml'), 'utf8').trimEnd().split('\n').length - 3;
  expect(await told(`${web.origin('stars.test')}/0`)).toContain(
    `It was not fetched: crawl.lockedHosts has "stars.test" (bingo.yaml, line ${line}).`,
  );
  const long = `${web.origin('bikes.test')}/${'a'.repeat(100)}`;
  expect(await told(long)).toContain(
    `Besides, addresses of more than 60 characters are not followed (crawl.maxUrlChars), and it has ${long.length}.`,
  );
  const origin = web.origin('bikes.test');
  expect(await told(`${origin}/c/c/c/d`)).toContain(
    'Besides, its path has a segment more than 2 times (traps.maxSegmentRepeats).',
  );
  expect(await told(`${origin}/1/2/3/4/5/6/7/8/9`)).toContain(
    'Besides, its path has more than 8 segments (traps.maxPathDepth).',
  );
});

it('status counts waiting links by priority if rules or marks of sites set it', async () => {
  const folder = join(root, 'places');
  mkdirSync(folder);
  writeFileSync(join(folder, 'bingo.yaml'), text);
  const crawl = (budget: number, ...more: readonly string[]) =>
    run(['crawl', folder, '--learn', '0', '--budget', String(budget), ...more]);
  const told = async () => JSON.parse((await run(['status', folder, '--json'])).out).order;
  await crawl(1);
  expect(await told()).toBeUndefined();
  expect((await run(['status', folder])).out).not.toMatch(/^waiting/m);
  await crawl(2, '--set', 'crawl.prefer=[/3, /6, /7, /8]', '--set', 'crawl.defer=[/1]');
  const { preferred, ordinary, deferred } = await told();
  expect(Math.min(preferred, ordinary, deferred)).toBeGreaterThan(0);
  expect((await run(['status', folder])).out).toMatch(
    new RegExp(`waiting +${preferred} preferred, ${ordinary} ordinary, ${deferred} deferred\n`),
  );
  await run(['mark', folder, '--bad-site', 'bikes.test']);
  await crawl(3);
  expect(await told()).toMatchObject({ preferred: 0, deferred: 0 });
  expect((await told()).aside).toBeGreaterThan(0);
});

it('an excluded host is not asked for a robots.txt either, until the rule is removed', async () => {
  const folder = join(root, 'robots');
  mkdirSync(folder);
  web.handle('moved.test', (request, response) => {
    const location = `${web.origin('shut.test')}/robots.txt`;
    if (request.url === '/robots.txt') response.writeHead(301, { location }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>bicycle</title>');
  });
  const url = `${web.origin('moved.test')}/a`;
  writeFileSync(join(folder, 'bingo.yaml'), text.replace('examples: [', `seeds: [${url}]\n    examples: [`));
  await run(['crawl', folder, '--budget', '4', '--set', 'crawl.lockedHosts=[shut.test]', '--set', 'crawl.learn=0']);
  expect(web.requests.filter((path) => path.startsWith('shut.test'))).toEqual([]);
  expect(web.requests).not.toContain('moved.test/a');
  const { out } = await run(['why', folder, url]);
  expect(out.replaceAll('\n', ' ')).toMatch(
    /robots\.txt redirects to \S+: shut\.test:\d+ is locked \(crawl\.lockedHosts\)/,
  );
  await run(['crawl', folder, '--budget', '6', '--set', 'crawl.learn=0']);
  expect(web.requests).toContain('shut.test/robots.txt');
  expect(web.requests).toContain('moved.test/a');
});
