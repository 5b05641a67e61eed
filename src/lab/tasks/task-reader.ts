import { type CanonicalUrl, canonicalize, type Mistake } from '../../core/index.ts';
import { safeJson, sanitizeText } from '../../kit/index.ts';
import { hasContent } from '../../postprocess/index.ts';

/** All keys of a task. */
const KEYS: readonly string[] = [
  ...['id', 'family', 'web', 'kind', 'topics', 'examples', 'queries', 'seeds', 'others', 'othersWeb', 'budget'],
  ...['reachable', 'scored', 'oracleArea', 'baseline'],
];

/** Reads one task's keys and collects mistakes. */
export class TaskReader {
  readonly #file: string;
  readonly #name: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #mistakes: Mistake[];

  constructor(file: string, index: number, item: unknown, mistakes: Mistake[]) {
    this.#file = file;
    this.#fields = isRecord(item) ? item : {};
    const id = this.#fields.id;
    this.#name = typeof id === 'string' && id !== '' ? `task ${safeJson(id)}` : `task ${index + 1}`;
    this.#mistakes = mistakes;
  }

  mistake(key: string, message: string): void {
    this.#mistakes.push({ file: this.#file, key: key === '' ? this.#name : `${this.#name}, ${key}`, message });
  }

  /** Unknown keys. */
  get unread(): readonly string[] {
    return Object.keys(this.#fields).filter((key) => !KEYS.includes(key));
  }

  value(key: string): unknown {
    return this.#fields[key];
  }

  text(key: string): string {
    const value = this.#fields[key];
    if (typeof value !== 'string' || value === '') this.mistake(key, `Expected a text, got ${kindOf(value)}.`);
    else if (value === sanitizeText(value)) return value;
    else this.mistake(key, `Expected one line of text without control characters, got ${safeJson(value)}.`);
    return '';
  }

  /** Words to learn from, trimmed. */
  query(key: string, value: unknown): string {
    const text = typeof value === 'string' ? value.trim() : '';
    if (text !== sanitizeText(text))
      this.mistake(key, `Expected one line of words without control characters, got ${safeJson(text)}.`);
    else if (!hasContent(text)) this.mistake(key, `Expected words to learn from, got ${kindOf(value)}.`);
    return text;
  }

  object(key: string): Readonly<Record<string, unknown>> {
    const value = this.#fields[key];
    if (isRecord(value)) return value;
    this.mistake(key, `Expected an object, got ${kindOf(value)}.`);
    return {};
  }

  strings(key: string, value: unknown, least: number): readonly string[] {
    const list = Array.isArray(value) ? (value as readonly unknown[]) : undefined;
    if (list === undefined || list.length < least || list.some((item) => typeof item !== 'string' || item === '')) {
      this.mistake(key, `Expected a list of ${least > 0 ? `at least ${least} ` : ''}text(s), got ${kindOf(value)}.`);
      return [];
    }
    return list as readonly string[];
  }

  urls(key: string, value: unknown, least: number): readonly CanonicalUrl[] {
    const urls = this.strings(key, value, least).map((text) => {
      const url = canonicalize(text);
      if (url === undefined) this.mistake(key, `Expected http(s) URLs, got "${text}".`);
      return url;
    });
    return urls.filter((url) => url !== undefined);
  }

  number(key: string, least: number, greatest: number): number | undefined {
    const value = this.#fields[key];
    if (typeof value === 'number' && value >= least && value <= greatest) return value;
    const range = greatest === 1 ? 'a number in (0,1]' : `a number >= ${least}`;
    this.mistake(key, `Expected ${range}, got ${typeof value === 'number' ? value : kindOf(value)}.`);
    return undefined;
  }

  whole(key: string, least: number): number | undefined {
    const value = this.number(key, least, Number.MAX_SAFE_INTEGER);
    if (value === undefined || Number.isInteger(value)) return value;
    this.mistake(key, `Expected a whole number, got ${value}.`);
    return undefined;
  }

  optional(key: string, least: number, greatest: number): number | undefined {
    return this.#fields[key] === undefined ? undefined : this.number(key, least, greatest);
  }

  baseline(): Readonly<Record<string, number>> {
    if (this.#fields.baseline === undefined) return {};
    const entries = Object.entries(this.object('baseline'));
    for (const [name, value] of entries)
      if (typeof value !== 'number') this.mistake(`baseline.${name}`, `Expected a number, got ${kindOf(value)}.`);
    return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
  }
}

/** Returns true for objects that are not lists. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Describes a value of a task file. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' ? 'an object' : `${JSON.stringify(value)}`;
}
