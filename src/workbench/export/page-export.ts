import { BIBLIOGRAPHY_PREFIX, splitFields, type TopicId } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import {
  bibtexLines,
  bookmarkLines,
  type CitedPage,
  cslLines,
  csvLine,
  gexfLines,
  opmlLines,
  risLines,
  type WrittenFolder,
  writeCorpus,
  writeFolder,
} from '../../postprocess/index.ts';
import type { ExportFilter, ExportRow, Store } from '../../store/index.ts';
import { PAGE_FIELDS, type PageRow, rowOfExport } from '../reading/page-row.ts';
import { type PageFilterOptions, readPageFilter } from '../search/page-filter.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';

/** Formats that are one text file; a corpus is a folder. */
export const TEXT_FORMATS = ['jsonl', 'csv', 'urls', 'bookmarks', 'opml', 'gexf', 'bibtex', 'ris', 'csl-json'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

/** Which pages an export contains. */
export interface ExportOptions extends PageFilterOptions {
  /** Only pages of a topic that the crawl itself found. */
  readonly relevant?: boolean | undefined;
  /** For jsonl: includes the main text. */
  readonly text?: boolean | undefined;
  /** For jsonl and csv: adds a line for every other URL of a page. */
  readonly copies?: boolean | undefined;
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

  /** @throws UsageError if an option is invalid */
  constructor({ store, workspace }: ExportSource, options: ExportOptions = {}) {
    const { relevant = false, text: withText = false, copies = false, gone: ended = false } = options;
    this.wanted = { ...readPageFilter(options, workspace.tree), relevant };
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
    else yield* LINES[format](this.#source);
  }

  /** Writes one text file per page into a folder. */
  corpus(folder: string, force: boolean): Promise<WrittenFolder<unknown>> {
    const { store, rows, wanted } = this.#source;
    return writeFolder(folder, { kind: 'corpus', force }, (made) =>
      writeCorpus(rows.accepted(wanted), (sequences) => store.texts(sequences), made),
    );
  }
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

const LINES: { readonly [F in Exclude<TextFormat, 'jsonl'>]: (source: Source) => AsyncIterable<string> } = {
  csv: async function* ({ store, rows, wanted, copies }) {
    const own = await store.fieldNames();
    const titles = own.map((name) => (name.startsWith(BIBLIOGRAPHY_PREFIX) ? name : `field.${name}`));
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
  bibtex: (source) => bibtexLines(cited(source)),
  ris: (source) => risLines(cited(source)),
  'csl-json': (source) => cslLines(cited(source)),
};

async function* cited({ rows, wanted }: Source): AsyncGenerator<CitedPage> {
  for await (const row of rows.accepted(wanted)) yield { ...row, bibliography: splitFields(row.fields).bibliography };
}

/** Number of texts read at a time. */
const TEXTS_AT_ONCE = 100;

/** Yields rows with the main texts of their pages. */
async function* withTexts(
  rows: AsyncIterable<ExportRow>,
  store: Store,
): AsyncGenerator<PageRow & { readonly text: string }> {
  const read = async (batch: readonly ExportRow[]): Promise<(PageRow & { readonly text: string })[]> => {
    const texts = await store.texts(batch.map(({ sequence }) => sequence));
    return batch.map((row) => ({ ...rowOfExport(row), text: texts.get(row.sequence) ?? '' }));
  };
  let batch: ExportRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < TEXTS_AT_ONCE) continue;
    yield* await read(batch);
    batch = [];
  }
  yield* await read(batch);
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
