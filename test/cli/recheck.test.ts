import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PageHistory } from '../../src/core/index.ts';
import { openStore } from '../../src/store/index.ts';
import { bikeWorkspace } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';
import { type Fate, type LivingWeb, startLivingWeb } from './support/living-web.ts';

let living: LivingWeb;
let root: string;
/** A crawl of all ten pages, shared by the tests. */
let made: string;
let dir: string;

beforeAll(async () => {
  living = await startLivingWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-recheck-'));
  made = await crawled('made', 20);
});
afterAll(async () => {
  await living.web.close();
  rmSync(root, { recursive: true, force: true });
});

beforeEach(() => {
  living.fates.clear();
  living.told();
  dir = join(root, `copy ${readdirSync(root).length}`);
  cpSync(made, dir, { recursive: true });
});

function workspace(name: string, budget: number): string {
  const folder = join(root, name);
  mkdirSync(folder);
  const text = bikeWorkspace(living.web, `recheck: {goneAfter: 2}\ncrawl: {budget: ${budget}, learn: 4}\n`);
  writeFileSync(join(folder, 'bingo.yaml'), text.replace('  delayMs: 0', '  delayMs: 0\n  backoffMaxMs: 1'));
  return folder;
}

async function crawled(name: string, budget: number): Promise<string> {
  const folder = workspace(name, budget);
  expect((await run(['crawl', folder, '--json'])).code).toBe(0);
  return folder;
}

interface Summary {
  readonly recheck: Record<'total' | 'unchanged' | 'changed' | 'moved' | 'gone' | 'back' | 'away' | 'failed', number>;
  readonly staleExamples: readonly unknown[];
  readonly fetchedNow: number;
  readonly reason: string;
}

