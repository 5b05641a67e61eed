import { displayWidth, pad, truncate } from '../kit/index.ts';

/** A share in [0,1] in per cent; `–` when it is none. */
export function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : '–';
}

/** Two decimals; `–` when it is no number. */
export function figure(x: number): string {
  return Number.isFinite(x) ? x.toFixed(2) : '–';
}

/** A span of time as a person says it: `45s`, `1m 20s`, `2h 05m`. */
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

/** Text cut or padded to exactly `width` columns. */
export function toWidth(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  return width <= 0 ? '' : pad(truncate(text, width), width, align);
}

/** The parts that fit side by side, two spaces between; those at the end are left out first. */
export function joinFitting(parts: readonly string[], width: number): string {
  let line = '';
  for (const part of parts) {
    const next = line === '' ? part : `${line}  ${part}`;
    if (displayWidth(next) > width) break;
    line = next;
  }
  return line === '' && parts[0] !== undefined ? truncate(parts[0], width) : line;
}

/** A long line as several of at most `columns`, the later ones indented. */
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

/** Where a text must end to fit so many columns; one sign is always in. */
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

/** The lines from `top` on that fit `rows`, as many as there are room for. */
export function scrolled<T>(lines: readonly T[], top: number, rows: number): readonly T[] {
  const from = Math.max(0, Math.min(top, lines.length - rows));
  return lines.slice(from, from + rows);
}
