import { stripVTControlCharacters, styleText } from 'node:util';
import { readableHost, readableUrl } from '../../core/index.ts';
import { displayWidth, pad, sanitizeForTerminal, truncate } from '../../kit/index.ts';

export { displayWidth, pad, sanitizeForTerminal, truncate };

/** Formats a URL, or the name of a page without a URL, for display. */
export function showAddress(url: string): string {
  return sanitizeForTerminal(readableUrl(url));
}

/** Formats a host name for display. */
export function showHost(host: string): string {
  return sanitizeForTerminal(readableHost(host));
}

/** The text styles in use; without colour each returns plain text. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

/** Returns the styles for a terminal, plain ones without colour. */
export function paint(colour: boolean): Paint {
  const style =
    (format: Parameters<typeof styleText>[0]) =>
    (text: string): string =>
      colour && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return { bold: style('bold'), dim: style('dim'), good: style('green'), bad: style('red'), accent: style('cyan') };
}

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** May be truncated if the table is too wide. Default: true for left-aligned columns. */
  readonly flexible?: boolean;
}

/** Returns a table as lines that fit `width` columns: cells are sanitized, the widest flexible columns shrink first. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const titles = columns.map((column) => sanitizeForTerminal(column.title));
  const cells = rows.map((row) => columns.map((_, i) => sanitizeForTerminal(row[i] ?? '')));
  const widths = columns.map((_, i) =>
    Math.max(displayWidth(titles[i]!), ...cells.slice(0, 10_000).map((row) => displayWidth(row[i]!))),
  );
  shrink(columns, widths, width - 2 * (columns.length - 1));
  const line = (row: readonly string[]): string =>
    columns
      .map((column, i) => pad(truncate(row[i]!, widths[i]!), widths[i]!, column.align))
      .join('  ')
      .trimEnd();
  const rule = widths.map((w) => '─'.repeat(w)).join('  ');
  return [line(titles), rule, ...cells.map(line)];
}

/** Shrinks the widest flexible cells until the sum fits, or every cell is down to 8. */
function shrink(columns: readonly Column[], widths: number[], room: number): void {
  let excess = widths.reduce((a, b) => a + b, 0) - room;
  const flexible = columns.flatMap((c, i) => ((c.flexible ?? c.align !== 'right') ? [i] : []));
  while (excess > 0) {
    const widest = flexible.reduce((best, i) => (best < 0 || widths[i]! > widths[best]! ? i : best), -1);
    if (widest < 0 || widths[widest]! <= 8) return;
    widths[widest]!--;
    excess--;
  }
}

/**
 * Breaks text at spaces into lines of at most `width` columns; indents all but the first by `indent`. Style codes
 * have no width.
 * @param at matches the spaces at which a line may break
 */
export function wrap(text: string, width: number, indent = '', at: RegExp = /\s+/): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(at)) {
    const next = line === '' || line === indent ? line + word : `${line} ${word}`;
    if (displayWidth(stripVTControlCharacters(next)) > width && line.trim() !== '') {
      lines.push(line);
      line = indent + word;
    } else line = next;
  }
  return line.trim() === '' ? lines : [...lines, line];
}

/** Text after a label, wrapped as by {@link wrap}, with its lines aligned. */
export function labelled(label: string, text: string, width: number, at?: RegExp): string[] {
  const below = ' '.repeat(displayWidth(label));
  const [first = '', ...others] = wrap(text, width - below.length, '', at);
  return [`${label}${first}`.trimEnd(), ...others.map((line) => below + line)];
}
