import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CardFacts, DATASET_FILE, type DatasetPage, writeDataset } from '../../../src/postprocess/index.ts';

const FACTS: CardFacts = {
  ...{ title: 'bikes', seeds: 3, rounds: 2, fetched: 500, version: '1.2.3', selection: '', siteRights: false },
  topics: [{ name: 'bikes', examples: 3 }],
  settings: { 'crawl.budget': '500' },
};
/** DuckDB is a program for each platform: a machine without one skips its test. */
const duckDb = await loadDuckDb();
let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'bingo-dataset-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

function page(sequence: number, parts: Partial<DatasetPage> = {}): DatasetPage {
  const url = `https://a.example/${sequence}`;
  return {
    ...{ sequence, url, finalUrl: url, title: `Page ${sequence}`, topic: 'bikes', relevance: 0.5, language: 'en' },
    ...{
      contentType: 'text/html',
      fetchedAt: Date.UTC(2026, 0, 2),
      role: 'crawled',
      text: `Text ${sequence}\nwörds 🚲`,
    },
    ...{ contentHash: `hash ${sequence}`, simhash: [sequence * 0x01010101, sequence * 0x10101010], tokens: 100 },
    bibliography: undefined,
    ...parts,
  };
}

async function write(
  ...batches: (readonly DatasetPage[])[]
): Promise<{ rows: Record<string, unknown>[]; card: string }> {
  async function* all(): AsyncGenerator<readonly DatasetPage[]> {
    yield* batches;
  }
  const folder = mkdtempSync(join(place, 'd-'));
  expect(await writeDataset(all(), folder, FACTS)).toBe(batches.flat().length);
  const file = await asyncBufferFromFile(join(folder, DATASET_FILE));
  return { rows: await parquetReadObjects({ file }), card: readFileSync(join(folder, 'README.md'), 'utf8') };
}

interface DuckDb {
  readonly DuckDBConnection: {
    create(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }> }>;
  };
}

async function loadDuckDb(): Promise<DuckDb | undefined> {
  const name = '@duckdb/node-api';
  return await import(name).catch(() => undefined);
}

/** Asks DuckDB. `FILE` in the query is the dataset. */
async function ask(sql: string, batches: readonly (readonly DatasetPage[])[]): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(place, 'd-'));
  await writeDataset(
    (async function* () {
      yield* batches;
    })(),
    folder,
    FACTS,
  );
  const connection = await duckDb!.DuckDBConnection.create();
  const answer = await connection.runAndReadAll(sql.replace('FILE', `'${join(folder, DATASET_FILE)}'`));
  return answer.getRowObjectsJson();
}

describe.skipIf(duckDb === undefined)('DuckDB', () => {
  test('queries a dataset of several row groups by topic, with nulls and times', async () => {
    const batches = [
      [page(1), page(2, { topic: 'trains', relevance: Number.NaN, language: '' })],
      [page(3, { bibliography: { authors: ['Ada', 'Alan'], published: '2024-05', sources: {} } })],
    ];
    expect(
      await ask(
        'select topic, count(*)::int n, count(relevance)::int judged, max(fetched)::varchar "at", max(authors) authors from FILE group by topic order by topic',
        batches,
      ),
    ).toEqual([
      { topic: 'bikes', n: 2, judged: 2, at: expect.stringContaining('2026-01-02'), authors: 'Ada; Alan' },
      { topic: 'trains', n: 1, judged: 0, at: expect.stringContaining('2026-01-02'), authors: null },
    ]);
    expect(await ask("select text from FILE where text like '%wörds 🚲' and id = 3", batches)).toEqual([
      { text: 'Text 3\nwörds 🚲' },
    ]);
  });

  test('reads an empty dataset with its columns', async () => {
    expect(await ask('select count(*)::int n from FILE', [])).toEqual([{ n: 0 }]);
    const columns = await ask('describe select * from FILE', []);
    expect(columns.map(({ column_name: name }) => name)).toEqual(
      expect.arrayContaining(['id', 'url', 'text', 'topic']),
    );
  });
});

describe('a dataset', () => {
  test('is read by another Parquet reader, with several row groups, nulls and any text', async () => {
    const bibliography = {
      authors: ['Ada', 'Alan'],
      published: '2024-05',
      licence: 'CC BY',
      reservation: 'noai',
      sources: {},
    };
    const { rows } = await write(
      [page(1), page(2, { relevance: Number.NaN, language: '' })],
      [page(3, { bibliography })],
    );
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ id: 1, url: 'https://a.example/1', text: 'Text 1\nwörds 🚲', relevance: 0.5 });
    expect(rows[1]).toMatchObject({ relevance: null, language: null, authors: null });
    expect(rows[2]).toMatchObject({
      authors: 'Ada; Alan',
      published: '2024-05',
      licence: 'CC BY',
      reservation: 'noai',
    });
  });

  test('without pages is still a table with a card', async () => {
    const { rows, card } = await write();
    expect(rows).toEqual([]);
    expect(card).toContain('0 web pages');
  });

  test('names the first page of each group of near duplicates', async () => {
    const near = page(4, { simhash: [page(2).simhash[0] ^ 5, page(2).simhash[1] ^ 0x8000] });
    const far = page(5, { simhash: [page(2).simhash[0] ^ 15, page(2).simhash[1]] });
    const same = page(6, { contentHash: 'hash 1', tokens: 3 });
    const short = page(7, { simhash: page(2).simhash, tokens: 3 });
    const { rows, card } = await write([page(1), page(2)], [near, far, same, short]);
    expect(rows.map((row) => row.duplicate_group)).toEqual([1, 2, 2, 5, 1, 7]);
    expect(card).toContain('of 64 bits): 2. Keeping');
    expect(card).toContain('leaves out 2 pages');
  });

  test('has a card whose counts are right and into which no page can inject', async () => {
    const evil = { licence: '| x |\n## <script>[a](b)', sources: {} };
    const { card } = await write([page(1), page(2, { language: 'de', bibliography: evil })]);
    expect(card.startsWith('---\npretty_name: "bikes"\nlanguage: ["de", "en"]\n')).toBe(true);
    for (const line of ['| bikes | 2 |', '| not stated | 1 |', '| crawl.budget | 500 |', '| text | string |'])
      expect(card).toContain(line);
    expect(card).toContain('\\| x \\| ## \\<script\\>\\[a\\](b)');
    expect(card).not.toContain('<script>');
  });
});