async function recheck(...more: string[]): Promise<Summary> {
  const { code, out, err } = await run(['crawl', dir, '--recheck-all', '--json', ...more]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return JSON.parse(out.trim().split('\n').at(-1)!) as Summary;
}

async function histories(): Promise<ReadonlyMap<string, PageHistory>> {
  const store = await openStore({ url: 'sqlite', workspace: dir, batch: 1, flushMs: 1, readOnly: true });
  const found = new Map<string, PageHistory>();
  for await (const page of store.histories())
    found.set(new URL(page.url).host.split('.')[0] + new URL(page.url).pathname, page);
  await store.close();
  return found;
}

describe('bingo crawl --recheck', () => {
  test('asks whether pages have changed, and fetches no unchanged page again', async () => {
    const { recheck: counts, fetchedNow } = await recheck();
    expect(counts).toMatchObject({ unchanged: counts.total, changed: 0, moved: 0, gone: 0, failed: 0 });
    expect(counts.total).toBeGreaterThanOrEqual(11);
    expect(fetchedNow).toBe(0);
    expect(living.told().filter((line) => !line.endsWith(' 304'))).toEqual([]);
  });

  test('stores a new version of a changed page, and follows its new links beyond the budget', async () => {
    living.fates.set(3, { kind: 'changed', links: ['/40'] });
    living.fates.set(40, { kind: 'changed' });
    const { recheck: counts, fetchedNow } = await recheck();
    expect([counts.changed, fetchedNow]).toEqual([1, 1]);
    const pages = await histories();
    expect(pages.get('bikes/3')).toMatchObject({ changes: 1, checks: 1, etag: '"3-changed"', ending: undefined });
    expect(pages.get('bikes/40')).toMatchObject({ changes: 0, checks: 0, others: false });
    expect((await recheck()).recheck).toMatchObject({ changed: 0, gone: 0 });
    expect((await histories()).get('bikes/3')).toMatchObject({ changes: 1, checks: 2 });
  });

  test('treats a page with a new counter as unchanged', async () => {
    living.fates.set(3, { kind: 'counted', count: 12345 });
    const { recheck: counts } = await recheck();
    expect(counts).toMatchObject({ changed: 0, unchanged: counts.total });
    expect((await histories()).get('bikes/3')).toMatchObject({ changes: 0, checks: 1 });
  });

  test.each<[string, Fate]>([
    ['503', { kind: 'status', status: 503 }],
    ['a cut connection', { kind: 'cut' }],
    ['a page of maintenance', { kind: 'moved', to: '/maintenance', status: 302 }],
  ])('keeps a page through trouble that may pass: %s', async (_, fate) => {
    living.fates.set(3, fate);
    for (const _ of [1, 2]) expect((await recheck()).recheck).toMatchObject({ failed: 1, gone: 0, moved: 0 });
    const page = (await histories()).get('bikes/3')!;
    expect(page).toMatchObject({ ending: undefined, missing: 0, others: false });
    expect(page.triedAt).toBeGreaterThan(page.checkedAt);
  });

  test('accepts 404 after two answers, 410 at once, and a page that returns', async () => {
    living.fates.set(3, { kind: 'status', status: 404 });
    living.fates.set(6, { kind: 'status', status: 410 });
    expect((await recheck()).recheck).toMatchObject({ gone: 1, failed: 1 });
    expect((await histories()).get('bikes/3')).toMatchObject({ missing: 1, ending: undefined });
    expect((await recheck()).recheck).toMatchObject({ gone: 1, away: 1, failed: 0 });
    const gone = await histories();
    expect([gone.get('bikes/3')!.ending, gone.get('bikes/6')!.ending]).toEqual(['gone', 'gone']);
    const { out } = await run(['why', dir, `${living.web.origin('bikes.test')}/6`]);
    expect(out).toContain('accepted into cycling. It is gone (http, HTTP 410).');
    expect((await run(['status', dir])).out).toContain('left        2 pages of topics: 2 gone\n');
    living.fates.delete(3);
    await recheck();
    expect((await histories()).get('bikes/3')).toMatchObject({ missing: 0, ending: undefined });
  });

  test('reports a missing page once, and a returned page by day', async () => {
    for (const n of [3, 6, 7]) living.fates.set(n, { kind: 'status', status: 410 });
    expect((await recheck()).recheck).toMatchObject({ gone: 3, back: 0, away: 0 });
    living.fates.delete(3);
    living.fates.set(6, { kind: 'changed' });
    living.fates.set(7, { kind: 'status', status: 503 });
    const { out, err } = await run(['crawl', dir, '--recheck-all', '--plain']);
    expect(out + err).toMatch(/0 changed, 0 moved, 0 gone, 2 back, 1 gone before, still gone\./);
    const pages = await histories();
    expect(pages.get('bikes/3')!.backAt).toBe(pages.get('bikes/3')!.checkedAt);
    expect(pages.get('bikes/6')!.backAt).toBe(pages.get('bikes/6')!.changedAt);
    expect([pages.get('bikes/7')!.backAt, pages.get('bikes/0')!.backAt]).toEqual([0, 0]);
    const site = join(dir, 'site');
    expect((await run(['portal', dir, site])).code).toBe(0);
    const changes = readFileSync(join(site, 'changes.html'), 'utf8');
    expect([...changes.matchAll(/kind-(back|changed|left)"/g)].map(([, kind]) => kind)).toEqual([
      'left',
      'back',
      'back',
    ]);
    expect(changes).toMatch(/, 2 back, 1 left\./);
  });

  test('drops a page whose domain redirects temporarily to another site, after two answers', async () => {
    const casino = `${living.web.origin('food.test')}/1`;
    living.fates.set(3, { kind: 'moved', to: casino, status: 302 });
    expect((await recheck()).recheck).toMatchObject({ failed: 1, gone: 0 });
    living.fates.delete(3);
    await recheck();
    expect((await histories()).get('bikes/3')).toMatchObject({ missing: 0, ending: undefined });
    living.fates.set(3, { kind: 'moved', to: casino, status: 302 });
    await recheck();
    expect((await histories()).get('bikes/3')).toMatchObject({ missing: 1, ending: undefined });
    expect((await recheck()).recheck.gone).toBe(1);
    expect((await histories()).get('bikes/3')).toMatchObject({ ending: 'gone', target: '' });
    const { out } = await run(['why', dir, `${living.web.origin('bikes.test')}/3`]);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`It is gone (elsewhere): it leads to ${casino}.`);
    living.fates.delete(3);
    await recheck();
    expect((await histories()).get('bikes/3')).toMatchObject({ missing: 0, ending: undefined });
  });

  test('makes no missing page a candidate, nor the old address of a moved one', async () => {
    const candidates = async (): Promise<readonly string[]> => {
      const file = join(dir, `review ${readdirSync(dir).length}.csv`);
      expect((await run(['review', dir, '--topic', 'cycling', '--export', file])).code).toBe(0);
      return [...readFileSync(file, 'utf8').matchAll(/^cycling,[^,]*\/(\d+),/gm)].map(([, n]) => n!);
    };
    expect(await candidates()).toEqual(expect.arrayContaining(['3', '6']));
    living.fates.set(3, { kind: 'status', status: 410 });
    living.fates.set(6, { kind: 'moved', to: '/60', status: 301 });
    living.fates.set(60, { kind: 'as', n: 6 });
    await recheck();
    const now = await candidates();
    expect(now).toContain('60');
    expect(now.filter((n) => n === '3' || n === '6')).toEqual([]);
  });

  test('hides missing pages from searches and link lists unless asked, and marks them in SQL', async () => {
    const url = `${living.web.origin('bikes.test')}/6`;
    const ask = async (...flags: string[]): Promise<Awaited<ReturnType<typeof run>>> =>
      await run(['search', dir, 'bicycle', '--limit', '50', ...flags]);
    const before = (JSON.parse((await ask('--json')).out) as unknown[]).length;
    living.fates.set(6, { kind: 'status', status: 410 });
    // Temporary errors hide no page.
    living.fates.set(3, { kind: 'status', status: 503 });
    await recheck();
    const { out, err } = await ask();
    expect(out).not.toContain(`${url}\n`);
    expect(out).toContain(`${living.web.origin('bikes.test')}/3\n`);
    expect(err).toContain('1 more matching page is gone or moved. --gone shows it.');
    const all = await ask('--gone');
    expect(all.out).toMatch(new RegExp(`${url}\\n.*\\n     gone since \\d{4}-\\d\\d-\\d\\d\\n`));
    expect(all.err).toBe('');
    const rows = JSON.parse((await ask('--gone', '--json')).out) as { url: string; ending: string | null }[];
    expect(rows).toHaveLength(before);
    expect(rows.filter((row) => row.ending !== null)).toEqual([expect.objectContaining({ url, ending: 'gone' })]);

    const listed = async (...flags: string[]): Promise<string> => (await run(['export', dir, ...flags])).out;
    expect(await listed('--format', 'urls')).not.toContain(`${url}\n`);
    expect(await listed('--format', 'urls', '--gone')).toContain(`${url}\n`);
    expect(await listed('--format', 'bookmarks')).not.toContain(url);
    const table = (await listed('--format', 'csv')).split('\n').filter((line) => line.startsWith(url));
    expect(table).toEqual([expect.stringMatching(/,gone,[a-z]{2},/)]);
  });

  test('follows a permanent move to a new address or to a stored page', async () => {
    living.fates.set(3, { kind: 'moved', to: '/50', status: 301 });
    living.fates.set(50, { kind: 'changed' });
    living.fates.set(6, { kind: 'moved', to: '/7', status: 301 });
    const { recheck: counts, fetchedNow } = await recheck();
    expect([counts.moved, fetchedNow]).toEqual([2, 0]);
    const pages = await histories();
    expect(pages.get('bikes/3')).toMatchObject({
      ending: undefined,
      movedFrom: `${living.web.origin('bikes.test')}/3`,
    });
    expect(pages.get('bikes/3')!.finalUrl).toBe(`${living.web.origin('bikes.test')}/50`);
    expect(pages.get('bikes/6')).toMatchObject({ ending: 'moved', target: `${living.web.origin('bikes.test')}/7` });
  });

  test('explains a moved page the same way by its old and its new address', async () => {
    const url = (n: number): string => `${living.web.origin('bikes.test')}/${n}`;
    const why = async (n: number): Promise<string> => (await run(['why', dir, url(n)])).out.replaceAll(/\s+/g, ' ');
    living.fates.set(3, { kind: 'moved', to: '/50', status: 301 });
    living.fates.set(50, { kind: 'changed' });
    await recheck();
    expect(await why(50)).toContain(`${url(50)} It was fetched and accepted into cycling.`);
    living.fates.set(50, { kind: 'food' });
    await recheck();
    for (const n of [3, 50]) expect(await why(n)).toContain('It was fetched and rejected as off topic.');
    living.fates.set(50, { kind: 'status', status: 410 });
    await recheck();
    for (const n of [3, 50]) expect(await why(n)).toContain('It is gone (http, HTTP 410).');
  });

  test('names once the examples whose content has changed', async () => {
    const url = (n: number): string => `${living.web.origin('bikes.test')}/${n}`;
    living.fates.set(0, { kind: 'food' });
    living.fates.set(3, { kind: 'food' });
    living.fates.set(5, { kind: 'status', status: 410 });
    const { out, err } = await run(['crawl', dir, '--recheck-all', '--plain']);
    const told = (out + err).replaceAll(/\s+/g, ' ');
    expect(told).toContain('2 examples changed after the choice');
    expect(told).toContain(`${url(0)} (cycling): its subject has changed`);
    expect(told).toContain(`${url(5)} (cycling): it left`);
    expect(told).not.toContain(`${url(3)} (cycling)`);
    expect((await recheck()).staleExamples).toEqual([]);
    living.fates.set(0, { kind: 'changed' });
    expect((await recheck()).staleExamples).toEqual([]);
  });

  test('drops a page with different content, and takes it back with its old content', async () => {
    living.fates.set(3, { kind: 'food' });
    expect((await recheck()).recheck.changed).toBe(1);
    expect((await histories()).get('bikes/3')).toMatchObject({ others: true, changes: 1 });
    const site = join(dir, 'site');
    const lines = async (): Promise<string> => {
      expect((await run(['portal', dir, site])).code).toBe(0);
      return readFileSync(join(site, 'changes.html'), 'utf8');
    };
    expect(await lines()).toMatch(/kind-left">Left<\/span> <bdi[^>]*>a soup<\/bdi>.*it is of none of the topics now/);
    living.fates.delete(3);
    expect((await recheck()).recheck.changed).toBe(1);
    expect((await histories()).get('bikes/3')).toMatchObject({ others: false, changes: 2 });
    expect(await lines()).toMatch(/kind-changed">Changed<\/span> <a [^>]*>bicycle page 3<\/a>/);
  });

  test.each<[string, Fate]>([
    ['is gone', { kind: 'status', status: 410 }],
    ['says something else', { kind: 'food' }],
  ])('finds the text of a page that %s under another address', async (_, fate) => {
    living.fates.set(3, fate);
    await recheck();
    living.fates.set(4, { kind: 'changed', links: ['/43'] });
    living.fates.set(43, { kind: 'as', n: 3 });
    expect((await recheck()).fetchedNow).toBe(1);
    expect((await histories()).get('bikes/43')).toMatchObject({ others: false, ending: undefined });
  });

  test('keeps a page that the user marked, whatever its newer versions contain', async () => {
    const url = `${living.web.origin('bikes.test')}/3`;
    living.fates.set(3, { kind: 'food' });
    await recheck();
    expect((await run(['mark', dir, '--bad', url])).code).toBe(0);
    living.fates.set(3, { kind: 'changed' });
    expect((await recheck()).recheck.changed).toBe(1);
    expect((await histories()).get('bikes/3')).toMatchObject({ others: true, changes: 2 });
    expect((await run(['mark', dir, '--undo', url])).code).toBe(0);
    expect((await histories()).get('bikes/3')).toMatchObject({ others: false });
  });

  test('accepts several pages that move to one address or to copies of one page', async () => {
    for (const n of [1, 3, 4]) living.fates.set(n, { kind: 'moved', to: '/60', status: 301 });
    living.fates.set(60, { kind: 'food' });
    for (const n of [6, 7]) living.fates.set(n, { kind: 'moved', to: `/7${n}`, status: 301 });
    for (const n of [76, 77]) living.fates.set(n, { kind: 'as', n: 2 });
    await recheck();
    const pages = await histories();
    const [first, ...others] = [1, 3, 4].map((n) => pages.get(`bikes/${n}`)!).sort((a, b) => b.sequence - a.sequence);
    expect(first).toMatchObject({ others: true, ending: undefined });
    for (const page of others) expect(page).toMatchObject({ ending: 'moved', target: first!.finalUrl });
    for (const n of [6, 7]) expect(pages.get(`bikes/${n}`)).toMatchObject({ ending: 'same' });
    expect((await run(['status', dir])).out).toContain(
      'left        4 pages of topics: 2 moved to another page, 2 the same as another\n',
    );
  });

  test('drops a page that forbids indexing', async () => {
    living.fates.set(3, { kind: 'noindex' });
    expect((await recheck()).recheck.gone).toBe(1);
    expect((await histories()).get('bikes/3')!.ending).toBe('noindex');
    const { out } = await run(['why', dir, `${living.web.origin('bikes.test')}/3`]);
    const told = /accepted into cycling\. It asks not to be stored .*\. Its links are followed all the same\./;
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(told);
  });

  test('checks only what is due, and says when the next page is due', async () => {
    const { code, err } = await run(['crawl', dir, '--recheck', '--plain']);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^No page is due for a recheck before \d{4}-\d\d-\d\d\. --recheck-all rechecks all of them now\.$/m,
    );
    expect(living.told()).toEqual([]);
    const soon = await run([
      'crawl',
      dir,
      '--recheck',
      '--plain',
      '--set',
      'recheck.firstMs=1',
      '--set',
      'recheck.minMs=1',
    ]);
    expect(soon.err).toMatch(/Rechecking \d+ of \d+ pages/);
    expect(soon.err).toMatch(/Rechecked \d+ pages: \d+ unchanged, 0 changed, 0 moved, 0 gone\./);
  });

  test('ends after the due pages, unless a budget asks for more', async () => {
    dir = await crawled('unspent', 5);
    const { fetchedNow, reason } = await recheck('--set', 'crawl.budget=9');
    expect([fetchedNow, reason]).toEqual([0, 'rechecked']);
    expect(await recheck('--budget', '9')).toMatchObject({ fetchedNow: 4, reason: 'budget' });
  });

  test('proposes itself as the next command if it was interrupted', async () => {
    for (const flag of ['--recheck', '--recheck-all']) {
      const due = ['--set', 'recheck.firstMs=1', '--set', 'recheck.minMs=1'];
      const { out, err } = await run(['crawl', dir, flag, '--plain', '--time', '1ms', ...due]);
      expect(out + err).toMatch(/^The time is up\./m);
      expect((out + err).split('Next:\n')[1]).toMatch(new RegExp(`^ {2}bingo crawl .* ${flag}\n`));
    }
  });

  test('does not start a crawl if nothing was crawled yet', async () => {
    const folder = workspace('new', 5);
    const { code, err } = await run(['crawl', folder, '--recheck', '--plain']);
    expect([code, err]).toEqual([1, expect.stringContaining('No page has been stored yet, so none can be rechecked.')]);
    expect(living.told()).toEqual([]);
  });

  test('has no effect on a crawl that continues', async () => {
    dir = await crawled('small', 5);
    const control = join(root, 'control');
    cpSync(dir, control, { recursive: true });
    living.fates.set(0, { kind: 'changed' });
    await recheck();
    const lines = async (place: string): Promise<string[]> => {
      const { out } = await run(['crawl', place, '--budget', '9', '--json']);
      return [...out.matchAll(/"kind":"page","url":"([^"]*)"/g)].map(([, url]) => url!);
    };
    const went = await lines(dir);
    expect(went).toHaveLength(4);
    expect(went).toEqual(await lines(control));
  });
});

test('files a new version of an example under its current topic, or by the model', async () => {
  const bike = (n: number): string => `${living.web.origin('bikes.test')}/${n}`;
  const file = join(dir, 'bingo.yaml');
  expect((await run(['topic', 'rename', dir, 'cycling', 'velo'])).code).toBe(0);
  const yaml = readFileSync(file, 'utf8');
  writeFileSync(file, yaml.replace(bike(5), bike(6)));
  for (const n of [0, 5]) living.fates.set(n, { kind: 'changed', links: ['/40'] });
  expect((await recheck()).recheck).toMatchObject({ changed: 2 });
  expect((await run(['why', dir, bike(0)])).out).toContain('It is an example of velo.');
  expect((await run(['why', dir, bike(5)])).out).toContain('is not one any more, and accepted into velo.');
  for (const n of [0, 5]) living.fates.set(n, { kind: 'food' });
  await recheck();
  expect((await run(['why', dir, bike(0)])).out).toContain('It is an example of velo.');
  expect((await run(['why', dir, bike(5)])).out).toContain('is not one any more, and rejected as off topic.');
});
