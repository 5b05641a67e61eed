import {
  ARCHIVE_PREFIX,
  BIBLIOGRAPHY_PREFIX,
  type Bibliography,
  ROOT,
  splitFields,
  type TopicId,
  UsageError,
} from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import {
  bibtexLines,
  bookmarkLines,
  type CardFacts,
  CHUNKS,
  type Chunk,
  type ChunkOptions,
  chunksOf,
  cslLines,
  csvLine,
  type DatasetPage,
  type FolderOptions,
  gexfLines,
  joinedMarkdown,
  type MarkedParagraph,
  markedParagraphs,
  opmlLines,
  risLines,
  type WrittenFolder,
  writeCorpus,
  writeDataset,
  writeFolder,
} from '../../postprocess/index.ts';
import type { ExportFilter, ExportRow, PageFilter, Store, StoreStatus } from '../../store/index.ts';
import { PAGE_FIELDS, type PageRow, rowOfExport } from '../reading/page-row.ts';
import { type PageFilterOptions, readPageFilter } from '../search/page-filter.ts';
import { productVersion } from '../workspace/product.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';
import type { Consumer } from './consumers.ts';
import { type ChosenPages, writeChosenPages } from './recorded-pages.ts';

/** Formats that are one text file; a corpus is a folder. */
export const TEXT_FORMATS = [
  'jsonl',
  'csv',
  'urls',
  'bookmarks',
  'opml',
  'gexf',
  'bibtex',
  'ris',
  'csl-json',
  'chunks',
] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

/** Formats in which a consumer can follow a workspace. */
export type NewsFormat = 'jsonl' | 'chunks';

/** Which pages an export contains. */
export interface ExportOptions extends PageFilterOptions {
  /** Only pages of a topic that the crawl itself found. */
  readonly relevant?: boolean | undefined;
  /** Only pages that reserve no rights against text mining or training. */
  readonly unreserved?: boolean | undefined;
  /** For jsonl: includes the main text. */
  readonly text?: boolean | undefined;
  /** For jsonl and csv: adds a line for every other URL of a page. */
  readonly copies?: boolean | undefined;
  /** For chunks: greatest length in characters. Default: 2000. */
  readonly size?: number | undefined;
  /** For chunks: characters that the next chunk repeats, in whole paragraphs. Default: 0. */
  readonly overlap?: number | undefined;
  /** For urls, bookmarks and opml: includes pages that are gone. */
  readonly gone?: boolean | undefined;
}

/** Source of an export. */
interface ExportSource {
  readonly store: Store;
  readonly workspace: Workspace;
}

/** Writes stored pages for other programs, and counts them. */
export class PageExport {
  /** The pages that it contains. */
  readonly wanted: ExportFilter;
  readonly #source: Source;
  readonly #chunks: ChunkOptions;
  /** Pages or passages written by {@link news}, and tombstones. */
  written = 0;
  deleted = 0;

