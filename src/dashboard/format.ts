import { displayWidth, pad, truncate } from '../kit/index.ts';

/** Formats a number with two decimals; `–` for NaN. */
export function figure(x: number): string {
  return Number.isFinite(x) ? x.toFixed(2) : '–';
}

/** Formats a duration: `45s`, `1m 20s`, `2h 05m`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const two = (n: number): string => String(n).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48
    ? `${hours}h ${two(Math.floor((seconds % 3600) / 60))}m`
    : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** Truncates or pads text to exactly `width` columns. */
export function toWidth(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  return width <= 0 ? '' : pad(truncate(text, width), width, align);
}

/** Joins parts with two spaces; drops parts at the end that do not fit. */
export function joinFitting(parts: readonly string[], width: number): string {
  let line = '';
  for (const part of parts) {
    const next = line === '' ? part : `${line}  ${part}`;
    if (displayWidth(next) > width) break;
    line = next;
  }
  return line === '' && parts[0] !== undefined ? truncate(parts[0], width) : line;
}

/** Breaks a long line into lines of at most `columns`, indenting all but the first. */
export function folded(line: string, columns: number, indent: string): string[] {
  const parts: string[] = [];
  let rest = line;
  while (displayWidth(rest) > columns) {
    const end = fitting(rest, columns - 1);
    const space = rest.lastIndexOf(' ', end);
    const at = space > end / 2 ? space : end;
    parts.push(rest.slice(0, at));
    rest = `${indent}${rest.slice(at).trimStart()}`;
  }
  return [...parts, rest];
}

/** Returns the length of the text that fits so many columns; at least one character. */
function fitting(text: string, columns: number): number {
  let width = 0;
  let end = 0;
  for (const sign of text) {
    width += displayWidth(sign);
    if (width > columns && end > 0) break;
    end += sign.length;
  }
  return end;
}

/** Returns the lines from `top` on that fit `rows`; scrolls back if there is room for more. */
export function scrolled<T>(lines: readonly T[], top: number, rows: number): readonly T[] {
  const from = Math.max(0, Math.min(top, lines.length - rows));
  return lines.slice(from, from + rows);
}
