import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/core/index.ts';
import { encodeModels } from '../../src/meta/index.ts';
import { lockWorkspace, openStore } from '../../src/store/index.ts';
import { loadForReading, reclassify } from '../../src/workbench/index.ts';
import { link, type PageParts, page, round } from '../contracts/store-records.ts';
import { bagOf } from '../learn/bags.ts';
import { DATABASES, EVERYDAY, train } from '../meta/topics.ts';
import { run } from './support/captured-io.ts';

let root: string;
let dir: string;
let empty: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bingo-bulk-'));
  dir = await workspace('stored', [
    read(1, 'database transaction recovery log', { topic: 'databases', links: ['https://p2.example/'] }),
    read(2, 'database query index lock', { topic: 'databases' }),
    read(3, 'garden flower tree soil rain', { topic: 'databases' }),
    read(4, 'database recovery index database join', { topic: '', others: true, links: ['https://p2.example/'] }),
    read(5, 'music song band concert', { topic: '', others: true }),
    round(6, { model: 7, blob: encodeModels(train([{ name: 'databases' }], [...DATABASES, ...EVERYDAY]).models) }),
  ]);
  empty = await workspace('empty', []);
});
afterAll(() => rmSync(root, { recursive: true }));

async function workspace(name: string, records: readonly JournalRecord[]): Promise<string> {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'bingo.yaml'),
    'topics:\n  - {name: databases, examples: ["https://a.example/"]}\nothers: ["https://b.example/"]\n',
  );
  const store = await openStore({ url: 'sqlite', workspace: folder, batch: 100, flushMs: 1 });
  for (const record of records) store.append(record);
  await store.close();
  return folder;
}

function read(
  sequence: number,
  text: string,
  { links = [], ...parts }: Pick<PageParts, 'topic' | 'others'> & { links?: readonly string[] },
): JournalRecord {
  const document = { features: { terms: bagOf(text) } };
  const targets = links.map((target) => link(target));
  return page(sequence, `https://p${sequence}.example/`, { ...parts, relevance: 0.8, links: targets, document });
}

