import type { Kysely } from 'kysely';
import type { ColumnKind, SchemaDialect } from '../ports.ts';
import type { Row, Tables, Value } from '../schema.ts';

/**
 * One connection for long SQL work over a store, such as bulk classification or distillation. Its temporary tables
 * are private and vanish with it, so the work needs no lock and can run beside a crawl. Statements use `?` for
 * parameters. They name each temporary table once, because MySQL cannot open one twice in a statement.
 */
export interface Scratch {
  readonly dialect: SchemaDialect;
  /** Reads records and documents of the store. */
  readonly db: Kysely<Tables>;
  /**
   * Makes a table. A temporary table is empty and replaces one of the same name; a kept table is made only if
   * missing.
   */
  make(name: string, table: ScratchTable): Promise<void>;
  /** Drops a table from the store if it exists. */
  drop(name: string): Promise<void>;
  run(statement: string, parameters?: readonly Value[]): Promise<void>;
  all(statement: string, parameters?: readonly Value[]): Promise<readonly Row[]>;
  /** Inserts rows that hold all columns, in the order of the table definition. */
  insert(table: string, rows: readonly Row[]): Promise<void>;
  /** Runs `work` in a transaction: all of it takes effect, or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Makes the server stop the running statement, which would otherwise continue after this process ends. Later
   * statements get no answer. `undefined` without a server: the statement then blocks the thread and ends with the
   * process.
   */
  readonly abandon?: () => Promise<void>;
  /** @throws StoreError with a hint, like every other method */
  close(): Promise<void>;
}

export interface ScratchTable {
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Empty: rows are found in the order in which they were inserted. */
  readonly key: readonly string[];
  readonly indexes?: readonly (readonly string[])[];
  /** If true, the table belongs to the store and stays. It can only be made by a scratch opened for writing. */
  readonly kept?: boolean;
}

/** Returns the statements that make a table. */
export function makingOf(name: string, table: ScratchTable, dialect: SchemaDialect): string[] {
  const { columns, key, indexes = [], kept = false } = table;
  const list = Object.entries(columns).map(([column, kind]) => `${column} ${dialect.types[kind]} not null`);
  const inner = dialect.repeatsIndexes ? [] : indexes.map((index) => `index (${index})`);
  const primary = key.length === 0 ? [] : [`primary key (${key})`];
  const options = key.length === 0 ? dialect.tableOptions : dialect.keyedTableOptions;
  const body = `(${[...list, ...primary, ...inner].join(', ')}) ${options}`;
  const outer = dialect.repeatsIndexes ? indexes : [];
  return [
    // A temporary table of earlier work would hide the kept one.
    `${dialect.dropTemporary}${name}`,
    `create ${kept ? 'table if not exists' : 'temporary table'} ${name} ${body}`,
    ...outer.map((index) => {
      const indexName = `${name}_by_${index.join('_')}`;
      return `create index if not exists ${kept ? '' : 'temp.'}${indexName} on ${name} (${index})`;
    }),
  ];
}

/** Returns the single number that a query yields. */
export async function numberOf(
  scratch: Scratch,
  statement: string,
  parameters: readonly Value[] = [],
): Promise<number> {
  const [row] = await scratch.all(statement, parameters);
  return Number(row?.[0] ?? 0);
}
