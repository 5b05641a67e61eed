import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BingoError, UsageError } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { isNotifying, noteForNotice, retryAt } from '../notify/notify-workspace.ts';
import { quoted } from '../words/shell-words.ts';
import { formatDuration } from '../words/units.ts';
import { loadWorkspace, type Overrides, shownPath, WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';
import { type JobName, type PlannedJob, plannedJob, scheduledJobs } from './scheduled-jobs.ts';
import { claimWatch, type DoneUntil, logWatch, readDone, workerIn, writeDone } from './watch-files.ts';

/** What a watcher reports. `dir` is the workspace, `at` in ms since 1970. */
export interface WatchEvent {
  readonly at: number;
  readonly dir: string;
  readonly job?: JobName;
  /**
   * `interrupted`: by the signal, so it is due again. `waits`: another process works in the workspace; `left`: the same, and the
   * watcher ends. `next`: nothing is due. `not-read`: bingo.yaml has mistakes, and the schedule before them stays.
   */
  readonly kind: 'begins' | 'ends' | 'failed' | 'interrupted' | 'waits' | 'left' | 'next' | 'not-read';
  /** One sentence. */
  readonly message: string;
}

/** How a job ended: its exit code. */
export interface JobEnd {
  readonly code: number;
}

/** What a watcher needs; tests replace clock and jobs. */
export interface WatchPorts {
  /** Runs a job to its end. An aborted `signal` ends it early; everything is saved. Never rejects for a job that failed. */
  readonly run: (workspace: Workspace, job: JobName, signal: AbortSignal) => Promise<JobEnd>;
  readonly onEvent: (event: WatchEvent) => void;
  readonly signal: AbortSignal;
  readonly overrides?: Overrides;
  /** Runs what is due, and returns. Default: false, until `signal` is aborted. */
  readonly once?: boolean;
  /** Returns the time, in ms since 1970. */
  readonly now?: () => number;
  /** Resolves after a time, or earlier if the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Timers stop while a machine sleeps, so the clock is read again after this time. */
const LOOK_MS = 60_000;
/** Time until a busy workspace is looked at again. */
const BUSY_MS = 30_000;
const DONE = 0;
/** Missed runs that are counted one by one. */
const MAX_COUNTED = 1_000;

/**
 * Runs the jobs of some workspaces by their schedules, one job at a time, until the signal is aborted. What was missed
 * because no watcher ran or the machine slept is made up once.
 * @returns the number of jobs that failed
 * @throws BingoError `WATCHED` if another watcher has one of the workspaces
 * @throws UsageError if one of them has no schedule
 */
export async function watchWorkspaces(dirs: readonly string[], ports: WatchPorts): Promise<number> {
  const watched = dirs.map((dir) => new WatchedWorkspace(dir, ports));
  const locks: ReturnType<typeof claimWatch>[] = [];
  try {
    for (const { dir } of watched) locks.push(claimWatch(dir));
    for (const workspace of watched) workspace.begin();
    return await new Watcher(watched, ports).run();
  } finally {
    for (const lock of locks) lock.release();
  }
}

class Watcher {
  readonly #watched: readonly WatchedWorkspace[];
  readonly #ports: WatchPorts;
  readonly #now: () => number;
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<void>;
  #failed = 0;
  #told = '';

  constructor(watched: readonly WatchedWorkspace[], ports: WatchPorts) {
    this.#watched = watched;
    this.#ports = ports;
    this.#now = ports.now ?? Date.now;
    this.#pause = ports.pause ?? pauseFor;
  }

  async run(): Promise<number> {
    const { signal, once = false } = this.#ports;
    while (!signal.aborted) {
      for (const workspace of this.#watched) workspace.reload();
      const ready = this.#ready();
      if (ready !== undefined) {
        const [workspace, run] = ready;
        if (await workspace.work(run)) this.#failed++;
        continue;
      }
      const next = this.#next();
      this.#tell(next);
      if (once) break;
      await this.#pause(Math.min(LOOK_MS, Math.max(0, (next?.dueAt ?? Infinity) - this.#now())), signal);
    }
    return this.#failed;
  }

  /** Returns the first job that is due and can begin. */
  #ready(): readonly [WatchedWorkspace, PlannedJob] | undefined {
    const now = this.#now();
    const due = this.#watched
      .flatMap((workspace) => workspace.planned(now).map((run) => [workspace, run] as const))
      .filter(([, { dueAt }]) => dueAt <= now)
      .sort(([, a], [, b]) => a.dueAt - b.dueAt);
    return due.find(([workspace, run]) => workspace.canBegin(run, now));
  }

  /** Returns the next run. A busy workspace is looked at again soon. */
  #next(): PlannedJob | undefined {
    const now = this.#now();
    const [next] = this.#watched.flatMap((each) => each.planned(now)).sort((a, b) => a.dueAt - b.dueAt);
    return next === undefined || next.dueAt > now ? next : { ...next, dueAt: now + BUSY_MS };
  }

  #tell(next: PlannedJob | undefined): void {
    const told = next === undefined ? '' : `${next.dir} ${next.job} ${next.plannedAt}`;
    if (next === undefined || told === this.#told) return;
    this.#told = told;
    const { dir, job, dueAt, timezone } = next;
    const message = `Next: ${job} of ${shownPath(dir)} at ${scheduleTime(dueAt, timezone)}.`;
    this.#ports.onEvent({ at: this.#now(), dir, job, kind: 'next', message });
  }
}

/** A workspace with its schedule and with what was done of it. */
class WatchedWorkspace {
  readonly dir: string;
  readonly #ports: WatchPorts;
  readonly #now: () => number;
  #workspace: Workspace;
  #done: DoneUntil = {};
  #version: string;
  #mistakes = '';
  #busy = '';
  #lookAt = 0;

  constructor(dir: string, ports: WatchPorts) {
    this.#ports = ports;
    this.#now = ports.now ?? Date.now;
    this.#version = versionOf(dir);
    this.#workspace = loadWorkspace(dir, ports.overrides);
    this.dir = this.#workspace.dir;
    if (scheduledJobs(this.#workspace).length === 0)
      throw new UsageError(
        `${dir} has no schedule.`,
        `Set one, for example: bingo settings set ${quoted(dir)} schedule.recheck "0 3 * * *"\nStanding queries: bingo watch ${quoted(dir)} list`,
      );
  }

  /** Reads what was done; the lock is held. */
  begin(): void {
    this.#done = readDone(this.dir);
    this.#notice();
  }

  /** Reads bingo.yaml again if it changed. */
  reload(): void {
    const version = versionOf(this.dir);
    if (version !== this.#version) this.#load();
    this.#version = version;
    this.#notice();
  }

  #load(): void {
    try {
      this.#workspace = loadWorkspace(this.dir, this.#ports.overrides);
      this.#mistakes = '';
    } catch (error) {
      if (!(error instanceof BingoError)) throw error;
      if (error.message !== this.#mistakes)
        this.#tell('not-read', `bingo.yaml cannot be read; the schedule before stays: ${error.message}`);
      this.#mistakes = error.message;
    }
  }

  /** A job that is new is due from now on; what was done in the future was done by a wrong clock. */
  #notice(): void {
    const now = this.#now();
    const jobs = scheduledJobs(this.#workspace);
    const done = Object.fromEntries(jobs.map((job) => [job, Math.min(this.#done[job] ?? now, now)]));
    if (JSON.stringify(done) === JSON.stringify(this.#done)) return;
    this.#done = done;
    writeDone(this.dir, done);
  }

  /** Returns the next run of each job, and the next try of messages that were not taken; those whose time has passed are due. */
  planned(now: number): readonly PlannedJob[] {
    const jobs = scheduledJobs(this.#workspace).flatMap(
      (job) => plannedJob(this.#workspace, job, this.#done[job] ?? now) ?? [],
    );
    const { timezone } = this.#workspace.config.schedule;
    const at = isNotifying(this.#workspace) ? retryAt(this.dir) : undefined;
    const retry = { dir: this.dir, job: 'notify', when: '', timezone, plannedAt: at ?? 0, dueAt: at ?? 0 } as const;
    return at === undefined ? jobs : [...jobs, retry];
  }

  /** Whether a job that is due can begin. While another process works in the workspace, it waits until its next time. */
  canBegin(run: PlannedJob, now: number): boolean {
    if (run.job === 'portal' || run.job === 'notify') return true;
    if (now < this.#lookAt) return false;
    const worker = workerIn(this.dir);
    if (worker === undefined) return true;
    this.#lookAt = now + BUSY_MS;
    const by = worker === 'unknown' ? 'Another process' : `Process ${worker}`;
    const waiting = `${run.job} ${run.plannedAt}`;
    if (waiting !== this.#busy)
      this.#tell(
        this.#ports.once === true ? 'left' : 'waits',
        `${by} works in ${shownPath(this.dir)}: ${run.job} ${this.#ports.once === true ? 'is left to the next run' : 'waits'}.`,
        run.job,
      );
    this.#busy = waiting;
    return false;
  }

  /** Runs a job. @returns whether it failed */
  async work(run: PlannedJob): Promise<boolean> {
    const { signal } = this.#ports;
    const { job, plannedAt, timezone } = run;
    const begun = this.#now();
    const runs = this.#runsUntil(job, begun);
    const missed = runs > 1 ? `, instead of ${counted(runs, 'missed run')}` : '';
    this.#tell('begins', `${job} begins, planned for ${scheduleTime(plannedAt, timezone)}${missed}.`, job);
    const { code } = await this.#ports.run(this.#workspace, job, signal);
    const took = formatDuration(Math.max(1_000, this.#now() - begun));
    if (signal.aborted && code !== DONE) {
      this.#tell('interrupted', `${job} was interrupted after ${took}; it is due again.`, job);
      return false;
    }
    if (this.#done[job] !== undefined) {
      this.#done = { ...this.#done, [job]: begun };
      writeDone(this.dir, this.#done);
    }
    if (code !== DONE) noteForNotice(this.#workspace, `The scheduled ${job} failed.`, `See watch/${job}.txt.`);
    if (code === DONE) this.#tell('ends', `${job} ended after ${took}.`, job);
    else this.#tell('failed', `${job} failed with exit code ${code} after ${took}: see watch/${job}.txt.`, job);
    await this.#notify(job);
    return code !== DONE;
  }

  /** Sends what a job found, unless a digest is sent at other times. */
  async #notify(after: JobName): Promise<void> {
    if (this.#ports.signal.aborted) return;
    const { digest } = this.#workspace.config.notify;
    if (after === 'portal' || after === 'notify' || digest !== '' || !isNotifying(this.#workspace)) return;
    const { code } = await this.#ports.run(this.#workspace, 'notify', this.#ports.signal);
    if (code !== DONE) this.#tell('failed', 'notify failed: see watch/notify.txt.', 'notify');
  }

  /** Number of times of a job that have passed since it was done. */
  #runsUntil(job: JobName, now: number): number {
    let last = this.#done[job] ?? now;
    for (let runs = 0; ; runs++) {
      const next = plannedJob(this.#workspace, job, last);
      if (next === undefined || next.plannedAt > now || runs === MAX_COUNTED) return runs;
      last = next.plannedAt;
    }
  }

  #tell(kind: WatchEvent['kind'], message: string, job?: JobName): void {
    const at = this.#now();
    logWatch(this.dir, at, message);
    this.#ports.onEvent({ at, dir: this.dir, ...(job && { job }), kind, message });
  }
}

/** Formats a time for people: `2026-11-28 02:00`, with the time zone if bingo.yaml names one. */
export function scheduleTime(at: number, timezone: string): string {
  const zone = timezone === '' ? {} : { timeZone: timezone };
  const time = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', ...zone }).format(at);
  return timezone === '' ? time : `${time} ${timezone}`;
}

/** Changes if bingo.yaml does. */
function versionOf(dir: string): string {
  const { mtimeMs = 0, size = 0, ino = 0 } = statSync(join(dir, WORKSPACE_FILE), { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${size} ${ino}`;
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
