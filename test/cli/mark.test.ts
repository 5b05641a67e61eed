import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let dir: string;
let stored: { url: string; topic: string | null; role: string }[];

async function pages(): Promise<typeof stored> {
  const { out } = await run(['export', dir, '--format', 'jsonl']);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function training(): Promise<Map<string, string>> {
  const { out } = await run([
    'sql',
    dir,
    '--json',
    'select example, origin from training where round = (select max(sequence) from round)',
  ]);
  return new Map(JSON.parse(out).map((row: { example: string; origin: string }) => [row.example, row.origin]));
}

beforeAll(async () => {
  web = await startBikeWeb();
  dir = mkdtempSync(join(tmpdir(), 'bingo-mark-'));
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  const { code, err } = await run(['crawl', dir, '--budget', '20', '--plain']);
  expect(code, err).toBe(0);
  stored = await pages();
});

afterAll(async () => {
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('bingo mark', () => {
  test('shows what a mark would change, and changes nothing', async () => {
    const bad = stored.find((page) => page.topic === 'cycling' && page.role === 'crawled')!;
    const before = await training();
    const { code, out, err } = await run(['mark', dir, '--bad', bad.url, '--preview']);
    expect(code, err).toBe(0);
    expect(out).toContain('would go to another topic');
    expect(err).toContain('Nothing was changed');
    expect(await training()).toEqual(before);
  });

  test('learns from good, bad and dropped pages, and judges stored pages again', async () => {
    const [good, bad] = stored.filter((page) => page.topic === 'cycling' && page.role === 'crawled');
    const example = `${web.origin('bikes.test')}/5`;
    const line = ['mark', dir, '--good', good!.url, '--bad', bad!.url, '--drop', example, '--json'];
    const { code, out, err } = await run(line);
    expect(code, err).toBe(0);
    const change = JSON.parse(out);
    expect(change.decisions.map((one: { use: string }) => one.use)).toEqual(['example', 'others', 'dropped']);
    expect(change.estimates[0]).toMatchObject({ topic: 'cycling', before: { examples: expect.any(Number) } });
    expect(change.changed).toBeGreaterThan(0);
    const after = await training();
    expect(after.get(good!.url)).toBe('feedback');
    expect(after.get(bad!.url)).toBe('feedback-others');
    expect(after.has(example)).toBe(false);
    expect((await pages()).find((page) => page.url === bad!.url)).toMatchObject({ topic: null });
  });

  test('changes nothing for an existing mark', async () => {
    const [page, other] = stored.filter(({ topic, role }) => topic === null && role === 'crawled');
    const count = async (): Promise<unknown> =>
      JSON.parse((await run(['sql', dir, '--json', 'select count(*) as n from journal'])).out);
    expect((await run(['mark', dir, '--bad', page!.url])).code).toBe(0);
    const before = await count();
    expect(await run(['mark', dir, '--bad', page!.url])).toMatchObject({
      ...{ code: 0, out: '', err: 'Already marked: 1 page. Nothing was changed.\n' },
    });
    const { code, out } = await run(['mark', dir, '--bad', page!.url, '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { decisions: [], changed: 0 }]);
    expect(await count()).toEqual(before);
    const both = await run(['mark', dir, '--bad', page!.url, other!.url, '--json']);
    expect(both.err).toContain('Already marked: 1 page.\n');
    expect(JSON.parse(both.out).decisions).toMatchObject([{ page: other!.url }]);
    expect((await run(['mark', dir, '--undo', page!.url, other!.url])).code).toBe(0);
  });

  test('keeps dropped pages out of later crawls until the mark is removed', async () => {
    const example = `${web.origin('bikes.test')}/5`;
    await run(['crawl', dir, '--budget', '24', '--plain']);
    expect((await training()).has(example)).toBe(false);
    const { code, err } = await run(['mark', dir, '--undo', example]);
    expect(code, err).toBe(0);
    expect((await training()).get(example)).toBe('user');
  });

  test('names the pages without a mark to remove', async () => {
    const [unmarked, other] = stored.filter((page) => page.role === 'crawled').slice(2);
    await run(['mark', dir, '--bad', other!.url]);
    const { code, err } = await run(['mark', dir, '--undo', unmarked!.url, other!.url]);
    expect(code).toBe(2);
    expect(err).toContain(`No mark to undo:\n  ${unmarked!.url}\n`);
    expect((await run(['mark', dir, '--undo', other!.url])).code).toBe(0);
    expect((await run(['mark', dir, '--undo', other!.url])).code).toBe(2);
  });

  test('finds a page by its address in capitals, without the scheme, or with the other one', async () => {
    const { url } = stored.filter((page) => page.role === 'crawled' && page.topic === null).at(-1)!;
    const bare = url.replace('http://', '');
    for (const typed of [bare, `HTTP://${bare.toUpperCase()}`, `https://${bare}`]) {
      const { code, out, err } = await run(['mark', dir, '--bad', typed, '--preview', '--json']);
      expect(code, err).toBe(0);
      expect(JSON.parse(out).decisions).toMatchObject([{ page: url }]);
    }
  });

  test('has no mark to remove for unknown pages, and explains how to remove marks of sites', async () => {
    const { code, err } = await run(['mark', dir, '--undo', 'nowhere.example', `${web.origin('bikes.test')}/99`]);
    expect(code).toBe(2);
    expect(err).toContain(`No mark to undo:\n  nowhere.example\n  ${web.origin('bikes.test')}/99\n`);
    expect(err).toContain('To undo the mark of a site, name its host.');
  });

  test('restores a dropped query by its name', async () => {
    const asked = mkdtempSync(join(tmpdir(), 'bingo-mark-'));
    const file = bikeWorkspace(web).replace('- name: cycling', '- name: cycling\n    query: wheel saddle pedal');
    writeFileSync(join(asked, 'bingo.yaml'), file);
    await run(['crawl', asked, '--budget', '1', '--plain']);
    expect((await run(['mark', asked, '--drop', 'query: wheel saddle pedal'])).err).not.toContain('error');
    expect(await run(['mark', asked, '--undo', 'query: wheel saddle pedal'])).toMatchObject({ code: 0 });
    rmSync(asked, { recursive: true, force: true });
  });

  test('finds the topic of stored pages after it was renamed in bingo.yaml', async () => {
    await run(['topic', 'rename', dir, 'cycling', 'velo']);
    const page = stored.findLast(({ topic, role }) => topic === 'cycling' && role === 'crawled')!;
    const { code, out, err } = await run(['mark', dir, '--good', page.url, '--preview', '--json']);
    await run(['topic', 'rename', dir, 'velo', 'cycling']);
    expect(code, err).toBe(0);
    expect(JSON.parse(out).decisions).toMatchObject([{ page: page.url, use: 'example', topic: 'velo' }]);
  });

  test('names every page that is not stored, and changes nothing', async () => {
    const before = await training();
    const { code, err } = await run(['mark', dir, '--good', 'http://x.test/1', 'http://x.test/2', stored[0]!.url]);
    expect(code).toBe(2);
    expect(err).toMatch(/x\.test\/1\n.*x\.test\/2\n/);
    expect(await training()).toEqual(before);
  });

  test('shows an empty name, such as an unset variable, in quotes', async () => {
    for (const flag of ['--bad', '--undo'])
      expect(await run(['mark', dir, flag, ''])).toMatchObject({ code: 2, err: expect.stringMatching(/:\n {2}""\n/) });
  });

  test('does not remove the last example of a topic', async () => {
    const examples = [...(await training())]
      .filter(([, origin]) => !/others|rejected/.test(origin))
      .map(([key]) => key);
    const { code, err } = await run(['mark', dir, '--drop', ...examples]);
    expect(code).toBe(2);
    expect(err).toContain('no example left');
  });

  test('requires marks, and one mark per page', async () => {
    expect(await run(['mark', dir])).toMatchObject({ code: 2, err: expect.stringContaining('--good URL') });
    const url = stored[0]!.url;
    expect((await run(['mark', dir, '--good', url, '--bad', url])).err).toContain('marked twice');
  });

  test('says what to do before anything was learned', async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'bingo-mark-'));
    writeFileSync(join(fresh, 'bingo.yaml'), bikeWorkspace(web));
    await run(['crawl', fresh, '--budget', '0', '--plain']);
    const { code, err } = await run(['mark', fresh, '--good', stored[0]!.url]);
    expect(code).not.toBe(0);
    expect(err).toMatch(/bingo crawl/);
    rmSync(fresh, { recursive: true, force: true });
  });
});
