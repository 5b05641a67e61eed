/**
 * Compares rows kept in typed arrays of a class, as the frontier's tables are, with a table that is made from a list
 * of columns. Prints the CPU time of writing and reading a million rows, taken by turns.
 *
 * Usage: node bench/rows.ts
 */
const ROWS = 2 ** 20;
const TURNS = 12;
const COLUMNS = { host: Uint32Array, priority: Float64Array, depth: Uint8Array } as const;
type Row = Readonly<Record<keyof typeof COLUMNS, number>>;

class OwnArrays {
  readonly #host = new Uint32Array(ROWS);
  readonly #priority = new Float64Array(ROWS);
  readonly #depth = new Uint8Array(ROWS);

  put(at: number, { host, priority, depth }: Row): void {
    this.#host[at] = host;
    this.#priority[at] = priority;
    this.#depth[at] = depth;
  }

  sum(at: number): number {
    return (this.#host[at] ?? 0) + (this.#priority[at] ?? 0) + (this.#depth[at] ?? 0);
  }
}

class Table {
  readonly #columns = new Map(Object.entries(COLUMNS).map(([name, Column]) => [name, new Column(ROWS)]));

  put(at: number, row: Row): void {
    for (const [name, column] of this.#columns) column[at] = row[name as keyof Row];
  }

  sum(at: number): number {
    let sum = 0;
    for (const column of this.#columns.values()) sum += column[at] ?? 0;
    return sum;
  }
}

const tables = { 'own arrays': new OwnArrays(), 'a table of columns': new Table() } as const;
const order = Uint32Array.from({ length: ROWS }, (_, i) => (i * 2_654_435_761) % ROWS);

function cpuMsOf(table: OwnArrays | Table): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (const at of order) {
    table.put(at, { host: at, priority: at / 7, depth: at & 255 });
    sum += table.sum(at);
  }
  if (!(sum > 0)) throw new RangeError('The rows were not read.');
  return process.cpuUsage(before).user / 1000;
}

const times = new Map(Object.keys(tables).map((name) => [name, [] as number[]]));
for (let turn = 0; turn < TURNS; turn++)
  for (const [name, table] of Object.entries(tables)) times.get(name)?.push(cpuMsOf(table));
for (const [name, all] of times) {
  const median = all.toSorted((a, b) => a - b)[TURNS / 2] ?? Number.NaN;
  process.stdout.write(`${name}: ${median.toFixed(0)} ms of CPU time for ${ROWS.toLocaleString('en')} rows\n`);
}
