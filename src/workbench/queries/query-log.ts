import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_LIMITS, readBounded } from '../workspace/bounded-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * The log of queries, beside bingo.yaml: one JSON object per line. It is a file and not a table, because searches of
 * several processes append to it while a crawl holds the store.
 */
export const QUERIES_FILE = 'queries.jsonl';

/** Where a query was asked: the page of `bingo serve` is `serve`, programs and agents are `api`. */
export type QuerySource = 'search' | 'serve' | 'find' | 'portal' | 'api';

/** One line of the log. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly from: QuerySource;
  /** The words; '' if a page was opened without a search. */
  readonly query: string;
  /** Pages that matched. Missing if unknown, and for opened results. */
  readonly matches?: number;
  /** The result that the user opened. Missing for the search itself. */
  readonly opened?: string;
}

/** A query with all its repetitions. */
export interface LoggedQuery {
  readonly query: string;
  readonly times: number;
  /** ISO 8601, UTC. */
  readonly last: string;
  readonly from: readonly QuerySource[];
  /** Pages that matched the last time. */
  readonly matches: number | null;
  /** Results that the user opened, most often opened first. */
  readonly opened: readonly string[];
}

/** Maximum characters of a query or an address in the log. */
const MAX_CHARS = 2_000;
/** Expired entries stay this long at most: the file is not rewritten for each of them. */
const SLACK_MS = 24 * 60 * 60 * 1000;
/** Beyond this size, the older half of the log is dropped. */
const MAX_BYTES = FILE_LIMITS.review - (FILE_LIMITS.review >> 2);

type Place = Pick<Workspace, 'dir' | 'config'>;

/**
 * Appends a query or an opened result, if the workspace keeps a log, and removes expired entries about once a day.
 * A log that cannot be written never fails a search.
 */
export function logQuery({ dir, config }: Place, entry: Omit<LogEntry, 'at'>, now: number = Date.now()): void {
  if (!config.search.log || (entry.query.trim() === '' && entry.opened === undefined)) return;
  const { query, opened, ...rest } = entry;
  const cut = { query: query.trim().slice(0, MAX_CHARS), ...(opened && { opened: opened.slice(0, MAX_CHARS) }) };
  const file = join(dir, QUERIES_FILE);
  try {
    appendFileSync(file, `${JSON.stringify({ at: now, ...rest, ...cut })}\n`, { mode: 0o600 });
    if (isDue(file, now - config.search.keepMs - SLACK_MS)) expireQueries({ dir, config }, now);
  } catch {
    // Read-only folder or full disk.
  }
}

/** Returns the entries of the log that have not expired, oldest first; damaged lines are skipped. */
export function readQueryLog({ dir, config }: Place, now: number = Date.now()): readonly LogEntry[] {
  const since = now - config.search.keepMs;
  return entriesIn(logText(dir)).filter(({ at }) => at >= since);
}

/** Returns the queries of a log, last asked first. Case and blanks do not distinguish queries. */
export function loggedQueries(entries: readonly LogEntry[]): readonly LoggedQuery[] {
  const groups = Map.groupBy(
    entries.filter(({ query }) => query !== ''),
    ({ query }) => queryKey(query),
  );
  const all = [...groups.values()].map((group) => {
    const asked = group.filter(({ opened }) => opened === undefined);
    const opened = Map.groupBy(
      group.filter((entry) => entry.opened !== undefined),
      (entry) => entry.opened!,
    );
    const last = group.at(-1)!;
    return {
      query: last.query,
      times: asked.length,
      last: new Date(last.at).toISOString(),
      from: [...new Set(group.map(({ from }) => from))],
      matches: asked.at(-1)?.matches ?? null,
      opened: [...opened].sort(([, a], [, b]) => b.length - a.length).map(([url]) => url),
    };
  });
  return all.sort((a, b) => (a.last < b.last ? 1 : -1));
}

/**
 * Removes entries from the file for good. Entries that another process appends meanwhile are kept.
 * @returns the number of removed entries
 */
export function deleteQueries(dir: string, isUnwanted: (entry: LogEntry) => boolean): number {
  const file = join(dir, QUERIES_FILE);
  let from: number;
  try {
    from = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  try {
    const text = textFrom(from, 0);
    const all = entriesIn(text);
    const kept = all.filter((entry) => !isUnwanted(entry));
    const next = `${file}.${process.pid}.new`;
    try {
      writeFileSync(next, linesOf(kept), { mode: 0o600 });
      renameSync(next, file);
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
    const late = textFrom(from, Buffer.byteLength(text));
    if (late !== '') appendFileSync(file, late);
    return all.length - kept.length;
  } finally {
    closeSync(from);
  }
}

/**
 * Removes expired entries, and the older half of a log that is too large. Does nothing if the log cannot be written:
 * {@link readQueryLog} leaves expired entries out anyway.
 */
export function expireQueries({ dir, config }: Place, now: number = Date.now()): void {
  try {
    const text = logText(dir);
    const all = entriesIn(text);
    const middle = Buffer.byteLength(text) > MAX_BYTES ? all[all.length >> 1]!.at : Number.NEGATIVE_INFINITY;
    const since = Math.max(now - config.search.keepMs, middle);
    if (all.some(({ at }) => at < since)) deleteQueries(dir, ({ at }) => at < since);
  } catch {
    // Read-only folder or full disk.
  }
}

/** Returns what makes queries equal: words, without regard to case and blanks. */
export function queryKey(query: string): string {
  return query.trim().toLowerCase().replaceAll(/\s+/g, ' ');
}

/** Returns entries as lines of the log. */
export function linesOf(entries: readonly LogEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

function logText(dir: string): string {
  try {
    return readBounded(join(dir, QUERIES_FILE), FILE_LIMITS.review).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function entriesIn(text: string): readonly LogEntry[] {
  return text.split('\n').flatMap((line) => {
    const entry = parsed(line);
    return entry === undefined ? [] : [entry];
  });
}

function parsed(line: string): LogEntry | undefined {
  if (line === '') return undefined;
  try {
    const entry = JSON.parse(line) as Partial<LogEntry> | null;
    const isEntry = typeof entry?.at === 'number' && typeof entry.query === 'string' && typeof entry.from === 'string';
    return isEntry && ['undefined', 'string'].includes(typeof entry.opened) ? (entry as LogEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the first entry is older than a time, or the file too large. */
function isDue(file: string, since: number): boolean {
  const opened = openSync(file, 'r');
  try {
    if (fstatSync(opened).size > MAX_BYTES) return true;
    const head = Buffer.alloc(40);
    readSync(opened, head, 0, head.length, 0);
    const [, at] = /^\{"at":(\d+),/.exec(head.toString('latin1')) ?? [];
    return at !== undefined && Number(at) < since;
  } finally {
    closeSync(opened);
  }
}

/** Returns the text of an open log after `from` bytes; {@link logQuery} limits its size. */
function textFrom(file: number, from: number): string {
  const late = Buffer.alloc(Math.min(FILE_LIMITS.review, Math.max(0, fstatSync(file).size - from)));
  readSync(file, late, 0, late.length, from);
  return late.toString('utf8');
}
