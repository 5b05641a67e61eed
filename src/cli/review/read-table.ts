import { isMap, isScalar, isSeq, LineCounter } from 'yaml';
import { counted, InputError, type Mistake, withoutMark } from '../../core/index.ts';
import { parseYaml } from '../workspace/parse-yaml.ts';

/** A row of a table that a person edited, by column. */
export interface TableRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly fields: ReadonlyMap<string, string>;
}

/** Larger files are no review. */
export const MAX_TABLE_BYTES: number = 20 * 1024 * 1024;

/**
 * Reads CSV (RFC 4180) as spreadsheets write it: with a byte order mark, with semicolons or tabs in place of commas, with
 * the apostrophe that our own CSV puts in front of what looks like a formula. The first line names the columns.
 * @param needed names of columns, in lower case
 * @throws InputError for a column that is missing, a quote that is not closed, and for lines with more fields than there are columns
 */
export function readCsv(text: string, file: string, needed: readonly string[]): readonly TableRow[] {
  const content = withoutMark(text);
  const separator = separatorOf(content);
  const mistakes: Mistake[] = [];
  const rows = [
    ...csvRows(content, separator, (line) => mistakes.push({ file, line, message: UNCLOSED, hint: CLOSE })),
  ];
  const [head, ...body] = rows;
  const columns = (head?.fields ?? []).map((name) => name.trim().toLowerCase());
  const missing = needed.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    const message = `There is no column ${missing.map((name) => `"${name}"`).join(' or ')}.`;
    throw new InputError('This table cannot be read', [{ file, line: 1, message, hint: FROM_EXPORT }]);
  }
  const table: TableRow[] = [];
  for (const { line, fields } of body) {
    if (fields.every((field) => field.trim() === '')) continue;
    if (fields.length > columns.length) {
      const message = `Has ${fields.length} fields, and there are ${counted(columns.length, 'column')}.`;
      mistakes.push({
        file,
        line,
        message,
        hint: 'Put fields with a separator or a quote in them into double quotes.',
      });
    } else table.push({ line, fields: new Map(columns.map((name, i) => [name, unguarded(fields[i] ?? '').trim()])) });
  }
  if (mistakes.length > 0) throw new InputError('This table cannot be read', mistakes);
  return table;
}

/**
 * Reads an array of flat JSON objects.
 * @throws InputError when it is none
 */
export function readJson(text: string, file: string): readonly TableRow[] {
  const content = withoutMark(text);
  try {
    JSON.parse(content);
  } catch (error) {
    const reason = (error as Error).message;
    const line = Number(
      /line (\d+)/.exec(reason)?.[1] ?? lineOf(content, Number(/position (\d+)/.exec(reason)?.[1] ?? 0)),
    );
    throw new InputError('This file cannot be read', [{ file, line, message: `This is no JSON: ${reason}` }]);
  }
  // Every JSON text is YAML, and the YAML reader knows where each thing stands.
  const lines = new LineCounter();
  const document = parseYaml(content, { lineCounter: lines, schema: 'json' });
  const { contents } = document;
  if (!isSeq(contents))
    throw new InputError('This file cannot be read', [{ file, line: 1, message: 'Expected an array of objects.' }]);
  return contents.items.map((item): TableRow => {
    const line = lines.linePos((item as { range?: [number, number, number] }).range?.[0] ?? 0).line;
    if (!isMap(item))
      throw new InputError('This file cannot be read', [{ file, line, message: 'Expected an object.' }]);
    const fields = item.items.map((pair) => [
      String(isScalar(pair.key) ? pair.key.value : pair.key),
      textOf(isScalar(pair.value) ? pair.value.value : (pair.value as { toJSON?: () => unknown } | null)?.toJSON?.()),
    ]);
    return { line, fields: new Map(fields as [string, string][]) };
  });
}

const FROM_EXPORT = 'Start from a file that --export wrote.';
const UNCLOSED = 'A quote is opened here and never closed.';
const CLOSE = 'Double the quotes inside a quoted field.';

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(' ') : String(value).trim();
}

function separatorOf(text: string): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  const count = (separator: string): number => line.split(separator).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

function* csvRows(
  text: string,
  separator: string,
  onUnclosed: (line: number) => void,
): Generator<{ line: number; fields: string[] }> {
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const row = { line, fields: [] as string[] };
    for (;;) {
      const field = readField(text, at, separator);
      if (!field.isClosed) onUnclosed(line);
      row.fields.push(field.value);
      line += countBreaks(text, at, field.end);
      at = field.end;
      if (text[at] !== separator) break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    yield row;
  }
}

function readField(text: string, from: number, separator: string): { value: string; end: number; isClosed: boolean } {
  if (text[from] !== '"') {
    let end = from;
    while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
    return { value: text.slice(from, end), end, isClosed: true };
  }
  let value = '';
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { value: value + text.slice(at), end: text.length, isClosed: false };
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      let end = quote + 1;
      while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
      return { value, end, isClosed: true };
    }
    value += '"';
    at = quote + 2;
  }
}

/** The apostrophe in front of what a spreadsheet would take for a formula is ours. */
function unguarded(field: string): string {
  return /^'[=+\-@\t\r\n]|^'\s*[=+@]/.test(field) ? field.slice(1) : field;
}

function countBreaks(text: string, from: number, to: number): number {
  let breaks = 0;
  for (let i = from; i < to; i++) if (text[i] === '\n') breaks++;
  return breaks;
}

function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