describe('bingo reclassify', () => {
  it('shows how many pages would change topic, from where to where, and the surest ones', async () => {
    const { code, out, err } = await run(['reclassify', dir]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^2 of 5 pages \(40.* %\) would change topic by naive Bayes, model 7/);
    expect(out).toMatch(/OTHERS +databases +1\n/);
    expect(out).toMatch(/databases +OTHERS +1\n/);
    expect(out).toContain('https://p3.example/');
  });

  it('prints the same as JSON, for one topic if asked', async () => {
    const all = JSON.parse((await run(['reclassify', dir, '--json', '--limit', '1'])).out);
    expect(all).toMatchObject({ model: 7, pages: 5, changed: 2, examples: [{ probability: expect.any(Number) }] });
    expect(all.moves).toEqual([
      { from: 'OTHERS', to: 'databases', pages: 1 },
      { from: 'databases', to: 'OTHERS', pages: 1 },
    ]);
    const one = JSON.parse((await run(['reclassify', dir, '--json', '--topic', 'databases'])).out);
    expect(one).toMatchObject({ pages: 3, changed: 1, examples: [{ url: 'https://p3.example/', to: 'OTHERS' }] });
  });

  it('judges a sample of many pages, and all with --all', async () => {
    const bikes = loadForReading(dir, { env: {} });
    const sampled = await reclassify(bikes, {}, { sample: 3 });
    expect(sampled.of).toBe(5);
    expect(sampled.pages).toBeLessThan(5);
    expect(await reclassify(bikes, {}, { sample: 3, keep: true })).toMatchObject({ pages: 5, of: 5 });
    expect((await run(['reclassify', dir, '--drop'])).code).toBe(0);
    expect(JSON.parse((await run(['reclassify', dir, '--all', '--json'])).out)).toMatchObject({ pages: 5, of: 5 });
  });

  it('keeps its tables if asked, and drops them again', async () => {
    expect((await run(['reclassify', dir, '--keep'])).code).toBe(0);
    const count = `select sum(d.count) as n from document_term d join term t on t.id = d.term where t.term = 'database'`;
    const found = await run(['sql', dir, '--json', count]);
    expect(JSON.parse(found.out)).toEqual([{ n: 4 }]);
    expect(await run(['reclassify', dir, '--drop'])).toMatchObject({ code: 0, out: '' });
    expect((await run(['sql', dir, 'select * from term'])).code).not.toBe(0);
  });

  it('only reads while a crawl is running, and keeps no tables then', async () => {
    const lock = lockWorkspace(dir);
    try {
      expect((await run(['reclassify', dir])).code).toBe(0);
      expect(await run(['reclassify', dir, '--keep'])).toMatchObject({ code: 1, out: '' });
    } finally {
      lock.release();
    }
  });

  it('reports missing and misspelt arguments', async () => {
    expect(await run(['reclassify', empty])).toMatchObject({ code: 1, err: expect.stringContaining('bingo crawl') });
    expect(await run(['reclassify', dir, '--topic', 'databses'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('databases'),
    });
    expect((await run(['reclassify', dir, '--keep', '--drop'])).code).toBe(2);
    expect((await run(['reclassify', dir, '--drop', '--json'])).code).toBe(2);
  });

  it('prints JSON even before a model exists', async () => {
    const { code, out } = await run(['reclassify', empty, '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([1, { model: 0, pages: 0, changed: 0, moves: [], examples: [] }]);
  });
});

describe('bingo distill', () => {
  it('ranks the hubs and authorities of a topic', async () => {
    const { code, out, err } = await run(['distill', dir, 'databases']);
    expect([code, err]).toEqual([0, '']);
    expect((await run(['distill', dir])).out).toBe(out);
    expect(out).toMatch(
      /^databases: 3 pages in a base set of 4, 2 links that recommend, converged after \d+ iterations/,
    );
    expect(out).toMatch(/authority.*\n.*\n +1\.0000 +62 % .*https:\/\/p2\.example\//);
  });

  it('prints the same as JSON, limited to the number asked for', async () => {
    const svg = join(dir, 'distilled.svg');
    const found = JSON.parse((await run(['distill', dir, 'databases', '--json', '--limit', '1', '--svg', svg])).out);
    expect(readFileSync(svg, 'utf8')).toContain(`<title>1. ${found.hubs[0].title || found.hubs[0].url}: `);
    expect(found).toMatchObject({ topic: 'databases', positives: 3, edges: 2, converged: true });
    expect(found.hubs).toEqual([
      { page: 1, url: 'https://p1.example/', title: 'A title', relevance: 0.8, score: expect.closeTo(0.5, 9) },
    ]);
    expect(found.authorities).toMatchObject([{ page: 2, score: expect.closeTo(1, 9) }]);
  });

  it('counts pages outside that link to pages of the topic with --backlinks', async () => {
    const file = join(dir, 'links.tsv');
    writeFileSync(file, 'from,to\n"https://list.example/all","https://p2.example/"\n');
    const { out } = await run(['distill', dir, 'databases', '--backlinks', file]);
    expect(out).toMatch(/\(not stored\).*https:\/\/list\.example\/all/);
    writeFileSync(file, 'https://list.example/all\n');
    expect(await run(['distill', dir, 'databases', '--backlinks', file])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/:1: Expected two web addresses/),
    });
    writeFileSync(file, '# nothing yet\n');
    expect(await run(['distill', dir, 'databases', '--backlinks', file])).toMatchObject({
      code: 2,
      err: expect.stringContaining('has no link'),
    });
    expect((await run(['distill', dir, 'databases', '--backlinks', join(dir, 'missing')])).code).not.toBe(0);
  });

  it('stores its scores for search rankings with --keep', async () => {
    const authorities = async (): Promise<readonly (readonly [string, number])[]> => {
      const { out } = await run(['search', dir, 'database query', '--rank', 'authority', '--json', '--limit', '20']);
      return (JSON.parse(out) as { url: string; authority: number }[]).map(
        ({ url, authority }) => [url, authority] as const,
      );
    };
    const before = await authorities();
    expect(before.map(([, authority]) => authority)).toEqual(before.map(() => 0));
    const { code, out } = await run(['distill', dir, 'databases', '--keep', '--limit', '1']);
    expect([code, out]).toEqual([0, expect.stringContaining('https://p2.example/')]);
    const [best, ...others] = await authorities();
    expect(best).toEqual(['https://p2.example/', 1]);
    expect([others.length, ...others.map(([, authority]) => authority)]).toEqual([
      before.length - 1,
      ...others.map(() => 0),
    ]);
    const kept = await run(['sql', dir, 'select page, topic, authority from authority', '--csv']);
    expect(kept.out).toContain('2,databases,1');
  });

  it('says if a topic is unknown or has no pages', async () => {
    expect(await run(['distill', empty, 'databases'])).toMatchObject({
      code: 0,
      err: expect.stringContaining('bingo status'),
    });
    expect((await run(['distill', dir, 'cooking'])).code).toBe(2);
  });
});
