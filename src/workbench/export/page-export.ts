import type { TopicId } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import {
  bookmarkLines,
  csvLine,
  gexfLines,
  opmlLines,
  type WrittenFolder,
  writeCorpus,
  writeFolder,
} from '../../postprocess/index.ts';
import type { ExportFilter, ExportRow, Store } from '../../store/index.ts';
import { PAGE_FIELDS, type PageRow, rowOfExport } from '../reading/page-row.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';

/** Formats that are one text file; a corpus is a folder. */
export const TEXT_FORMATS = ['jsonl', 'csv', 'urls', 'bookmarks', 'opml', 'gexf'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

/** Source of an export. */
export interface ExportSource {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly wanted: ExportFilter;
  /** For jsonl and csv: adds a line for every other URL of a page. */
  readonly copies?: boolean;
  /** For lists of links: includes links that are dead by now. */
  readonly ended?: boolean;
  /** For jsonl: includes the main text. */
  readonly withText?: boolean;
}

/** Writes stored pages for other programs, and counts them. */
export class PageExport {
  readonly #source: ExportSource;
  readonly #rows: Rows;

  constructor(source: ExportSource) {
    this.#source = source;
    this.#rows = new Rows(source.store);
  }

  /** Pages written so far. */
  get count(): number {
    return this.#rows.count;
  }

  /** Yields the text of a format in pieces. */
  lines(format: TextFormat): AsyncIterable<string> {
    return LINES[format]({ ...this.#source, rows: this.#rows });
  }

  /** Writes one text file per page into a folder. */
  corpus(folder: string, force: boolean): Promise<WrittenFolder<unknown>> {
    const { store, wanted } = this.#source;
    return writeFolder(folder, { kind: 'corpus', force }, (made) =>
      writeCorpus(this.#rows.accepted(wanted), (sequences) => store.texts(sequences), made),
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
  readonly rows: Rows;
}

const LINES: { readonly [F in TextFormat]: (source: Source) => AsyncIterable<string> } = {
  jsonl: async function* ({ store, rows, wanted, copies = false, withText = false }) {
    const all = rows.all({ ...wanted, copies });
    if (withText) for await (const row of withTexts(all, store)) yield `${safeJson(row)}\n`;
    else for await (const row of all) yield `${safeJson(rowOfExport(row))}\n`;
  },
  csv: async function* ({ rows, wanted, copies = false }) {
    yield csvLine(PAGE_FIELDS);
    for await (const row of rows.all({ ...wanted, copies })) {
      const fields = rowOfExport(row);
      yield csvLine(PAGE_FIELDS.map((field) => fields[field]));
    }
  },
  urls: async function* ({ rows, wanted, ended = false }) {
    for await (const row of rows.accepted({ ...wanted, ended })) yield `${row.finalUrl}\n`;
  },
  bookmarks: (source) => outlined(source, bookmarkLines),
  opml: (source) => outlined(source, opmlLines),
  gexf: ({ store, rows, wanted }) => gexfLines(rows.accepted(wanted), store.pageLinks()),
};

/** Number of texts read at a time. */
const TEXTS_AT_ONCE = 100;

/** Yields rows with the main texts of their pages. */
export async function* withTexts(
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
  { store, rows, workspace, wanted, ended = false }: Source,
  lines: typeof bookmarkLines,
): AsyncGenerator<string> {
  const { tree } = workspace;
  const { topics } = await store.status();
  const gone = topics.filter(({ topic, accepted }) => accepted > 0 && !tree.nodes.has(topic));
  const pagesOf = (topic: TopicId): AsyncIterable<ExportRow> => rows.accepted({ ...wanted, topic, ended });
  yield* lines(tree, pagesOf, { title: workspaceTitle(workspace), more: gone.map(({ topic }) => topic) });
}
