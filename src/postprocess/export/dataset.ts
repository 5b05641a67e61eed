import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Bibliography } from '../../core/index.ts';
import { type CardFacts, DatasetCounts, datasetCard } from './dataset-card.ts';
import { NearGroups } from './near-groups.ts';

/** A page of a dataset. */
export interface DatasetPage {
  readonly sequence: number;
  readonly url: string;
  readonly finalUrl: string;
  readonly title: string;
  readonly topic: string;
  /** NaN if it was not classified. */
  readonly relevance: number;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  readonly contentType: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
  readonly role: string;
  readonly text: string;
  readonly contentHash: string;
  readonly simhash: readonly [number, number];
  readonly tokens: number;
  readonly bibliography: Bibliography | undefined;
}

type Cell = string | number | bigint | null;
type Kind = 'STRING' | 'DOUBLE' | 'INT32';

interface ColumnSpec {
  readonly name: string;
  readonly type: Kind;
  readonly help: string;
  readonly of: (page: DatasetPage, group: number) => Cell;
}

const text = (value: string | undefined): string | null => (value === undefined || value === '' ? null : value);

/** Columns of the table, in order. */
export const DATASET_COLUMNS: readonly ColumnSpec[] = [
  { name: 'id', type: 'INT32', help: 'order of fetching', of: ({ sequence }) => sequence },
  { name: 'url', type: 'STRING', help: 'address after redirects', of: ({ finalUrl }) => finalUrl },
  { name: 'title', type: 'STRING', help: 'title of the page', of: ({ title }) => title.toWellFormed() },
  { name: 'text', type: 'STRING', help: 'main text, one paragraph per line', of: (page) => page.text.toWellFormed() },
  { name: 'topic', type: 'STRING', help: 'topic that accepted the page', of: ({ topic }) => topic },
  {
    ...{ name: 'relevance', type: 'DOUBLE', help: 'grade of the classifier, 0 to 1' },
    of: ({ relevance }) => (Number.isFinite(relevance) ? relevance : null),
  },
  { name: 'language', type: 'STRING', help: 'ISO 639-1, detected', of: ({ language }) => text(language) },
  { name: 'tokens', type: 'INT32', help: 'words, stop words included', of: ({ tokens }) => tokens },
  {
    ...{ name: 'duplicate_group', type: 'INT32', help: 'id of the first page with nearly the same text' },
    of: (_, group) => group,
  },
  {
    ...{ name: 'authors', type: 'STRING', help: 'as the page states, separated by "; "' },
    of: ({ bibliography }) => text(bibliography?.authors?.join('; ')),
  },
  {
    ...{ name: 'published', type: 'STRING', help: 'date as the page states: 2024, 2024-05 or 2024-05-03' },
    of: ({ bibliography }) => text(bibliography?.published),
  },
  { name: 'site', type: 'STRING', help: 'name of the site', of: ({ bibliography }) => text(bibliography?.site) },
  {
    name: 'licence',
    type: 'STRING',
    help: 'as the page states',
    of: ({ bibliography }) => text(bibliography?.licence),
  },
  {
    ...{ name: 'reservation', type: 'STRING', help: 'rights that the page reserves against text mining' },
    of: ({ bibliography }) => text(bibliography?.reservation),
  },
  { name: 'doi', type: 'STRING', help: 'identifier', of: ({ bibliography }) => text(bibliography?.doi) },
  { name: 'content_type', type: 'STRING', help: 'media type', of: ({ contentType }) => text(contentType) },
  { name: 'role', type: 'STRING', help: 'crawled, or example: given by the user', of: ({ role }) => role },
  { name: 'fetched', type: 'STRING', help: 'ISO 8601, UTC', of: (page) => new Date(page.fetchedAt).toISOString() },
];

/** Name of the table in the folder. */
export const DATASET_FILE = 'pages.parquet';

/**
 * Writes pages as a Parquet file with a dataset card, `README.md`. The same pages give the same bytes.
 * @param pages in batches, which become row groups
 * @returns the number of pages
 */
export async function writeDataset(
  pages: AsyncIterable<readonly DatasetPage[]>,
  folder: string,
  facts: CardFacts,
): Promise<number> {
  const none = DATASET_COLUMNS.map(({ name, type }) => ({ name, type, data: [] as Cell[] }));
  const writer = fileWriter(join(folder, DATASET_FILE));
  const parquet = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData: none }),
    createdBy: 'bingo-crawler',
  });
  const groups = new NearGroups();
  const counts = new DatasetCounts();
  for await (const batch of pages) {
    const rows = batch.map((page) => ({ page, group: groups.groupOf(page) }));
    for (const { page, group } of rows) counts.add(page, group);
    const columnData = DATASET_COLUMNS.map(({ name, type, of }) => ({
      name,
      type,
      data: rows.map(({ page, group }) => of(page, group)),
    }));
    await parquet.write({ columnData, rowGroupSize: batch.length });
  }
  await parquet.finish();
  writeFileSync(join(folder, 'README.md'), datasetCard(counts, facts, DATASET_COLUMNS));
  return counts.pages;
}