  /** @throws UsageError if an option is invalid */
  constructor({ store, workspace }: ExportSource, options: ExportOptions = {}) {
    const { relevant = false, text: withText = false, copies = false, gone: ended = false } = options;
    this.#chunks = { size: options.size ?? CHUNKS.size, overlap: options.overlap ?? CHUNKS.overlap };
    if (this.#chunks.overlap >= this.#chunks.size)
      throw new UsageError(
        'The overlap of chunks must be less than their size.',
        'For example --size 2000 --overlap 200.',
      );
    const filter = readPageFilter(options, workspace.tree);
    this.wanted = { ...(options.unreserved === true ? withoutReserved(filter) : filter), relevant };
    this.#source = { store, workspace, wanted: this.wanted, rows: new Rows(store), copies, ended, withText };
  }

  /** Pages written so far. */
  get count(): number {
    return this.#source.rows.count;
  }

  /** Yields the pages in fetch order, with their main text if requested. */
  async *pages(): AsyncGenerator<PageRow & { readonly text?: string }, void, void> {
    const { store, rows, wanted, copies, withText } = this.#source;
    const all = rows.all({ ...wanted, copies });
    if (withText) yield* withTexts(all, store);
    else for await (const row of all) yield rowOfExport(row);
  }

  /** Yields the text of a format in pieces. */
  async *lines(format: TextFormat): AsyncGenerator<string, void, void> {
    if (format === 'jsonl') for await (const page of this.pages()) yield `${safeJson(page)}\n`;
    else if (format === 'chunks') for await (const chunk of this.chunks()) yield `${safeJson(chunk)}\n`;
    else yield* LINES[format](this.#source);
  }

  /** Writes one text file per page into a folder. */
  corpus(folder: string, force: boolean): Promise<WrittenFolder<unknown>> {
    const { store } = this.#source;
    const of = (pages: readonly ExportRow[]): Promise<ReadonlyMap<number, string>> =>
      store.mainTexts(pages.map(({ sequence }) => sequence));
    return this.#folder(folder, { kind: 'corpus', force }, { of, ending: 'txt' });
  }

  /** Writes one Markdown file per page into a folder. */
  markdown(folder: string, force: boolean): Promise<WrittenFolder<unknown>> {
    const { store } = this.#source;
    const of = async (pages: readonly ExportRow[]): Promise<ReadonlyMap<number, string>> => {
      const marked = await markedPages(store, pages);
      return new Map([...marked].map(([sequence, paragraphs]) => [sequence, joinedMarkdown(paragraphs)]));
    };
    return this.#folder(folder, { kind: 'markdown', force }, { of, ending: 'md' });
  }

  /** Writes a Parquet file and a dataset card into a folder. */
  async dataset(folder: string, force: boolean): Promise<WrittenFolder<number>> {
    const { store, rows, wanted, workspace } = this.#source;
    const facts = cardFacts(workspace, await store.status());
    return writeFolder(folder, { kind: 'dataset', force }, (made) =>
      writeDataset(datasetPages(store, rows.accepted(wanted)), made, facts),
    );
  }

  /**
   * Writes the recorded pages themselves, with what they need, into a WACZ file.
   * @param files recordings: WARC and WACZ files, or folders. Default: `archive.files`
   */
  wacz(path: string, files: readonly string[]): Promise<ChosenPages> {
    const { rows, wanted, workspace } = this.#source;
    return writeChosenPages(path, rows.accepted(wanted), { workspace, files });
  }

  /** Yields passages of the accepted pages. */
  async *chunks(filter: ExportFilter = this.wanted): AsyncGenerator<Chunk, void, void> {
    const { store, rows } = this.#source;
    for await (const pages of inBatches(rows.accepted(filter))) {
      const marked = await markedPages(store, pages);
      for (const page of pages) {
        const { bibliography } = splitFields(page.fields);
        yield* chunksOf({ ...page, bibliography }, marked.get(page.sequence) ?? [], this.#chunks);
      }
    }
  }

  /**
   * Yields what a consumer lacks: new and changed pages or passages, then one line with `deleted` for each that it has
   * and that is no longer exported. Pages that left count as deleted.
   */
  async *news(format: NewsFormat, consumer: Consumer): AsyncGenerator<string, void, void> {
    const { store, rows, wanted, withText } = this.#source;
    const current = { ...wanted, ended: false };
    if (format === 'jsonl') {
      const lacking = only(rows.accepted(current), (row) =>
        consumer.take({ url: row.finalUrl, key: `${row.sequence} ${row.topic}` }),
      );
      for await (const batch of inBatches(lacking)) {
        const texts = withText ? await store.mainTexts(batch.map(({ sequence }) => sequence)) : undefined;
        for (const row of batch) {
          this.written++;
          yield `${safeJson({ ...rowOfExport(row), ...(texts && { text: texts.get(row.sequence) ?? '' }) })}\n`;
        }
      }
    } else
      for await (const chunk of this.chunks(current))
        if (consumer.take({ url: chunk.url, key: chunk.id })) {
          this.written++;
          yield `${safeJson(chunk)}\n`;
        }
    const gone =
      format === 'jsonl'
        ? consumer.goneUrls.map((url) => ({ url, deleted: true }))
        : consumer.gone.map(({ url, key }) => ({ id: key, url, deleted: true }));
    this.deleted = gone.length;
    for (const tombstone of gone) yield `${safeJson(tombstone)}\n`;
  }

  #folder(
    folder: string,
    options: FolderOptions,
    texts: Parameters<typeof writeCorpus<ExportRow>>[1],
  ): Promise<WrittenFolder<unknown>> {
    const { rows, wanted } = this.#source;
    return writeFolder(folder, options, (made) => writeCorpus(cited(rows.accepted(wanted)), texts, made));
  }
}

function withoutReserved(filter: PageFilter): PageFilter {
  const reserved = { name: 'bib.reservation', is: 'there', value: '' } as const;
  return { ...filter, without: { ...filter.without, fields: [...(filter.without?.fields ?? []), reserved] } };
}

/** Rows of the store, counted as they are read. */
class Rows {
  readonly #store: Store;
  count = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async *all(filter: ExportFilter): AsyncGenerator<ExportRow> {
    for await (const row of this.#store.exportPages(filter)) {
      this.count++;
      yield row;
    }
  }

  /** Yields pages of topics; rejected pages only on request. */
  async *accepted(filter: ExportFilter): AsyncGenerator<ExportRow> {
    for await (const row of this.#store.exportPages(filter)) {
      if (row.others && filter.others !== true) continue;
      this.count++;
      yield row;
    }
  }
}

interface Source extends ExportSource {
  readonly wanted: ExportFilter;
  readonly rows: Rows;
  readonly copies: boolean;
  /** Lists of links include links that are dead by now. */
  readonly ended: boolean;
  readonly withText: boolean;
}

/** Names of fields that no extractor can use. */
const RESERVED: readonly string[] = [BIBLIOGRAPHY_PREFIX, ARCHIVE_PREFIX];

const LINES: { readonly [F in Exclude<TextFormat, 'jsonl' | 'chunks'>]: (source: Source) => AsyncIterable<string> } = {
  csv: async function* ({ store, rows, wanted, copies }) {
    const own = await store.fieldNames();
    const titles = own.map((name) => (RESERVED.some((prefix) => name.startsWith(prefix)) ? name : `field.${name}`));
    yield csvLine([...PAGE_FIELDS, ...titles]);
    for await (const row of rows.all({ ...wanted, copies })) {
      const fields = rowOfExport(row);
      yield csvLine([...PAGE_FIELDS.map((field) => fields[field]), ...own.map((name) => row.fields?.[name] ?? null)]);
    }
  },
  urls: async function* ({ rows, wanted, ended }) {
    for await (const row of rows.accepted({ ...wanted, ended })) yield `${row.finalUrl}\n`;
  },
  bookmarks: (source) => outlined(source, bookmarkLines),
  opml: (source) => outlined(source, opmlLines),
  gexf: ({ store, rows, wanted }) => gexfLines(rows.accepted(wanted), store.pageLinks()),
  bibtex: (source) => bibtexLines(cited(source.rows.accepted(source.wanted))),
  ris: (source) => risLines(cited(source.rows.accepted(source.wanted))),
  'csl-json': (source) => cslLines(cited(source.rows.accepted(source.wanted))),
};

async function* cited(
  rows: AsyncIterable<ExportRow>,
): AsyncGenerator<ExportRow & { readonly bibliography: Bibliography | undefined }> {
  for await (const row of rows) yield { ...row, bibliography: splitFields(row.fields).bibliography };
}

async function* only<T>(rows: AsyncIterable<T>, isWanted: (row: T) => boolean): AsyncGenerator<T> {
  for await (const row of rows) if (isWanted(row)) yield row;
}

async function* inBatches(rows: AsyncIterable<ExportRow>): AsyncGenerator<readonly ExportRow[]> {
  let batch: ExportRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < TEXTS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* datasetPages(
  store: Store,
  rows: AsyncIterable<ExportRow>,
): AsyncGenerator<readonly DatasetPage[], void, void> {
  for await (const batch of inBatches(rows)) {
    const documents = await store.documents(batch.map(({ sequence }) => sequence));
    yield batch.flatMap((row) => {
      const document = documents.get(row.sequence);
      const { bibliography } = splitFields(row.fields);
      return document === undefined ? [] : [{ ...document, ...row, bibliography }];
    });
  }
}

/** Settings on a dataset card: those that decide what is found. */
const CARD_SETTINGS = ['crawl', 'learn'] as const;

function cardFacts(workspace: Workspace, { fetched, rounds, seeds }: StoreStatus): CardFacts {
  const { tree, config } = workspace;
  const topics = [...tree.nodes.values()].filter(({ id }) => id !== ROOT);
  const settings = CARD_SETTINGS.flatMap((group) =>
    Object.entries(config[group]).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [[`${group}.${name}`, String(value)] as const] : [],
    ),
  );
  return {
    title: workspaceTitle(workspace),
    topics: topics.map(({ id, examples }) => ({ name: id, examples: examples.length })),
    siteRights: config.network.siteRights,
    ...{ fetched, rounds, seeds, version: productVersion(), selection: '', settings: Object.fromEntries(settings) },
  };
}

/** Returns the paragraphs of pages in Markdown, by sequence. */
async function markedPages(
  store: Store,
  pages: readonly ExportRow[],
): Promise<ReadonlyMap<number, readonly MarkedParagraph[]>> {
  const documents = await store.documents(pages.map(({ sequence }) => sequence));
  const marked = pages.flatMap(({ sequence, finalUrl }) => {
    const document = documents.get(sequence);
    return document === undefined ? [] : [[sequence, markedParagraphs({ ...document, url: finalUrl })] as const];
  });
  return new Map(marked);
}

/** Number of texts read at a time. */
const TEXTS_AT_ONCE = 100;

/** Yields rows with the main texts of their pages. */
async function* withTexts(
  rows: AsyncIterable<ExportRow>,
  store: Store,
): AsyncGenerator<PageRow & { readonly text: string }> {
  for await (const batch of inBatches(rows)) {
    const texts = await store.mainTexts(batch.map(({ sequence }) => sequence));
    for (const row of batch) yield { ...rowOfExport(row), text: texts.get(row.sequence) ?? '' };
  }
}

async function* outlined(
  { store, rows, workspace, wanted, ended }: Source,
  lines: typeof bookmarkLines,
): AsyncGenerator<string> {
  const { tree } = workspace;
  const { topics } = await store.status();
  const gone = topics.filter(({ topic, accepted }) => accepted > 0 && !tree.nodes.has(topic));
  const pagesOf = (topic: TopicId): AsyncIterable<ExportRow> => rows.accepted({ ...wanted, topic, ended });
  yield* lines(tree, pagesOf, { title: workspaceTitle(workspace), more: gone.map(({ topic }) => topic) });
}
