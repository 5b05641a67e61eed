import type { ScratchTable } from './in-sql/scratch.ts';
import type { TemporaryTable } from './temporary-table.ts';

/** A link that waits to be fetched, as a row of the table `frontier`. */
export interface WaitingRow {
  readonly url: string;
  readonly host: string;
  readonly topic: string;
  /** `outgoing` or `incoming`. */
  readonly queue: string;
  /** Place in the queues of the topic, from 1. */
  readonly place: number;
  readonly priority: number;
  /** Failed tries. */
  readonly tries: number;
  readonly depth: number;
  readonly tunnelDepth: number;
  readonly via: string;
  /** URL of the page that offered the link; `''` for a seed. */
  readonly parent: string;
  /** Sequence of that page; 0 if it is not stored. */
  readonly parentPage: number;
}

/** How a query is run. */
export interface SqlOptions {
  readonly maxRows: number;
  /** Rows of the table `frontier`, if the query reads it. */
  readonly frontier?: readonly WaitingRow[] | undefined;
}

/** Name of the table of waiting links. It exists for a query that is given its rows. */
const FRONTIER = 'frontier';

/** Where a link was found, and when: `waiting_since` is the time at which its parent was fetched, 0 if unknown. */
const FRONTIER_TABLE: ScratchTable = {
  columns: {
    ...{
      n: 'id',
      url: 'text',
      host: 'host',
      topic: 'name',
      queue: 'word',
      place: 'int',
      priority: 'real',
      tries: 'int',
    },
    ...{ depth: 'int', tunnel_depth: 'int', via: 'word', parent: 'text', parent_page: 'big', waiting_since: 'big' },
  },
  key: ['n'],
};

/** Fills `waiting_since` once the rows are there. */
const DATE_FRONTIER = `update ${FRONTIER} set waiting_since = coalesce(
  (select page.fetched_at from page where page.sequence = ${FRONTIER}.parent_page), 0)`;

/** True if a query may read the table of waiting links. */
export function asksFrontier(query: string): boolean {
  return /\bfrontier\b/i.test(query);
}

/** Returns the table of waiting links. */
export function frontierTable(links: readonly WaitingRow[]): TemporaryTable {
  const rows = links.map((link, i) => [
    ...[i + 1, link.url, link.host, link.topic, link.queue, link.place, link.priority, link.tries],
    ...[link.depth, link.tunnelDepth, link.via, link.parent, link.parentPage, 0],
  ]);
  return { name: FRONTIER, table: FRONTIER_TABLE, rows, completed: DATE_FRONTIER };
}
