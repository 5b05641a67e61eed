import { isMap, isScalar, isSeq, LineCounter } from 'yaml';
import { InputError, type Mistake } from '../../core/index.ts';
import { counted, withoutMark } from '../../kit/index.ts';
import { csvRows, UNCLOSED_QUOTE } from '../sources/csv-rows.ts';
import { parseYaml } from '../workspace/parse-yaml.ts';

/** A row of a table that the user edited, by column. */
export interface TableRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * Reads CSV (RFC 4180) as spreadsheets write it: with a byte order mark, with semicolons or tabs instead of commas,
 * with the apostrophe that our own CSV puts before text that looks like a formula. The first line names the columns.
 * @param needed names of columns, in lower case
 * @throws InputError for a missing column, an unclosed quote, or a line with more fields than columns
 */
export function readCsv(text: string, file: string, needed: readonly string[]): readonly TableRow[] {
  const mistakes: Mistake[] = [];
  const [head, ...body] = csvRows(withoutMark(text));
  const columns = (head?.cells ?? []).map((name) => name.trim().toLowerCase());
  const missing = needed.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    const message = `The column ${missing.map((name) => `"${name}"`).join(' or ')} is missing.`;
    throw new InputError('This table cannot be read', [{ file, line: 1, message, hint: FROM_EXPORT }]);
  }
  const table: TableRow[] = [];
  for (const { line, cells, unclosed } of body) {
    if (unclosed !== undefined) mistakes.push({ file, line: unclosed, ...UNCLOSED_QUOTE });
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (cells.length > columns.length) {
      const message = `The row has ${cells.length} fields, the table ${counted(columns.length, 'column')}.`;
      mistakes.push({
        file,
        line,
        message,
        hint: 'Put fields with a separator or a quote in them into double quotes.',
      });
    } else table.push({ line, fields: new Map(columns.map((name, i) => [name, (cells[i] ?? '').trim()])) });
  }
  if (mistakes.length > 0) throw new InputError('This table cannot be read', mistakes);
  return table;
}

/**
 * Reads an array of flat JSON objects.
 * @throws InputError if the text is not one
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
    throw new InputError('This file cannot be read', [{ file, line, message: `This is not valid JSON: ${reason}` }]);
  }
  // Every JSON text is YAML, and the YAML parser reports line numbers.
  const lines = new LineCounter();
  const document = parseYaml(content, { lineCounter: lines, schema: 'json' });
  const { contents } = document;
  if (!isSeq(contents))
    throw new InputError('This file cannot be read', [{ file, line: 1, message: 'Expected an array of objects.' }]);
  return contents.items.map((item): TableRow => {
    const line = lines.linePos((item as { readonly range?: [number, number, number] }).range?.[0] ?? 0).line;
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

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(' ') : String(value).trim();
}

function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
