import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InputError, UsageError, WorkspaceLockedError } from '../../../src/core/index.ts';
import type { WorkspaceCrawlEvent } from '../../../src/workbench/crawl/crawl-events.ts';
import { createWorkspace, type OpenWorkspace, openWorkspace } from '../../../src/workbench/library/open-workspace.ts';
import { type BikeWeb, bikeWorkspace, startBikeWeb } from '../../cli/support/bike-web.ts';

let web: BikeWeb;
let dir: string;
let workspace: OpenWorkspace;
const events: WorkspaceCrawlEvent[] = [];

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'bingo-library-'));
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

beforeAll(async () => {
  web = await startBikeWeb();
  dir = folder();
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  workspace = await openWorkspace(dir, { env: {} });
  for await (const event of workspace.crawl({ budget: 20 })) events.push(event);
});

afterAll(async () => {
  await workspace.close();
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('a workspace opened by the library', () => {
  test('crawls as a loop over events, with pages as plain data and a summary last', () => {
    const pages = events.filter((event) => event.kind === 'page');
    expect(pages.length).toBeGreaterThan(20);
    const [accepted] = pages.filter(({ topic }) => topic === 'cycling');
    expect(accepted).toMatchObject({
      topic: 'cycling',
      url: expect.stringContaining('bikes.test'),
      relevance: expect.any(Number),
    });
    expect(events.at(-1)).toMatchObject({ kind: 'summary', reason: 'budget', pages: 20, budget: 20 });
  });

  test('reports its status, with marks of sites', async () => {
    expect(await workspace.status()).toMatchObject({ phase: 'harvesting', markedSites: [], held: [] });
  });

  test('renames, moves, adds and removes topics, and their pages follow', async () => {
    const pages = async (): Promise<number | undefined> =>
      (await workspace.topics()).find(({ topic }) => topic.endsWith('two wheels'))?.accepted;
    const before = readFileSync(join(dir, 'bingo.yaml'), 'utf8');
    const { accepted } = (await workspace.topics()).find(({ topic }) => topic === 'cycling')!;
    expect(await workspace.renameTopic('cycling', 'two wheels')).toBe('two wheels');
    expect(await pages()).toBe(accepted);
    expect(await workspace.addTopic('sport', { examples: ['http://sport.test/'] })).toBe('sport');
    expect(await workspace.moveTopic('two wheels', 'sport')).toBe('sport/two wheels');
    expect(await pages()).toBe(accepted);
    workspace.addPages('sport', 'examples', ['http://more.test/']);
    workspace.addPages('sport', 'seeds', ['http://seed.test/']);
    workspace.removePages('sport', 'examples', ['http://sport.test/']);
    expect((await workspace.topics())[0]).toMatchObject({
      examples: ['http://more.test/'],
      seeds: ['http://seed.test/'],
    });
    workspace.addPages('sport', 'examples', ['http://last.test/']);
    expect(workspace.removePage('http://last.test/')).toEqual({
      page: 'http://last.test/',
      topic: 'sport',
      lists: ['examples'],
    });
    expect(() => workspace.removePages('sport', 'seeds', ['http://sport.test/'])).toThrow('not among the seeds');
    await workspace.moveTopic('sport/two wheels', '/');
    await workspace.renameTopic('two wheels', 'cycling');
    await workspace.removeTopic('sport');
    expect((await workspace.topics()).map((row) => [row.topic, row.accepted])).toContainEqual(['cycling', accepted]);
    writeFileSync(join(dir, 'bingo.yaml'), before);
  });

  test('searches with the options of the command line', async () => {
    const all = await workspace.search('saddle pedal', { limit: 3 });
    expect(all.results).toHaveLength(3);
    expect(all.results[0]).toMatchObject({ rank: 1, topic: 'cycling', snippet: expect.stringContaining('saddle') });
    const none = await workspace.search('saddle', { site: ['food.test'] });
    expect(none.matches).toBe(0);
    await expect(workspace.search('saddle', { since: 'yesterday' })).rejects.toThrow(/^since takes a day or an age/);
    await expect(workspace.search('saddle', { topic: ['cyclin'] })).rejects.toThrow(UsageError);
  });

  test('explains a page and an unknown address', async () => {
    const [first] = (await workspace.search('saddle')).results;
    expect(await workspace.explain(first?.url ?? '')).toMatchObject({ state: 'fetched', page: { topic: 'cycling' } });
    expect(await workspace.explain('https://unknown.example/')).toMatchObject({ state: 'unknown', page: null });
    await expect(workspace.explain('no address')).rejects.toThrow(UsageError);
  });

  test('lists pages, with their texts if asked, and exports text', async () => {
    const rows = await collected(workspace.pages({ relevant: true, text: true }));
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.every(({ topic, text }) => topic === 'cycling' && text !== '')).toBe(true);
    const csv = (await collected(workspace.export('csv', { relevant: true }))).join('');
    expect(csv.split('\n').filter((line) => line !== '')).toHaveLength(rows.length + 1);
  });

  test('writes a corpus with one text per accepted page', async () => {
    const out = join(folder(), 'texts');
    const { pages } = await workspace.corpus(out, { relevant: true });
    expect(pages).toBeGreaterThan(5);
    expect(readdirSync(out, { recursive: true }).filter((name) => String(name).endsWith('.txt')).length).toBe(pages);
  });

  test('runs SQL queries, and cannot write', async () => {
    const { columns, rows } = await workspace.sql("select count(*) as n from page where role = 'crawled'");
    expect(columns).toEqual(['n']);
    expect(Number(rows[0]?.[0])).toBeGreaterThan(0);
    expect(await workspace.sql('select url from page', { limit: 2 })).toMatchObject({ truncated: true });
    await expect(workspace.sql('delete from page')).rejects.toMatchObject({ code: 'SQL_READ_ONLY' });
  });

  test('lists topics, learned terms, groups, hubs and settings, and writes a portal', async () => {
    expect(await workspace.topics()).toMatchObject([{ topic: 'cycling', parent: null, good: true }]);
    expect((await workspace.topic())?.training.length).toBeGreaterThan(1);
    await expect(workspace.topic('cycle')).rejects.toThrow(/Unknown topic "cycle"/);
    const [group] = await workspace.clusters('cycling', { count: 1 });
    expect(group?.typical.length).toBeGreaterThan(0);
    await expect(workspace.adoptCluster('cycling', 1, { count: 1 })).rejects.toThrow(/would repeat the topic/);
    expect(await workspace.distill('cycling')).toMatchObject({ topic: 'cycling', positives: expect.any(Number) });
    expect((await workspace.distill('cycling', { limit: 1, keep: true })).converged).toBe(true);
    expect(await workspace.reclassify({ topic: 'cycling' })).toMatchObject({
      pages: expect.any(Number),
      model: expect.any(Number),
    });
    const aborted = { signal: AbortSignal.abort(new Error('stopped')) };
    await expect(workspace.reclassify(aborted)).rejects.toThrow('stopped');
    const out = join(folder(), 'site');
    expect(await workspace.portal(out)).toMatchObject({ topics: 1 });
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('cycling');
    const delay = workspace.settings().find(({ key }) => key === 'network.delayMs');
    expect(delay).toMatchObject({ value: 0, overridden: false, default: expect.any(Number) });
  });

  test('previews marks, applies them, and then lists them', async () => {
    const url = `${web.origin('bikes.test')}/1`;
    const work: string[] = [];
    const before = await workspace.previewMarks({ good: [url] }, { onEvent: ({ kind }) => work.push(kind) });
    expect(before).toMatchObject({ isPreview: true, known: 0, change: { decisions: [{ page: url, use: 'example' }] } });
    expect(work).toContain('begins');
    expect(await workspace.mark({ good: [url] })).toMatchObject({ isPreview: false, known: 0, isCrawlRunning: false });
    expect(await workspace.mark({ good: [url] })).toMatchObject({ isPreview: true, known: 1 });
    await expect(workspace.mark({ good: ['https://unknown.example/'] })).rejects.toThrow(/Not stored/);
  });
});

describe('a review by a program', () => {
  test('decides on candidates, previews the effect, and applies it', async () => {
    await using review = await workspace.review('cycling');
    const [topic] = review.candidates;
    const [first, second] = topic?.pages.filter(({ isTraining, sequence }) => !isTraining && sequence > 0) ?? [];
    expect([topic?.id, first?.topic]).toEqual(['cycling', 'cycling']);
    const { paragraphs, terms } = await review.text(first!);
    expect([paragraphs.length > 0, terms.length > 0]).toEqual([true, true]);
    await review.decide(first!.key, 'accept');
    await expect(
      review.trim(
        first!.key,
        paragraphs.map((_, n) => n),
      ),
    ).rejects.toThrow(/Nothing would be left/);
    await review.decide(second!.key, 'others');
    expect(review.decisions.get(first!.key)).toMatchObject({ use: 'example', topic: 'cycling' });
    const preview = await review.preview();
    expect(preview.decisions).toHaveLength(2);
    review.forget(second!.key);
    expect(await review.apply()).toMatchObject({ isPreview: false, change: { decisions: [{ page: first!.key }] } });
    expect(review.decisions.size).toBe(0);
    const query = `select origin from training where example = '${first!.key}' order by round desc`;
    expect((await workspace.sql(query)).rows[0]).toEqual(['feedback']);
  });

  test('refuses unknown pages, topics and paragraphs', async () => {
    const review = await workspace.review();
    const key = review.candidates[0]!.pages.find(({ sequence }) => sequence > 0)!.key;
    await expect(review.decide('https://unknown.example/', 'accept')).rejects.toThrow(/neither a stored page/);
    await expect(review.decide(key, 'move', { to: 'cyclin' })).rejects.toThrow(/Unknown topic "cyclin"/);
    await expect(review.decide(key, 'move')).rejects.toThrow(UsageError);
    await expect(review.trim(key, [999])).rejects.toThrow(/No paragraph 1000/);
    expect(review.decisions.size).toBe(0);
    await review.close();
    await expect(workspace.review('cyclin')).rejects.toThrow(/Unknown topic "cyclin"/);
  });

  test('lists what the crawl proposes, and refuses to carry out a hint', async () => {
    await using review = await workspace.review();
    const [hint] = (await review.proposals()).filter(({ act }) => act.kind === 'look');
    expect(hint).toMatchObject({ topic: 'cycling', kind: expect.any(String), what: expect.any(String) });
    await expect(review.accept(hint!)).rejects.toThrow(UsageError);
  });
});

describe('settings changed by a program', () => {
  test('are written to bingo.yaml with its comments, and removed again', async () => {
    const own = folder();
    writeFileSync(join(own, 'bingo.yaml'), `# mine\n${bikeWorkspace(web)}`);
    await using opened = await openWorkspace(own, { env: {} });
    opened.setSetting('crawl.budget', 77);
    expect(readFileSync(join(own, 'bingo.yaml'), 'utf8')).toMatch(/^# mine\n[\s\S]*budget: 77/);
    expect(opened.settings().find(({ key }) => key === 'crawl.budget')?.value).toBe(77);
    expect([opened.unsetSetting('crawl.budget'), opened.unsetSetting('crawl.budget')]).toEqual([true, false]);
    expect(() => opened.setSetting('crawl.budget', 'many')).toThrow(UsageError);
    expect(() => opened.unsetSetting('crawl.nosuch')).toThrow(UsageError);
  });
});

describe('a crawl controlled by a program', () => {
  test('pauses, resumes, accepts another budget, and stops if its loop is left', async () => {
    const own = folder();
    writeFileSync(join(own, 'bingo.yaml'), bikeWorkspace(web));
    await using opened = await openWorkspace(own, { env: {} });
    const crawl = opened.crawl({ budget: 1000 });
    let pages = 0;
    for await (const event of crawl) {
      if (event.kind !== 'page' || event.role !== 'crawled') continue;
      pages++;
      if (pages === 1) {
        crawl.pause();
        expect(crawl.status()?.paused).toBe(true);
        crawl.setBudget(30);
        crawl.resume();
      }
      if (pages === 3) break;
    }
    expect(await crawl.summary).toMatchObject({ reason: 'stopped', budget: 30 });
    const stopped = new AbortController();
    stopped.abort();
    expect(await opened.crawl({ budget: 30, signal: stopped.signal }).summary).toMatchObject({ reason: 'stopped' });
    rmSync(own, { recursive: true, force: true });
  });

  test('throws errors where events are read, and reports wrong settings at once', async () => {
    const own = folder();
    writeFileSync(join(own, 'bingo.yaml'), bikeWorkspace(web));
    await using one = await openWorkspace(own, { env: {} });
    await using two = await openWorkspace(own, { env: {} });
    const release = web.hold(3);
    const first = one.crawl({ budget: 20 });
    const iterator = first[Symbol.asyncIterator]();
    await iterator.next();
    await expect(collected(two.crawl())).rejects.toThrow(WorkspaceLockedError);
    release();
    first.stop();
    await first.summary;
    expect(() => one.crawl({ budget: -1 })).toThrow(InputError);
    rmSync(own, { recursive: true, force: true });
  });
});

test('makes a workspace from topics, examples and settings', async () => {
  const own = join(folder(), 'new');
  await using made = await createWorkspace(own, {
    topics: [{ name: 'cycling', examples: ['https://bikes.example/'] }],
    contact: 'me@example.org',
    settings: { 'crawl.budget': 50 },
    env: {},
  });
  expect(made.title).toBe('new');
  expect(readFileSync(join(own, 'bingo.yaml'), 'utf8')).toContain('me@example.org');
  await expect(createWorkspace(own, { topics: [] })).rejects.toMatchObject({
    message: expect.stringContaining('exists already'),
    hint: 'Choose another folder.',
  });
  await expect(createWorkspace(`${own}2`, { topics: [{ name: 'a/b' }] })).rejects.toThrow(InputError);
  rmSync(own, { recursive: true, force: true });
});

test('a workspace imported from bookmarks has their folders as topics', async () => {
  const own = join(folder(), 'imported');
  const file = join(folder(), 'bookmarks.html');
  const link = '<DT><A HREF="https://bikes.example/">Bikes</A>';
  writeFileSync(file, `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>cycling</H3><DL><p>${link}</DL><p></DL>`);
  await using made = await createWorkspace(own, {
    from: { kind: 'bookmarks', file },
    settings: { 'crawl.budget': 9 },
  });
  expect(readFileSync(join(made.dir, 'bingo.yaml'), 'utf8')).toMatch(
    /name: cycling[\s\S]*bikes\.example[\s\S]*budget: 9/,
  );
  const opml = { from: { kind: 'opml', file } } as const;
  await expect(createWorkspace(join(own, 'no'), opml)).rejects.toThrow(/contains bookmarks/);
  const list = { from: { kind: 'documents', folder: folder() } } as const;
  await expect(createWorkspace(join(own, 'no'), list)).rejects.toThrow(/no page to learn from/);
});
