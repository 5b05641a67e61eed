import { isMysqlUrl } from './mysql/url.ts';

/** SQL queries that list the tables and columns of a database. */
export interface CatalogQueries {
  /** Tables and views by name. */
  readonly tables: string;
  /**
   * Columns of one table or view, in order; without `table`, the columns of all. No rows if the table does not exist.
   */
  columns(table?: string): string;
}

/** Returns the catalog queries for the kind of database that a store address names. */
export function catalogQueries(url: string): CatalogQueries {
  return isMysqlUrl(url) ? MYSQL : SQLITE;
}

const SQLITE: CatalogQueries = {
  tables: `select name, type as kind from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%' order by type, name`,
  columns: (table) =>
    `select t.name as "table", c.name as "column", lower(c.type) as type from sqlite_schema t join pragma_table_info(t.name) c
     where t.type in ('table', 'view') and t.name not like 'sqlite_%'${table === undefined ? '' : ` and t.name = ${literal(table)}`} order by t.name, c.cid`,
};

const MYSQL: CatalogQueries = {
  tables: `select table_name as name, case table_type when 'VIEW' then 'view' else 'table' end as kind
    from information_schema.tables where table_schema = database() order by kind, name`,
  columns: (table) =>
    `select table_name as "table", column_name as "column", column_type as type from information_schema.columns
     where table_schema = database()${table === undefined ? '' : ` and table_name = ${literal(table)}`} order by table_name, ordinal_position`
      .replaceAll('"table"', '`table`')
      .replaceAll('"column"', '`column`'),
};

function literal(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('\\', '')}'`;
}
