import { hash53 } from '../../kit/index.ts';
import { nextTime } from '../workspace/cron-rule.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What a schedule can do. Jobs that are due together begin in this order. */
export const JOBS = ['recheck', 'crawl', 'adapt', 'portal', 'notify'] as const;
export type JobName = (typeof JOBS)[number];

/** A job of a workspace with its next time. Times are in ms since 1970. */
export interface PlannedJob {
  /** Absolute path of the workspace. */
  readonly dir: string;
  readonly job: JobName;
  /** The cron expression. */
  readonly when: string;
  /** Its time zone; `''` = that of the system. */
  readonly timezone: string;
  /** The time that the expression names. */
  readonly plannedAt: number;
  /** The same with the delay of `schedule.jitterMs`. */
  readonly dueAt: number;
}

type Scheduled = Pick<Workspace, 'dir' | 'config'>;

/** Returns the jobs that bingo.yaml gives a time. */
export function scheduledJobs({ config }: Scheduled): readonly JobName[] {
  return JOBS.filter((job) => expressionOf(config, job) !== '');
}

/** Returns the first run of a job after a time; `undefined` if its expression names no later time. */
export function plannedJob(workspace: Scheduled, job: JobName, after: number): PlannedJob | undefined {
  const { dir, config } = workspace;
  const { timezone, jitterMs } = config.schedule;
  const when = expressionOf(config, job);
  const plannedAt = when === '' ? undefined : nextTime(when, timezone, after);
  if (plannedAt === undefined) return undefined;
  return { dir, job, when, timezone, plannedAt, dueAt: plannedAt + jitterOf(`${dir} ${job} ${plannedAt}`, jitterMs) };
}

/** Returns the next runs of all jobs of some workspaces, in order, at most `limit`. */
export function plannedJobs(workspaces: readonly Scheduled[], after: number, limit: number): readonly PlannedJob[] {
  const all = workspaces.flatMap((workspace) =>
    scheduledJobs(workspace).flatMap((job) => {
      const runs: PlannedJob[] = [];
      for (let last = after; runs.length < limit; ) {
        const run = plannedJob(workspace, job, last);
        if (run === undefined) break;
        runs.push(run);
        last = run.plannedAt;
      }
      return runs;
    }),
  );
  return all.sort((a, b) => a.dueAt - b.dueAt).slice(0, limit);
}

function expressionOf({ schedule, notify }: Workspace['config'], job: JobName): string {
  return job === 'notify' ? notify.digest : schedule[job];
}

const HASHES = 2 ** 53;

/** The delay is drawn by a hash, so a plan shows it, and a restarted watcher keeps it. */
function jitterOf(run: string, jitterMs: number): number {
  return Math.floor((hash53(run) / HASHES) * jitterMs);
}
