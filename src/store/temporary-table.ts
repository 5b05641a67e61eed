import type { ScratchTable } from './in-sql/scratch.ts';
import type { Row } from './schema.ts';

/** A table that exists for one query of `Store.sql`. */
export interface TemporaryTable {
  readonly name: string;
  readonly table: ScratchTable;
  readonly rows: readonly Row[];
  /** Statement that runs once the rows are there. */
  readonly completed?: string;
  /** True if it hides a view of the same name. Without the right to make tables, the query reads the view. */
  readonly isView?: boolean;
}
