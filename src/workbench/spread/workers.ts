import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARDS_FOLDER } from '../workspace/spread-file.ts';

/** A worker that gave no sign of life for so long has ended or is paused. */
const SILENT_MS = 5_000;

/** The processes that work on a spread crawl, as files of their process numbers. They decide how shards are divided. */
export class Workers {
  readonly #folder: string;
  readonly #own: string;

  constructor(dir: string, pid: number = process.pid) {
    this.#folder = join(dir, SHARDS_FOLDER, 'workers');
    this.#own = join(this.#folder, String(pid));
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Shows that this process is there. Returns the number of processes that are. */
  count(now: number = Date.now()): number {
    writeFileSync(this.#own, '');
    const files = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    const live = files.filter((file) => now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < SILENT_MS);
    return Math.max(1, live.length);
  }

  leave(): void {
    rmSync(this.#own, { force: true });
  }
}
