import { didYouMean } from '../words/suggest.ts';
import { formatDuration, formatSize, parseDuration, parseSize } from '../words/units.ts';

/** Result of reading a value: the setting, or why the value is invalid. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly hint?: string };

/** How one setting is written, checked and explained. */
export interface Rule<T> {
  /** `integer, 1 or more`; completes "expected …". */
  readonly expects: string;
  /** Parses a value from YAML, or the text of a flag or an environment variable. */
  read(value: unknown): Read<T>;
  /** Formats the value for YAML. */
  write(value: T): string;
  /** A more readable form of the default, such as `8 MiB` for 8388608; `undefined` if not needed. */
  gloss?(value: T): string | undefined;
  /** For a list: the rule of its items. */
  readonly item?: Rule<unknown>;
}

const NO: Read<never> = { ok: false };
const yes = <T>(value: T): Read<T> => ({ ok: true, value });

/** Bounds of a number, both inclusive; `open` excludes `min`. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
  readonly open?: boolean;
}

function inBounds(value: number, { min, max, open }: Bounds): boolean {
  if (!Number.isFinite(value)) return false;
  if (min !== undefined && (open === true ? value <= min : value < min)) return false;
  return max === undefined || value <= max;
}

function describeBounds({ min, max, open }: Bounds, show: (n: number) => string = String): string {
  const parts: string[] = [];
  if (min !== undefined) parts.push(open === true ? `greater than ${show(min)}` : `${show(min)} or more`);
  if (max !== undefined) parts.push(`at most ${show(max)}`);
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

function numeric(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

export function integer(bounds: Bounds = {}): Rule<number> {
  return {
    expects: `a whole number${describeBounds(bounds)}`,
    read: (value) => {
      const n = numeric(value);
      return Number.isSafeInteger(n) && inBounds(n, bounds) ? yes(n) : NO;
    },
    write: String,
  };
}

export function number(bounds: Bounds = {}): Rule<number> {
  return {
    expects: `a number${describeBounds(bounds)}`,
    read: (value) => {
      const n = numeric(value);
      return inBounds(n, bounds) ? yes(n) : NO;
    },
    write: String,
  };
}

/** Rule for milliseconds; text may have a unit: `250ms`, `30s`, `90m`, `2h`. */
export function duration(bounds: Bounds = { min: 0 }): Rule<number> {
  return {
    expects: `milliseconds or a time like 250ms, 30s, 90m, 2h${describeBounds(bounds, (ms) => (ms >= 1000 ? formatDuration(ms) : String(ms)))}`,
    read: (value) => {
      const ms = typeof value === 'string' ? parseDuration(value) : numeric(value);
      return ms !== undefined && Number.isInteger(ms) && inBounds(ms, bounds) ? yes(ms) : NO;
    },
    write: String,
    gloss: (ms) => (ms >= 1000 ? formatDuration(ms) : undefined),
  };
}

/** Rule for bytes; text may have a unit: `512KiB`, `8MiB`. */
export function size(bounds: Bounds = { min: 0 }): Rule<number> {
  return {
    expects: `bytes or a size like 512KiB, 8MiB${describeBounds(bounds)}`,
    read: (value) => {
      const bytes = typeof value === 'string' ? parseSize(value) : numeric(value);
      return bytes !== undefined && Number.isInteger(bytes) && inBounds(bytes, bounds) ? yes(bytes) : NO;
    },
    write: String,
    gloss: (bytes) => (bytes >= 1024 ? formatSize(bytes) : undefined),
  };
}

const TRUTHS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  ['yes', true],
  ['no', false],
  ['on', true],
  ['off', false],
  ['1', true],
  ['0', false],
]);

export function truth(): Rule<boolean> {
  return {
    expects: 'true or false',
    read: (value) => {
      const found = TRUTHS.get(typeof value === 'string' ? value.toLowerCase() : value);
      return found === undefined ? NO : yes(found);
    },
    write: String,
  };
}

/** Rule for one line of text that `accepts` allows; `hint` is shown if it does not. */
export function text(expects: string, accepts: (text: string) => boolean = () => true, hint?: string): Rule<string> {
  const no: Read<never> = hint === undefined ? NO : { ok: false, hint };
  return {
    expects,
    read: (value) => {
      if (value === null) return accepts('') ? yes('') : no;
      return typeof value === 'string' && !/[\r\n]/.test(value) && accepts(value) ? yes(value) : no;
    },
    write: (value) => JSON.stringify(value),
  };
}

export function oneOf<const T extends string>(choices: readonly T[]): Rule<T> {
  return {
    expects: `one of ${choices.join(', ')}`,
    read: (value) => {
      const found = choices.find((choice) => choice === value);
      if (found !== undefined) return yes(found);
      const hint = typeof value === 'string' ? didYouMean(value, choices) : undefined;
      return hint === undefined ? NO : { ok: false, hint };
    },
    write: String,
  };
}

/** Rule for the values of another rule, or one special word. */
export function orWord<const W extends string, T>(word: W, rule: Rule<T>): Rule<T | W> {
  return {
    expects: `${rule.expects}, or ${word}`,
    read: (value) => (value === word ? yes(word) : rule.read(value)),
    write: (value) => (value === word ? word : rule.write(value as T)),
  };
}

/** Rule for a list, or text with its items separated by commas, with or without brackets. */
export function listOf<T>(rule: Rule<T>, least = 0): Rule<readonly T[]> {
  return {
    expects: `a list${least > 0 ? ` of ${least} or more` : ''}, each ${rule.expects}`,
    read: (value) => {
      const items = asList(value);
      if (items === undefined || items.length < least) return NO;
      const read = items.map((item) => rule.read(item));
      const wrong = read.find((item) => !item.ok);
      if (wrong !== undefined && !wrong.ok) return wrong;
      return yes(read.flatMap((item) => (item.ok ? [item.value] : [])));
    },
    write: (values) => `[${values.map((value) => rule.write(value)).join(', ')}]`,
    item: rule as Rule<unknown>,
  };
}

function asList(value: unknown): readonly unknown[] | undefined {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return undefined;
  const list = IN_BRACKETS.exec(value)?.[1];
  const items = (list ?? value).split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').map((item) => (list === undefined ? item : unquoted(item)));
}

/** A list in bingo.yaml's form; does not match an IPv6 address in brackets. */
const IN_BRACKETS = /^\s*\[(?![0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*\])(.*)\]\s*$/is;

function unquoted(item: string): string {
  return /^(["']).*\1$/s.test(item) ? item.slice(1, -1) : item;
}
