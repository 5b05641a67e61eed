import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ReadStream } from 'node:tty';
import { UsageError } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { csvLine } from '../../postprocess/index.ts';
import { type CatalogQueries, catalogQueries, type SqlResult, type SqlValue, VIEWS } from '../../store/index.ts';
import { askSql, paint, type SqlSource, table, withStore } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { inChunks, writeJsonArray } from '../json-array.ts';
import { wantsColour } from '../process-io.ts';
import { readCount } from '../read-count.ts';
import { describeError } from '../report-error.ts';
import { abandoningAtInterrupt } from '../until-interrupt.ts';

const LIMIT = 1000;

export const sql: Command = {
  name: 'sql',
  summary: 'Query the store in SQL, read-only: one query, or a console.',
  positionals: ['[DIR]', '[QUERY]'],
  flags: {
    json: { help: 'A JSON array of objects on stdout.' },
    csv: { help: 'CSV on stdout.' },
    limit: { value: 'N', help: `Maximum rows. Default: ${LIMIT} in tables, no limit with --json and --csv.` },
  },
  examples: [
    ['bingo sql bikes "select * from harvest_by_minute"', 'How the harvest rate developed.'],
    ['bingo sql bikes "select url, anchor from unvisited_links_of_top_hubs"', 'What the best hubs point to.'],
    [
      'bingo sql bikes "select url, priority from frontier order by topic, place limit 10"',
      'Links that wait to be fetched, best first.',
    ],
    ['bingo sql bikes', 'A console; without a terminal, statements from stdin.'],
    ['bingo sql bikes --csv "select url, confidence from page" > pages.csv', 'For programs.'],
  ],
  notes: [
    `Ready-made views: ${VIEWS.join(', ')}. Tables and columns: docs/schema.md.`,
    'The table frontier has the links that wait after the last stored record, also during a crawl. It is read only if a query names it.',
    'Ctrl-C ends a long query and the console.',
  ],
  run: runSql,
};

type Format = 'table' | 'json' | 'csv';

async function runSql(args: Args, io: Io): Promise<number> {
  const [dir = '', query] = args.positionals;
  if (args.has('json') && args.has('csv')) throw new UsageError('--json and --csv cannot be combined.');
  const format: Format = args.has('json') ? 'json' : args.has('csv') ? 'csv' : 'table';
  const limit = readCount('--limit', args.value('limit'), format === 'table' ? LIMIT : Number.MAX_SAFE_INTEGER);
  return withStore(dir, io, async (store, workspace, tables) => {
    const { url } = workspace.config.store;
    const source = { store, workspace, tables };
    const ask = (statement: string): Promise<void> =>
      abandoningAtInterrupt(io, store, () => answer(source, statement, { format, limit }, io));
    if (query !== undefined) await ask(query);
    else if (io.stdinIsTerminal) await runConsole(ask, io, catalogQueries(url));
    else for (const statement of splitScript(await text(io.stdin), catalogQueries(url))) await ask(statement);
    return EXIT.done;
  });
}

async function answer(
  source: SqlSource,
  query: string,
  options: { format: Format; limit: number },
  io: Io,
): Promise<void> {
  const result = await askSql(source, query, { maxRows: options.limit });
  try {
    await WRITERS[options.format](result, io);
    if (result.truncated) io.err(`Only the first ${counted(options.limit, 'row')} are shown; --limit N shows more.\n`);
  } finally {
    await result.close();
  }
}

const WRITERS: { readonly [F in Format]: (result: SqlResult, io: Io) => Promise<void> } = {
  table: async (result, io) => {
    const rows: (readonly SqlValue[])[] = [];
    for await (const row of result.rows) rows.push(row);
    const columns = result.columns.map((title, i) => ({
      title,
      align: isNumeric(rows, i) ? ('right' as const) : ('left' as const),
    }));
    const cells = rows.map((row) => row.map(cellText));
    await io.out(`${table(columns, cells, io.columns()).join('\n')}\n`);
    io.err(`${rows.length} row${rows.length === 1 ? '' : 's'}\n`);
  },
  json: (result, io) => writeJsonArray(io, jsonRows(result)),
  csv: async (result, io) => {
    for await (const text of inChunks(csvLines(result))) await io.out(text);
  },
};

async function* csvLines({ columns, rows }: SqlResult): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const row of rows)
    yield csvLine(row.map((value) => (value instanceof Uint8Array ? cellText(value) : value)));
}

function isNumeric(rows: readonly (readonly SqlValue[])[], column: number): boolean {
  const values = rows.map((row) => row[column]).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number' || typeof value === 'bigint');
}

function cellText(value: SqlValue): string {
  if (value === null) return '';
  if (value instanceof Uint8Array) return `(${counted(value.length, 'byte')})`;
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(6)));
  return String(value);
}

async function* jsonRows({ columns, rows }: SqlResult): AsyncGenerator<Record<string, unknown>> {
  const names = apart(columns);
  for await (const row of rows) yield Object.fromEntries(names.map((name, i) => [name, jsonValue(row[i] ?? null)]));
}

