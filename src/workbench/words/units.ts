const DURATIONS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

const SIZES: readonly (readonly [string, number])[] = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1000],
  ['B', 1],
];

/** Parses `90m`, `1h30m`, `250ms` or a plain number of milliseconds; `undefined` for anything else. */
export function parseDuration(text: string): number | undefined {
  return parseUnits(text, DURATIONS, true);
}

/**
 * Parses `8MiB`, `500 kB` or a plain number of bytes; `undefined` for anything else. Fractions round to whole bytes.
 */
export function parseSize(text: string): number | undefined {
  const bytes = parseUnits(text, SIZES, false);
  return bytes === undefined ? undefined : Math.round(bytes);
}

/** Formats a duration in the shortest exact form, for example `1h30m`. */
export function formatDuration(ms: number): string {
  if (!Number.isInteger(ms) || ms <= 0) return `${ms}ms`;
  let rest = ms;
  let text = '';
  for (const [unit, size] of DURATIONS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}

/** Formats bytes in the largest binary unit, with one decimal unless it is whole: `8 MiB`. */
export function formatSize(bytes: number): string {
  const [unit, size] = SIZES.slice(0, 3).find(([, size]) => bytes >= size) ?? ['B', 1];
  const count = bytes / size;
  return `${Number.isInteger(count) ? count : count.toFixed(1)} ${unit}`;
}

/** Formats a number with two decimals; `–` for NaN. */
export function figure(x: number): string {
  return Number.isFinite(x) ? x.toFixed(2) : '–';
}

/** Decimal digits that every double represents exactly. */
const SURE_DIGITS = 15;

function parseUnits(
  text: string,
  units: readonly (readonly [string, number])[],
  compound: boolean,
): number | undefined {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\s*/giy)];
  const whole = parts.map((part) => part[0]).join('') === trimmed;
  if (parts.length === 0 || !whole || (parts.length > 1 && !compound)) return undefined;
  let sum = 0;
  for (const [, count, name] of parts) {
    const unit = units.find(([unit]) => unit.toLowerCase() === name!.toLowerCase());
    if (unit === undefined) return undefined;
    sum += Number(count) * unit[1];
  }
  // In binary fractions, 1.1 h is slightly more than 66 minutes.
  return Number(sum.toPrecision(SURE_DIGITS));
}
