import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TinyWeb } from '../support/tiny-web.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

let web: TinyWeb;
let root: string;
let dir: string;
let warc: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-freeze-'));
  dir = join(root, 'bikes');
  warc = join(root, 'bikes.warc.gz');
  mkdirSync(dir);
  writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
  await run(['crawl', dir, '--budget', '16', '--learn', '4', '--warc', warc]);
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

describe('bingo lab freeze', () => {
  it('turns a recorded crawl into a web and a task on which orderings can be compared', async () => {
    const frozen = await run(['lab', 'freeze', dir, '--warc', warc, '--budget', '6']);
    expect(frozen.err).toMatch(
      /^Written: .*bikes\.labels\.tsv, .*bikes\.tasks\.json\n\d+ pages found, \d+ of them on 1 topic/,
    );
    expect(frozen.code).toBe(0);
    const out = join(root, 'compared');
    const tasks = join(root, 'bikes.tasks.json');
    const compared = await run([
      'lab',
      'run',
      tasks,
      '--webs',
      root,
      '--out',
      out,
      '--orderings',
      'learned,breadth-first',
      '--jobs',
      '1',
    ]);
    expect(compared.code).toBe(0);
    const { runs } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as {
      readonly runs: readonly { readonly ordering: string; readonly fetched: readonly unknown[] }[];
    };
    expect(runs.map(({ ordering, fetched }) => [ordering, fetched.length])).toEqual([
      ['learned', 6],
      ['breadth-first', 6],
    ]);
  });

  it('overwrites nothing without --force', async () => {
    writeFileSync(join(root, 'bikes.labels.tsv'), 'by hand');
    const { code, err } = await run(['lab', 'freeze', dir, '--warc', warc]);
    expect([code, err]).toEqual([2, expect.stringContaining('--force')]);
    expect(readFileSync(join(root, 'bikes.labels.tsv'), 'utf8')).toBe('by hand');
    const forced = await run(['lab', 'freeze', dir, '--warc', warc, '--force', '--json']);
    expect(JSON.parse(forced.out)).toMatchObject({ topics: ['cycling'], relevant: expect.any(Number) });
  });

  it('labels pages by the topic names of bingo.yaml, even if no crawl knows them yet', async () => {
    expect((await run(['topic', 'rename', dir, 'cycling', 'velo'])).code).toBe(0);
    const { code, out, err } = await run(['lab', 'freeze', dir, '--warc', warc, '--force', '--json']);
    expect((await run(['topic', 'rename', dir, 'velo', 'cycling'])).code).toBe(0);
    expect(code, err).toBe(0);
    expect(JSON.parse(out).topics).toEqual(['velo']);
    const labels = readFileSync(join(root, 'bikes.labels.tsv'), 'utf8').trim().split('\n');
    expect(new Set(labels.map((line) => line.split('\t')[1]))).toEqual(new Set(['velo', 'OTHERS']));
  });

  it('continues after damaged records if asked', async () => {
    const broken = join(root, 'broken.warc.gz');
    const bytes = readFileSync(warc);
    writeFileSync(broken, bytes.subarray(0, bytes.length - 9));

    const refused = await run(['lab', 'freeze', dir, '--warc', broken]);
    expect([refused.code, refused.err]).toEqual([expect.any(Number), expect.stringContaining('--skip-damaged')]);
    const skipped = await run(['lab', 'freeze', dir, '--warc', broken, '--skip-damaged']);
    expect([skipped.code, skipped.err]).toEqual([0, expect.stringContaining('broken.warc.gz: the file ends within')]);
  });

  it.each([
    [[], '--warc is missing'],
    [['--warc', 'bikes.zip'], 'end with .warc'],
    [['--warc', '/nowhere/bikes.warc.gz'], 'bikes.warc.gz'],
  ])('says what is wrong with %j', async (flags, words) => {
    const { code, err } = await run(['lab', 'freeze', dir, ...flags]);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(words);
  });
});