/** Makes duplicate column names, for example of a join, unique as SQLite does in a subquery: `url`, `url:1`. */
function apart(columns: readonly string[]): readonly string[] {
  const names = new Set<string>();
  for (const column of columns) {
    let name = column;
    for (let n = 1; names.has(name); n++) name = `${column}:${n}`;
    names.add(name);
  }
  return [...names];
}

function jsonValue(value: SqlValue): string | number | null {
  if (value instanceof Uint8Array) return cellText(value);
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** Splits text at semicolons outside quotes and comments. */
export function splitStatements(text: string): readonly string[] {
  const statements: string[] = [];
  let current = '';
  for (const [part] of text.matchAll(
    /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|;|[^;'"/-]+|[/-]/g,
  )) {
    if (part === ';') {
      statements.push(current);
      current = '';
    } else current += /^(?:--|\/\*)/.test(part) ? ' ' : part;
  }
  return [...statements, current].map((statement) => statement.trim()).filter((statement) => statement !== '');
}

const CONSOLE_HELP = `.tables lists tables and views, .schema [T] columns, .views the ready-made views; the table frontier has the waiting links; .quit (or Ctrl-D) ends. A statement ends with ";".\n`;

const QUIT = /^\.?(?:quit|exit)\s*;?$/i;

/** Returns the query of `.tables` or `.schema [TABLE]`; `undefined` for anything else. */
function queryOf(line: string, catalog: CatalogQueries): string | undefined {
  const [, word, table] = /^\.(tables|schema)(?:\s+["\x60]?(\w+)["\x60]?)?\s*;?$/i.exec(line) ?? [];
  if (word === undefined) return undefined;
  return word.toLowerCase() === 'tables' ? catalog.tables : catalog.columns(table);
}

/** Returns the statements of a script; lines such as `.tables` count between statements, and `.quit` ends it. */
export function splitScript(text: string, catalog: CatalogQueries): readonly string[] {
  const statements: string[] = [];
  let pending = '';
  for (const line of text.split('\n')) {
    const isBetween = splitStatements(pending).length === 0 || /;\s*$/.test(pending);
    const query = isBetween ? queryOf(line.trim(), catalog) : undefined;
    if (isBetween && /^\.(quit|exit)\s*;?$/i.test(line.trim())) break;
    if (query === undefined) {
      pending += `${line}\n`;
      continue;
    }
    statements.push(...splitStatements(pending), query);
    pending = '';
  }
  return [...statements, ...splitStatements(pending)];
}

/** Runs the console: reads statements, prints each result, and continues after an error. */
async function runConsole(ask: (statement: string) => Promise<void>, io: Io, catalog: CatalogQueries): Promise<void> {
  const style = paint(wantsColour(io, io.stderrIsTerminal));
  io.err(
    `${style.bold('Read-only SQL over the crawl.')} Views:\n${VIEWS.map((view) => `  select * from ${view};`).join('\n')}\n${CONSOLE_HELP}`,
  );
  const lines = createInterface({ input: io.stdin, output: process.stderr, prompt: 'bingo> ', terminal: true });
  let pending = '';
  let isClosed = false;
  lines.once('close', () => {
    isClosed = true;
  });
  lines.prompt();
  for await (const line of lines) {
    const command = line.trim();
    const isFresh = pending.trim() === '';
    if (QUIT.test(command) && (isFresh || command.startsWith('.'))) break;
    const query = isFresh ? queryOf(command, catalog) : undefined;
    if (query !== undefined) {
      await askGently(ask, query, io);
      pending = '';
    } else if (isFresh && (command.startsWith('.') || /^help\s*;?$/i.test(command))) {
      io.err(command === '.views' ? `${VIEWS.join('\n')}\n` : CONSOLE_HELP);
      pending = '';
    } else pending += `${line}\n`;
    if (query === undefined && command.endsWith(';') && pending !== '') {
      // A line editor reads Ctrl-C as a key; during a query it must be the signal that ends an endless query.
      rawMode(io, false);
      for (const statement of splitStatements(pending)) await askGently(ask, statement, io);
      rawMode(io, true);
      pending = '';
    }
    // The input may end during a query; lines typed ahead are still run.
    if (isClosed) continue;
    lines.setPrompt(pending.trim() === '' ? 'bingo> ' : '   ... ');
    lines.prompt();
  }
  lines.close();
  io.err('\n');
}

function rawMode(io: Io, isRaw: boolean): void {
  const stdin = io.stdin as Partial<ReadStream>;
  stdin.setRawMode?.(isRaw);
}

async function askGently(ask: (statement: string) => Promise<void>, statement: string, io: Io): Promise<void> {
  try {
    await ask(statement);
  } catch (error) {
    io.err(describeError(error, { json: false, debug: false, paint: paint(wantsColour(io, io.stderrIsTerminal)) }));
  }
}
