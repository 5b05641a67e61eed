import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WorkspaceLockedError } from '../../core/index.ts';
import { lockWorkspace, type WorkspaceLock } from '../../store/index.ts';
import { claimFolder } from '../workspace/claim-folder.ts';
import { replaceFile } from '../workspace/replace-file.ts';
import { JOBS, type JobName } from './scheduled-jobs.ts';

/** Folder of a workspace with the watcher's lock, its log, and what it did last. */
const WATCH_FOLDER = 'watch';
const STATE_FILE = 'state.json';
const LOG_FILE = 'log.txt';
/** The log and the one before it have at most twice this size. */
const MAX_LOG_BYTES = 1024 * 1024;

/** For each job the time until which it is done, in ms since 1970: later times that have passed are due. */
export type DoneUntil = Readonly<Partial<Record<JobName, number>>>;

/**
 * Locks a workspace for a watcher.
 * @throws BingoError `WATCHED` if another watcher has it
 */
export function claimWatch(dir: string): WorkspaceLock {
  return claimFolder(join(dir, WATCH_FOLDER), {
    code: 'WATCHED',
    message: (holder) => `${dir} is already watched by ${holder}.`,
    hint: 'End that one with Ctrl-C, or with "systemctl stop" if a service runs it.',
  });
}

/** Returns who works in a workspace now: a process id, `'unknown'`, or `undefined` if no process does. */
export function workerIn(dir: string): number | 'unknown' | undefined {
  try {
    lockWorkspace(dir).release();
    return undefined;
  } catch (error) {
    if (!(error instanceof WorkspaceLockedError)) throw error;
    return error.pid ?? 'unknown';
  }
}

/** Reads what the watcher did. Nothing if the file is missing or damaged: jobs then wait for their next time. */
export function readDone(dir: string): DoneUntil {
  try {
    const { done } = JSON.parse(readFileSync(join(dir, WATCH_FOLDER, STATE_FILE), 'utf8')) as {
      readonly done: DoneUntil;
    };
    return Object.fromEntries(JOBS.flatMap((job) => (Number.isFinite(done[job]) ? [[job, done[job]]] : [])));
  } catch {
    return {};
  }
}

export function writeDone(dir: string, done: DoneUntil): void {
  mkdirSync(join(dir, WATCH_FOLDER), { recursive: true });
  replaceFile(join(dir, WATCH_FOLDER, STATE_FILE), `${JSON.stringify({ done })}\n`);
}

/** Passes the descriptor of the file that receives the output of a job, `watch/JOB.txt`, and closes it afterwards. */
export async function withJobOutput<T>(dir: string, job: JobName, use: (descriptor: number) => Promise<T>): Promise<T> {
  mkdirSync(join(dir, WATCH_FOLDER), { recursive: true });
  const descriptor = openSync(join(dir, WATCH_FOLDER, `${job}.txt`), 'w');
  try {
    return await use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Adds a line to the log of a workspace. A large log gets another name, and a new one begins. */
export function logWatch(dir: string, at: number, line: string): void {
  const path = join(dir, WATCH_FOLDER, LOG_FILE);
  mkdirSync(join(dir, WATCH_FOLDER), { recursive: true });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.old`);
  appendFileSync(path, `${new Date(at).toISOString().slice(0, 19)}Z ${line}\n`);
}
