/** A row of a table. */
export interface CsvRow {
  /** Line of the text where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Line of an unclosed quote; the rest of the text is in its cell. */
  readonly unclosed?: number;
}

/**
 * Yields the rows of a CSV text (RFC 4180) as spreadsheets write it, with semicolons or tabs instead of commas.
 * Removes the apostrophe that our own CSV puts before text that looks like a formula. The first line determines the
 * separator.
 */
export function* csvRows(text: string): Generator<CsvRow> {
  const separator = separatorOf(text);
  let line = 1;
  for (let at = 0; at < text.length; line++) {
    const first = line;
    const cells: string[] = [];
    let unclosed: number | undefined;
    for (;;) {
      const cell = readCell(text, at, separator);
      if (!cell.isClosed) unclosed = line;
      cells.push(unguarded(cell.value));
      line += breaksIn(text.slice(at, cell.end));
      at = cell.end;
      if (text[at] !== separator) break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    yield { line: first, cells, ...(unclosed === undefined ? {} : { unclosed }) };
  }
}

function separatorOf(text: string): string {
  const head = text.slice(0, text.search(/[\r\n]|$/));
  const count = (separator: string): number => head.split(separator).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

interface Cell {
  readonly value: string;
  /** Offset after the row. */
  readonly end: number;
  readonly isClosed: boolean;
}

function readCell(text: string, from: number, separator: string): Cell {
  if (text[from] !== '"') {
    const end = endOfBare(text, from, separator);
    return { value: text.slice(from, end), end, isClosed: true };
  }
  let value = '';
  for (let at = from + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { value: value + text.slice(at), end: text.length, isClosed: false };
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const end = endOfBare(text, quote + 1, separator);
      return { value: value + text.slice(quote + 1, end), end, isClosed: true };
    }
    value += '"';
    at = quote + 2;
  }
}

function endOfBare(text: string, from: number, separator: string): number {
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
  return end;
}

function unguarded(cell: string): string {
  return /^'(?:[=+\-@\t\r\n]|\s*[=+@])/.test(cell) ? cell.slice(1) : cell;
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** Error for a row with an unclosed quote. */
export const UNCLOSED_QUOTE = {
  message: 'A quote is opened here and never closed.',
  hint: 'Double the quotes inside a quoted field.',
} as const;
