import type { Kysely } from 'kysely';
import type { ColumnKind, SchemaDialect } from '../ports.ts';
import type { Row, Tables, Value } from '../schema.ts';

/**
 * One connection for long work in SQL over a store: bulk classification, distillation. Its temporary tables are seen by
 * nobody else and vanish with it, so that such work needs no lock and may go on beside a crawl. Statements use `?` for
 * their parameters. They name each temporary table once: MySQL cannot open one twice in a statement.
 */
export interface Scratch {
  readonly dialect: SchemaDialect;
  /** Reads the store, as records and documents. */
  readonly db: Kysely<Tables>;
  /** Makes a table: an empty temporary one in place of that of an earlier work, or one in the store if it is not there. */
  make(name: string, table: ScratchTable): Promise<void>;
  /** Takes a table out of the store, if it is there. */
  drop(name: string): Promise<void>;
  run(statement: string, parameters?: readonly Value[]): Promise<void>;
  all(statement: string, parameters?: readonly Value[]): Promise<readonly Row[]>;
  /** Inserts rows, all columns in the order in which they were made. */
  insert(table: string, rows: readonly Row[]): Promise<void>;
  /** All of `work` or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Tells the server to leave off the statement that it works at, since it would go on after this process has ended; no statement is answered
   * from then on. `undefined` where no server answers: a statement holds the thread then, and ends with the process.
   */
  readonly abandon?: () => Promise<void>;
  /** @throws StoreError like every other method, with what to do */
  close(): Promise<void>;
}

export interface ScratchTable {
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly key: readonly string[];
  readonly indexes?: readonly (readonly string[])[];
  /** True: the table belongs to the store and stays. Only a scratch that was opened for writing can make it. */
  readonly kept?: boolean;
}

/** Statements that make a table. */
export function makingOf(name: string, table: ScratchTable, dialect: SchemaDialect): string[] {
  const { columns, key, indexes = [], kept = false } = table;
  const list = Object.entries(columns).map(([column, kind]) => `${column} ${dialect.types[kind]} not null`);
  const options = dialect.name === 'sqlite' ? 'without rowid' : dialect.tableOptions;
  // Inside `create table`, MySQL makes the indexes of a kept table only when it makes the table.
  const inner = dialect.name === 'mysql' ? indexes.map((index) => `index (${index})`) : [];
  const body = `(${[...list, `primary key (${key})`, ...inner].join(', ')}) ${options}`;
  const outer = dialect.name === 'sqlite' ? indexes : [];
  return [
    // Of an earlier work; it would hide a kept one.
    `drop ${dialect.name === 'sqlite' ? 'table if exists temp.' : 'temporary table if exists '}${name}`,
    `create ${kept ? 'table if not exists' : 'temporary table'} ${name} ${body}`,
    ...outer.map((index) => {
      const indexName = `${name}_by_${index.join('_')}`;
      return `create index if not exists ${kept ? '' : 'temp.'}${indexName} on ${name} (${index})`;
    }),
  ];
}

/** Rows a query gives as one number. */
export async function numberOf(
  scratch: Scratch,
  statement: string,
  parameters: readonly Value[] = [],
): Promise<number> {
  const [row] = await scratch.all(statement, parameters);
  return Number(row?.[0] ?? 0);
}
