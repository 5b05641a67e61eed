import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { link, page } from '../contracts/store-records.ts';
import { BINGO } from './support/bingo-process.ts';
import { run } from './support/captured-io.ts';
import { type MadeWorkspace, makeWorkspace } from './support/made-workspace.ts';

const YAML = `topics:
  - name: databases
    examples: [https://a.example/]
    topics:
      - name: recovery
        examples: [https://b.example/]
others: [https://o.example/]
`;

const isBuilt = existsSync(join(import.meta.dirname, '../../dist/main.js'));
let made: MadeWorkspace;
let place: string;

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'bingo-export-'));
  made = await makeWorkspace(YAML, [
    (n) => page(n, 'https://a.example/', { record: { role: 'example' }, links: [link('https://c.example/')] }),
    (n) => page(n, 'https://b.example/', { topic: 'databases/recovery', links: [link('https://c.example/')] }),
    (n) => page(n, 'https://c.example/', { topic: 'databases/recovery', links: [link('https://b.example/')] }),
    (n) => page(n, 'https://o.example/', { others: true, links: [link('https://b.example/')] }),
  ]);
});

afterAll(() => {
  made.drop();
  rmSync(place, { recursive: true, force: true });
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const written = async (name: string, ...flags: string[]): Promise<string> => {
  const out = join(place, name);
  expect(await run(['export', made.dir, '--out', out, ...flags])).toMatchObject({ code: 0, out: '' });
  return readFileSync(out, 'utf8');
};

describe('bingo export', () => {
  test('writes addresses only', async () => {
    expect(await written('list.txt')).toBe('https://a.example/\nhttps://b.example/\nhttps://c.example/\n');
    expect((await run(['export', made.dir, '--format', 'urls', '--relevant'])).out).toBe(
      'https://b.example/\nhttps://c.example/\n',
    );
  });

  test('selects pages by topic with its subtopics, by site and by time', async () => {
    const urls = async (...flags: string[]): Promise<string> =>
      (await run(['export', made.dir, '--format', 'urls', ...flags])).out;
    expect(await urls('--topic', 'databases/recovery')).toBe('https://b.example/\nhttps://c.example/\n');
    expect(await urls('--topic', 'databases', '--site', 'a.example')).toBe('https://a.example/\n');
    expect(await urls('--until', '2002-01-01')).toBe('');
    expect((await run(['export', made.dir, '--since', 'soon'])).err).toContain('a day or an age');
    const bookmarks = await run(['export', made.dir, '--format', 'bookmarks', '--site', 'c.example']);
    expect(bookmarks.out.match(/https:[^"]*/g)).toEqual(['https://c.example/']);
  });

  test('reads a time without a zone as UTC, in any time zone', async () => {
    vi.stubEnv('TZ', 'America/New_York');
    const urls = async (...flags: string[]): Promise<string> =>
      (await run(['export', made.dir, '--format', 'urls', ...flags])).out;
    const [first] = (await run(['export', made.dir])).out.split('\n');
    const { fetchedAt } = JSON.parse(first!) as { fetchedAt: string };
    const zoneless = fetchedAt.replace('Z', '');
    expect(await urls('--since', zoneless)).toBe(await urls('--since', fetchedAt));
    expect(await urls('--until', zoneless.replace('T', ' '))).toBe('');
    expect(await urls('--since', zoneless.replace('T', ' '))).toContain('https://a.example/');
    expect((await run(['status', made.dir])).out).toMatch(
      /^fetched +2003-01-05 14:00:0\d to 2003-01-05 14:00:0\d UTC$/m,
    );
  });

  test('writes the main text of each page beside its fields, if asked', async () => {
    const rows = (await written('texts.jsonl', '--text'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ url }) => url)).toHaveLength(4);
    for (const { text } of rows) expect(text).toMatch(/\w+ \w+/);
    const [bare] = (await written('bare.jsonl')).split('\n');
    expect(JSON.parse(bare!)).not.toHaveProperty('text');
  });

  test.each([
    ['--text', 'csv', '--text is for jsonl, not for csv.'],
    ['--copies', 'urls', '--copies is for jsonl and csv, not for urls.'],
    ['--gone', 'csv', '--gone is for urls, bookmarks and opml, not for csv.'],
    ['--force', 'jsonl', '--force is for corpus, markdown and dataset, not for jsonl.'],
  ])('says so when %s would change nothing for %s', async (flag, format, message) => {
    const { code, out, err } = await run(['export', made.dir, flag, '--format', format]);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
  });

  test.each([
    ['pages.zip', 'Name the format: --format jsonl'],
    ['pages.warc.gz', '--warc FILE'],
  ])('does not write JSON lines into %s unasked', async (name, hint) => {
    const out = join(place, name);
    const { code, err } = await run(['export', made.dir, '--out', out]);
    expect([code, err]).toEqual([2, expect.stringContaining('does not name a known format')]);
    expect(err).toContain(hint);
    expect(existsSync(out)).toBe(false);
    expect(await written(name, '--format', 'urls')).toContain('https://a.example/');
  });

  test('writes JSON lines for a name without an extension and for its other extensions', async () => {
    for (const name of ['pages', 'pages.json', 'pages.ndjson'])
      expect(JSON.parse((await written(name)).split('\n')[0]!)).toMatchObject({ url: 'https://a.example/' });
  });

  test('replaces an old file with the same permissions, even behind a link', async () => {
    const target = join(place, 'kept.jsonl');
    writeFileSync(target, 'old');
    chmodSync(target, 0o640);
    symlinkSync(target, join(place, 'link.jsonl'));
    expect((await written('link.jsonl')).split('\n')).toHaveLength(5);
    expect(lstatSync(join(place, 'link.jsonl')).isSymbolicLink()).toBe(true);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    expect(readdirSync(place).filter((name) => name.includes('making'))).toEqual([]);
  });

  test.skipIf(!isBuilt)('streams pages to a pipe, and ends with its reader', () => {
    const bingo = `"${process.execPath}" "${BINGO}" export "${made.dir}" --format jsonl`;
    const shell = (line: string): unknown => {
      const options = ['-c', `set -o pipefail; ${line}; echo "code $?"`];
      const { stdout, stderr } = spawnSync('bash', options, { encoding: 'utf8' });
      return [stdout.replace(/^\{.*\n/gm, 'page '), stderr.includes('error')];
    };
    expect(shell(`${bingo} --out /dev/stdout | cat`)).toEqual(['page page page page code 0\n', false]);
    expect(shell(`${bingo} --out /dev/stdout`)).toEqual(['page page page page code 0\n', false]);
    expect(shell(`${bingo} --out /dev/stdout | true`)).toEqual(['code 0\n', false]);
    expect(shell(`${bingo} --out >(exec 0<&-; sleep 2)`)).toEqual(['code 0\n', false]);
    expect(shell(`${bingo} --out /dev/null`)).toEqual(['code 0\n', false]);
  });

  test('prints how many pages it wrote, in every format', async () => {
    for (const [format, count] of [
      ['jsonl', 4],
      ['csv', 4],
      ['urls', 3],
      ['bookmarks', 3],
      ['opml', 3],
      ['gexf', 3],
    ] as const)
      expect((await run(['export', made.dir, '--format', format])).err, format).toBe(`${count} pages written.\n`);
  });

  test.each([
    ['bookmarks', 'bikes.html', '--bookmarks'],
    ['OPML', 'bikes.opml', '--opml'],
  ])('writes %s that bingo init reads back as the same topics', async (_, name, flag) => {
    await written(name);
    const dir = join(place, `again-${name}`);
    const { code, err } = await run(['init', dir, flag, join(place, name)]);
    expect(err).toContain('2 topics, 3 examples');
    expect(code).toBe(0);
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toContain(`  - name: databases
    examples:
      - https://a.example/
    topics:
      - name: recovery
        examples:
          - https://b.example/
          - https://c.example/
`);
  });

  test('writes the graph of links between pages of topics', async () => {
    const file = await written('links.gexf', '--relevant');
    expect(file.match(/<node /g)).toHaveLength(2);
    expect([...file.matchAll(/source="(\d)" target="(\d)"/g)].map((edge) => edge.slice(1))).toEqual([
      ['2', '3'],
      ['3', '2'],
    ]);
  });

  test('writes a corpus as a folder, and replaces the one before', async () => {
    const out = join(place, 'texts');
    for (let i = 0; i < 2; i++)
      expect((await run(['export', made.dir, '--format', 'corpus', '--out', out])).err).toBe(
        `3 pages written to ${out}.\n`,
      );
    expect(readdirSync(out).sort()).toEqual(['bingo-folder.json', 'databases', 'databases-recovery']);
    const file = readFileSync(join(out, 'databases-recovery', '000003-a-title.txt'), 'utf8');
    expect(file).toContain('url: "https://c.example/"\n');
    expect(file.endsWith('---\n\nSome text of the page.\n')).toBe(true);
  });

  test('writes the same dataset twice, byte for byte', async () => {
    const files = async (name: string): Promise<string[]> => {
      const out = join(place, name);
      expect(await run(['export', made.dir, '--format', 'dataset', '--out', out])).toMatchObject({ code: 0, out: '' });
      return ['pages.parquet', 'README.md'].map((file) => readFileSync(join(out, file), 'base64'));
    };
    const first = await files('data-1');
    expect(await files('data-2')).toEqual(first);
    expect(Buffer.from(first[1]!, 'base64').toString()).toContain('| databases/recovery | 2 |');
  });

  test('writes only what a consumer lacks, and what went away', async () => {
    const pages = [
      (n: number) => page(n, 'https://a.example/', { record: { role: 'example' } }),
      (n: number) => page(n, 'https://b.example/', { document: { text: 'first version' } }),
    ];
    const own = await makeWorkspace(YAML, pages);
    const news = async (...flags: string[]): Promise<[Record<string, unknown>[], string]> => {
      const { out, err } = await run(['export', own.dir, '--new-since-last', 'index', '--format', 'jsonl', ...flags]);
      return [
        out
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line)),
        err,
      ];
    };
    try {
      const [all, told] = await news();
      expect(all.map(({ url }) => url)).toEqual(['https://a.example/', 'https://b.example/']);
      expect(told).toBe('2 pages written for index.\n');
      expect((await news())[0]).toEqual([]);
      const state = join(own.dir, 'consumers', 'index.json');
      const known = readFileSync(state, 'utf8');
      // As if the consumer had an older version of one page, and one page that is not exported any more.
      writeFileSync(state, known.replace('"2 databases"', '"1 databases"').replace('https://a.', 'https://gone.'));
      const failed = await run([
        'export',
        own.dir,
        '--new-since-last',
        'index',
        '--out',
        join(place, 'no', 'such', 'x.jsonl'),
      ]);
      expect(failed.code).not.toBe(0);
      const [changed, summary] = await news();
      expect(changed.map(({ url, deleted }) => [url, deleted])).toEqual([
        ['https://a.example/', undefined],
        ['https://b.example/', undefined],
        ['https://gone.example/', true],
      ]);
      expect(summary).toContain('1 marked as deleted');
      expect((await news())[0]).toEqual([]);
      expect((await news('--relevant'))[1]).toContain('another format or other pages');
      expect((await run(['export', own.dir, '--new-since-last', '../x'])).err).toContain('not a name');
      expect((await run(['export', own.dir, '--format', 'csv', '--new-since-last', 'c'])).err).toContain(
        'jsonl and chunks',
      );
      writeFileSync(state, '{');
      expect((await news())[1]).toContain('is damaged');
      const chunks = await run(['export', own.dir, '--format', 'chunks', '--new-since-last', 'chunks']);
      expect(JSON.parse(chunks.out.split('\n')[1]!)).toMatchObject({
        url: 'https://b.example/',
        text: 'first version',
      });
    } finally {
      own.drop();
    }
  });

  test('writes Markdown files, passages, and references', async () => {
    const out = join(place, 'notes');
    expect(await run(['export', made.dir, '--format', 'markdown', '--out', out])).toMatchObject({ code: 0, out: '' });
    const [name] = readdirSync(join(out, 'databases-recovery'));
    expect(readFileSync(join(out, 'databases-recovery', name!), 'utf8')).toMatch(/^---\nurl: "https:\/\/b.example\/"/);
    expect(name).toMatch(/\.md$/);
    const chunks = await run(['export', made.dir, '--format', 'chunks', '--size', '500', '--relevant']);
    expect(
      chunks.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).url),
    ).toEqual(['https://b.example/', 'https://c.example/']);
    expect((await run(['export', made.dir, '--format', 'chunks', '--size', '9'])).err).toContain('--size takes');
    expect((await run(['export', made.dir, '--format', 'chunks', '--overlap', '3000'])).err).toContain(
      'less than their size',
    );
    expect(await written('refs.bib', '--relevant')).toContain('url = {https://c.example/}');
  });

  test('rejects a corpus without a folder, and one that would replace something else', async () => {
    expect(await run(['export', made.dir, '--format', 'corpus'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--out FOLDER'),
    });
    expect(await run(['export', made.dir, '--format', 'corpus', '--out', place])).toMatchObject({ code: 2 });
    expect(existsSync(join(place, 'texts'))).toBe(true);
  });

  test('init rejects OPML without pages', async () => {
    const file = join(made.dir, 'bingo.yaml');
    expect(await run(['init', join(place, 'none'), '--opml', file])).toMatchObject({
      code: 2,
      err: expect.stringContaining('has no page to learn from'),
    });
  });
});
