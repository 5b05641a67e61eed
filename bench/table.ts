import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

/** Rows of text as a Markdown table: the first column to the left, figures to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The machine and runtime that figures belong to. */
export function machine(): string {
  const cores = availableParallelism();
  return `${cores} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
}

/** Bytes that this process has passed to the system so far, to files and sockets; those of a process that has ended are not in it. */
export function bytesWritten(): number {
  const found = /^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'));
  return Number(found?.[1] ?? Number.NaN);
}
