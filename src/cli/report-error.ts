import { BingoError, InputError, NO_THREAD, UnreadableFileError, UsageError } from '../core/index.ts';
import { safeJson } from '../kit/index.ts';
import { adviceFor, type Paint, sanitizeForTerminal } from '../workbench/index.ts';
import { EXIT } from './command.ts';

/** How an error is printed. */
export interface ErrorStyle {
  readonly json: boolean;
  readonly debug: boolean;
  readonly paint: Paint;
  /** The workspace of the command. */
  readonly dir?: string;
}

/** Exit code of an error: 2 if the user can correct it and nothing was done yet, else 1. */
export function exitCodeOf(error: unknown): number {
  return MISUSES.some((kind) => error instanceof kind) ? EXIT.misused : EXIT.failed;
}

const MISUSES = [UsageError, InputError, UnreadableFileError];

/** Formats an error for stderr: what failed, and what to do. Includes the stack only with `debug`. */
export function describeError(error: unknown, style: ErrorStyle): string {
  const facts = factsOf(error, style.dir ?? 'DIR');
  if (style.json) return `${safeJson({ error: { ...facts, ...(style.debug ? { stack: stackOf(error) } : {}) } })}\n`;
  const lines = [`${style.paint.bad('error:')} ${safeLines(facts.message)}`];
  if (facts.hint !== undefined) lines.push(safeLines(facts.hint));
  if (style.debug) lines.push('', safeLines(stackOf(error)));
  else if (facts.code === 'UNEXPECTED') lines.push('This should not happen; --debug shows where it came from.');
  return `${lines.join('\n')}\n`;
}

interface Facts {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly mistakes?: InputError['mistakes'];
}

function factsOf(error: unknown, dir: string): Facts {
  if (error instanceof BingoError) {
    const hint = error.hint === undefined ? {} : { hint: withFlags(adviceFor(dir, error.hint)) };
    const mistakes = error instanceof InputError ? { mistakes: error.mistakes } : {};
    return { code: error.code, message: error.message, ...hint, ...mistakes };
  }
  const system = systemFacts(error);
  if (system !== undefined) return system;
  return { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) };
}

/** Replaces options of the library in advice by the flags of the same meaning. */
function withFlags(advice: string): string {
  return advice.replaceAll(/the option "(\w+)"/g, (_, option: string) =>
    option === 'seeds' ? '--seed URL' : `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
}

const SYSTEM_HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'The file or folder does not exist: check the path.',
  EACCES: 'You may not read or write it: check its permissions.',
  EPERM: 'You may not read or write it: check its permissions.',
  EEXIST: 'It already exists: choose another name.',
  EISDIR: 'This is a folder; a file is needed.',
  ENOTDIR: 'A part of the path is a file, not a folder.',
  ENOSPC: 'The disk is full. Free some space and run the command again; everything reported as stored is safe.',
  EFBIG: 'The file may not grow so large: see "ulimit -f", or choose another disk (FAT32 ends at 4 GB).',
  EROFS: 'The disk can only be read: choose another folder.',
  EMFILE: 'Too many files are open: raise the limit with "ulimit -n 4096".',
  [NO_THREAD]:
    'Raise the limit of threads or of open files (ulimit -u, ulimit -n; a container has limits of its own), or free memory.',
  EADDRINUSE: 'The port is in use: choose another one.',
};

/** Plain descriptions of system errors about files, ports and threads. */
function systemFacts(error: unknown): Facts | undefined {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  const hint = typeof code === 'string' && Object.hasOwn(SYSTEM_HINTS, code) ? SYSTEM_HINTS[code] : undefined;
  if (hint === undefined) return undefined;
  const what = code === NO_THREAD ? `No thread can be started (${message}).` : (message ?? code!);
  return { code: code!, message: what, hint };
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** Sanitizes each line; keeps line breaks and the indentation of our own messages. */
function safeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^ */.exec(line)![0]}${sanitizeForTerminal(line)}`)
    .join('\n');
}
