/** Node.js's error code if a thread cannot start, because of the process's limit of open files or threads. */
export const NO_THREAD = 'ERR_WORKER_INIT_FAILED';

/** Content of a {@link BingoError}. */
export interface BingoErrorParts {
  /** Stable, for programs: `CONFIG_INVALID`, `WORKSPACE_LOCKED`, … */
  readonly code: string;
  /** What failed, and why. */
  readonly message: string;
  /** What the user can do about it. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** Base class of all our errors. Match on `code`, never on text. */
export class BingoError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(parts: BingoErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = new.target.name;
    this.code = parts.code;
    this.hint = parts.hint;
  }
}

/** Wrong use of a command: exit code 2, without any effect. */
export class UsageError extends BingoError {
  constructor(message: string, hint?: string) {
    super({ code: 'USAGE', message, hint });
  }
}

/** One mistake in a user's file. Line and column count from 1. */
export interface Mistake {
  readonly file: string;
  readonly line?: number | undefined;
  readonly key?: string | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A user's file is invalid; all its mistakes are reported together. */
export class InputError extends BingoError {
  readonly mistakes: readonly Mistake[];

  constructor(what: string, mistakes: readonly Mistake[]) {
    super({ code: 'INPUT_INVALID', message: `${what}:\n${describeMistakes(mistakes)}` });
    this.mistakes = mistakes;
  }
}

/** A file named by the user cannot be read: exit code 2, without any effect. */
export class UnreadableFileError extends BingoError {}

/** Another process uses this workspace; try again after it ends. */
export class WorkspaceLockedError extends BingoError {
  readonly pid: number | undefined;

  constructor(path: string, pid: number | undefined) {
    super({
      code: 'WORKSPACE_LOCKED',
      message: `The workspace ${path} is in use by another process${pid === undefined ? '' : ` (pid ${pid})`}.`,
      hint: `Wait until it ends, or stop it with Ctrl-C in its terminal; it saves everything. Watch a crawl: bingo dashboard ${path}`,
    });
    this.pid = pid;
  }
}

/** The store cannot be read or written. The crawl stops; what was reported as stored is safe. */
export class StoreError extends BingoError {}

/** Maximum number of mistakes in a message; programs receive all. */
const MISTAKES_TOLD = 20;
/** A longer message quotes binary data. */
const MESSAGE_CHARS = 300;

function describeMistakes(mistakes: readonly Mistake[]): string {
  const told = mistakes.slice(0, MISTAKES_TOLD).map(describeMistake);
  const more = mistakes.length - told.length;
  return [...told, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n');
}

function describeMistake(m: Mistake): string {
  const place = m.line === undefined ? m.file : `${m.file}:${m.line}`;
  const key = m.key === undefined ? '' : ` ${m.key}:`;
  const hint = m.hint === undefined ? '' : `\n      ${m.hint}`;
  return `  ${place}:${key} ${clipped(m.message)}${hint}`;
}

function clipped(message: string): string {
  return message.length <= MESSAGE_CHARS ? message : `${message.slice(0, MESSAGE_CHARS)}…`;
}
