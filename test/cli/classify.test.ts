import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace } from '../../src/workbench/index.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { BIKE, bikeFolder, page, prose, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;
let dir: string;

interface Classified {
  readonly topic: string | null;
  readonly places: readonly { readonly topic: string; readonly relevance: number }[];
  readonly explanation: { readonly for: readonly { readonly contribution: number }[] };
}

beforeAll(async () => {
  web = await startBikeWeb();
  web.handle('late.test', (request, response) => {
    if (request.url === '/robots.txt') return response.end('User-agent: *\nDisallow: /private');
    if (request.url === '/moved') return response.writeHead(302, { location: '/' }).end();
    response.writeHead(200, { 'content-type': 'text/html' });
    return response.end(page('A late bicycle', `${prose(BIKE, 3)} ${prose(BIKE, 4)}`, []));
  });
  root = mkdtempSync(join(tmpdir(), 'bingo-classify-'));
  dir = workspace('bikes');
  await run(['crawl', dir]);
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

function workspace(name: string): string {
  return bikeFolder(root, name, web, 'crawl: {budget: 20, learn: 4}\n');
}

async function classified(what: string): Promise<Classified> {
  const { code, out, err } = await run(['classify', dir, what, '--json']);
  expect([code, err]).toEqual([0, expect.not.stringContaining('rror')]);
  return JSON.parse(out) as Classified;
}

describe('bingo classify', () => {
  it('fetches a page, also behind a redirect, and names its topic with reasons', async () => {
    for (const path of ['/', '/moved']) {
      const { topic, places, explanation } = await classified(`${web.origin('late.test')}${path}`);
      expect(topic).toBe('cycling');
      expect(places[0]).toMatchObject({ topic: 'cycling' });
      expect(explanation.for[0]?.contribution).toBeGreaterThan(0);
    }
    const { out, err } = await run(['classify', dir, `${web.origin('late.test')}/`]);
    expect(out).toMatch(/^A late bicycle\nAccepted into cycling\.\n/);
    expect(out).toMatch(/ {2}for +\w+ \d\.\d\d/);
    expect(err).toContain('Next: bingo add');
  });

  it('judges files, of any format by their content, and stores nothing', async () => {
    const count = async (): Promise<string> => (await run(['sql', dir, 'select count(*) from page', '--csv'])).out;
    const before = await count();
    const file = join(root, 'bike.html');
    writeFileSync(file, page('A file', `${prose(BIKE, 3)} ${prose(BIKE, 5)}`, []));
    expect((await classified(file)).topic).toBe('cycling');
    const other = join(root, 'other.txt');
    writeFileSync(other, 'A treatise on ledgers, invoices and taxes of small companies. '.repeat(20));
    expect((await classified(other)).topic).toBeNull();
    expect(await count()).toBe(before);
  });

  it('judges bytes and standard input, in the library as well', async () => {
    const html = page('Piped', `${prose(BIKE, 3)} ${prose(BIKE, 5)}`, []);
    const { out } = await run(['classify', dir, '-', '--json'], { input: html });
    const piped = JSON.parse(out) as Classified;
    expect(piped).toMatchObject({ topic: 'cycling', url: null });
    const bikes = await openWorkspace(dir);
    const found = await bikes.classify(Buffer.from(html), { limit: 1 });
    await bikes.close();
    expect(found.topic).toBe('cycling');
    expect(found.places[0]?.relevance).toBe(piped.places[0]?.relevance);
    expect(found.places).toHaveLength(1);
  });

  it('obeys robots.txt', async () => {
    const { code, err } = await run(['classify', dir, `${web.origin('late.test')}/private`]);
    expect([code, err]).toEqual([2, expect.stringContaining('robots')]);
  });

  it('reports what cannot be classified', async () => {
    const empty = join(root, 'empty.txt');
    writeFileSync(empty, '');
    expect((await run(['classify', dir, empty])).code).toBe(2);
    expect(await run(['classify', dir, 'no such thing'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('neither a file nor a web address'),
    });
    expect((await run(['classify', dir, 'missing.pdf'])).err).toContain('missing.pdf is neither a file nor');
  });

  it('names the next command before anything was learned', async () => {
    const fresh = workspace('fresh');
    const { code, err } = await run(['classify', fresh, join(dir, 'bingo.yaml')]);
    expect([code, err]).not.toEqual([0, '']);
    expect(err).toMatch(/bingo crawl/);
  });
});
