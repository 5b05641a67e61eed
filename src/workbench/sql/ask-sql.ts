import { BingoError, hostOf } from '../../core/index.ts';
import { type WaitingLinkPlace, waitingLinks } from '../../engine/index.ts';
import {
  asksFrontier,
  CheckpointFiles,
  collectionFolder,
  type SqlResult,
  type Store,
  type WaitingRow,
} from '../../store/index.ts';
import type { Tables } from '../reading/reading.ts';
import { openInlineExamples } from '../reading/training-documents.ts';
import { quoted } from '../words/shell-words.ts';
import { productVersion } from '../workspace/product.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A store that is open for reading. */
export interface SqlSource {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly tables: Tables;
}

/**
 * Runs one read-only query. If it names the table `frontier`, the links that wait after the last stored record are read
 * from the newest checkpoint and the records after it. A crawl that runs is not involved and pays nothing.
 * @throws BingoError `SQL_READ_ONLY` if the statement could write, `SQL_INVALID` if the database rejects it
 * @throws BingoError `FRONTIER_UNKNOWN` if too many records follow the newest checkpoint
 */
export async function askSql(
  { store, ...source }: SqlSource,
  query: string,
  options: { readonly maxRows: number },
): Promise<SqlResult> {
  const frontier = asksFrontier(query) ? await readFrontier(source) : undefined;
  return await store.sql(query, { ...options, frontier });
}

async function readFrontier({ workspace, tables }: Omit<SqlSource, 'store'>): Promise<readonly WaitingRow[]> {
  const { dir, tree, config } = workspace;
  const links = await waitingLinks({
    tree,
    config,
    inline: await openInlineExamples({ dir, tree, config }),
    journal: tables.store,
    checkpoints: new CheckpointFiles(collectionFolder(dir), productVersion()),
  });
  if (links !== undefined) return links.map(rowOf);
  throw new BingoError({
    code: 'FRONTIER_UNKNOWN',
    message: 'The frontier is not known: too many records follow the newest checkpoint.',
    hint: `A crawl writes checkpoints as it runs. Next: bingo crawl ${quoted(dir)}`,
  });
}

function rowOf({ entry, queue, before, parentPage }: WaitingLinkPlace): WaitingRow {
  const { url, topic, priority, tries, depth, tunnelDepth, via, from } = entry;
  return {
    ...{ url, host: hostOf(url), topic, queue, place: before + 1, priority, tries, depth, tunnelDepth, via },
    ...{ parent: from, parentPage },
  };
}
