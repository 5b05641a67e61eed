import * as z from 'zod';
import { UsageError } from '../core/index.ts';

/** A JSON Schema, as far as messages need it. */
interface Described {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
}

/** Returns the JSON Schema of what a caller sends. */
export function inputSchema(schema: z.ZodType): Described & Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Described & Record<string, unknown>;
}

/**
 * Converts URL parameters to the values of a schema: lists, numbers and switches. Empty parameters are ignored.
 * @throws UsageError for an unknown parameter: a misspelt filter would otherwise have no effect
 */
export function readQuery<S extends z.ZodObject>(schema: S, asked: URLSearchParams): z.infer<S> {
  const { properties = {} } = inputSchema(schema);
  const names = [...new Set(asked.keys())];
  const values = names.flatMap((name) => {
    const given = asked.getAll(name).filter((value) => value.trim() !== '');
    const kind = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return given.length === 0 && kind !== undefined ? [] : [[name, typedValue(given, kind?.type)] as const];
  });
  return readInput(schema, Object.fromEntries(values));
}

function typedValue(given: readonly string[], type: string | undefined): unknown {
  const last = given.at(-1) ?? '';
  switch (type) {
    case 'array':
      return given;
    case 'boolean':
      return isOn(last);
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(last) ? Number(last) : last;
    default:
      return last;
  }
}

/** Whether a parameter switches something on. */
export function isOn(value: string | null): boolean {
  return value !== null && value.trim() !== '' && !/^(0|no|off|false)$/i.test(value);
}

/**
 * Checks values against a schema, whose objects accept no unknown names.
 * @throws UsageError that names the first mistake, and what is expected
 */
export function readInput<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const strict = schema instanceof z.ZodObject ? schema.strict() : schema;
  const read = strict.safeParse(value);
  if (read.success) return read.data as z.infer<S>;
  const [issue] = read.error.issues;
  throw mistake(issue!, value, inputSchema(schema));
}

function mistake(issue: z.core.$ZodIssue, value: unknown, schema: Described): UsageError {
  const path = issue.path.map(String);
  const place = path.join('.');
  const { properties = {} } = within(schema, path);
  const known = Object.keys(properties).join(', ');
  if (issue.code === 'unrecognized_keys')
    return new UsageError(
      `Unknown parameter: ${[...path, issue.keys[0]].join('.')}.`,
      known === '' ? 'It has no parameters.' : `Known parameters: ${known}.`,
    );
  const given = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
  if (given === undefined && place !== '') {
    const all = Object.keys(within(schema, path.slice(0, -1)).properties ?? {});
    return new UsageError(`The parameter ${place} is missing.`, `Parameters: ${all.join(', ')}.`);
  }
  const options =
    issue.code === 'invalid_union' && 'options' in issue ? (issue.options as readonly string[]) : undefined;
  const expected = options === undefined ? expectation(within(schema, path)) : `one of ${options.join(', ')}`;
  return new UsageError(`${place || 'The body'} takes ${expected ?? issue.message}, got ${shown(given)}.`);
}

function within(schema: Described, path: readonly string[]): Described {
  return path.reduce((at, key) => at.properties?.[key] ?? at.items ?? {}, schema);
}

/** Describes a value that a schema accepts: "a whole number from 1 to 200". */
function expectation(schema: Described): string | undefined {
  const { type, minimum, maximum, maxLength, maxItems, pattern, description } = schema;
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (type) {
    case 'integer':
      return `a whole number from ${minimum} to ${maximum}`;
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'array':
      return maxItems === undefined ? 'a list' : `a list of at most ${maxItems} values`;
    case 'string':
      if (pattern !== undefined && description !== undefined) return description.replace(/\.$/, '');
      return maxLength === undefined ? 'text' : `text of at most ${maxLength} characters`;
    case 'object':
      return 'an object';
    default:
      return undefined;
  }
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? `"${value}"` : String(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
