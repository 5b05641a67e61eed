import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;
let long: string;
let short: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-compare-'));
  [long, short] = [crawlOf('long', 20), crawlOf('short', 5)];
  for (const dir of [long, short]) await run(['crawl', dir]);
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

function crawlOf(name: string, budget: number): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'bingo.yaml'), bikeWorkspace(web, `crawl: {budget: ${budget}, learn: 4}\n`));
  return folder;
}

describe('bingo status --svg', () => {
  it('draws the harvest rate over all crawled pages, with a line for each phase and round', async () => {
    const svg = join(root, 'harvest.svg');
    const { code, out } = await run(['status', long, '--svg', svg]);
    expect([code, out]).toEqual([0, expect.stringContaining('harvest rate')]);
    const picture = readFileSync(svg, 'utf8');
    expect(picture).toContain('<title>phase learning</title>');
    expect(picture).toContain('<title>phase harvesting</title>');
    expect(picture.match(/<title>round \d+/g)?.length).toBeGreaterThan(0);
    expect(picture.match(/<path d="M[^"]*" fill="none"/)?.[0].match(/L/g)).toHaveLength(19);
  });
});

describe('bingo compare', () => {
  it('shows what a long crawl finds of a short one, and writes a picture', async () => {
    const svg = join(root, 'compared.svg');
    const { code, out } = await run(['compare', long, short, '--svg', svg]);
    expect(code).toBe(0);
    expect(out).toMatch(/^long +short .* 100 %$/m);
    expect(out).toContain('hosts of authorities');
    expect(readFileSync(svg, 'utf8')).toContain('Relevant pages of the other crawl');
    const { coverage } = JSON.parse((await run(['compare', long, short, '--json'])).out) as {
      readonly coverage: readonly { readonly share: number }[];
    };
    expect(coverage[0]?.share).toBe(1);
    expect(coverage[1]?.share).toBeLessThan(1);
  });

  it('says that one crawl has no authorities yet, and names the next command', async () => {
    const { out, err } = await run(['compare', long]);
    expect(out).toContain('long: no authorities yet');
    expect(err).toContain('Next: bingo compare');
  });

  it('compares each pair of three crawls', async () => {
    const { code, out } = await run(['compare', long, short, long, '--json']);
    expect(code).toBe(0);
    const { crawls, coverage } = JSON.parse(out) as Record<'crawls' | 'coverage', readonly unknown[]>;
    expect([crawls.length, coverage.length]).toEqual([3, 6]);
  });

  it('reports a folder that is no workspace', async () => {
    expect((await run(['compare', long, join(root, 'nowhere')])).code).toBe(2);
  });
});

describe('bingo score', () => {
  it('compares a crawl with a list, also with the export of another one', async () => {
    const list = join(root, 'list.jsonl');
    const { out } = await run(['export', short, '--relevant']);
    writeFileSync(list, out);
    const all = await run(['score', long, '--against', list]);
    expect(all.code).toBe(0);
    expect(all.out).toMatch(/^ *all \d+.* 100 %$/m);
    writeFileSync(list, 'http://elsewhere.test/\n');
    const none = await run(['score', long, '--against', list]);
    expect(none.out).toContain('Missing:\n  http://elsewhere.test/');
    expect(none.err).toContain('Next: bingo why');
  });

  it.each([
    [[], '--against is missing'],
    [['--against', 'nowhere.txt'], 'nowhere.txt'],
  ])('reports wrong input: %s', async (flags, message) => {
    expect(await run(['score', long, ...flags])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});
