import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinMembers, type Members } from '../../store/index.ts';
import { SHARDS_FOLDER } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A worker that gave no sign of life for so long has ended or is paused. */
const SILENT_MS = 5_000;

/** Joins the processes that work on a spread crawl. Their number decides how shards are divided. */
export async function joinWorkers({ dir, config }: Pick<Workspace, 'dir' | 'config'>): Promise<Members> {
  const { url } = config.store;
  return url === 'sqlite' ? new FileMembers(dir) : await joinMembers({ url, workspace: dir }, randomUUID());
}

/** The processes on one machine, as files of their process numbers. */
class FileMembers implements Members {
  readonly #folder: string;
  readonly #own: string;

  constructor(dir: string, pid: number = process.pid) {
    this.#folder = join(dir, SHARDS_FOLDER, 'workers');
    this.#own = join(this.#folder, String(pid));
    mkdirSync(this.#folder, { recursive: true });
  }

  async count(): Promise<number> {
    const now = Date.now();
    writeFileSync(this.#own, '');
    const files = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    const live = files.filter((file) => now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < SILENT_MS);
    return Math.max(1, live.length);
  }

  async leave(): Promise<void> {
    rmSync(this.#own, { force: true });
  }
}
