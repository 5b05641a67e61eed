import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { readAtMost } from '../../kit/index.ts';
import { joinMembers, type Members } from '../../store/index.ts';
import { SHARDS_FOLDER } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Bytes of an id at most. */
const MAX_ID = 100;
/** A worker that gave no sign of life for so long has ended or is paused. */
const SILENT_MS = 5_000;

/** Settings that may differ between the processes: they do not affect what is fetched and learned. */
const FREE = new Set(['crawl.budget', 'crawl.timeMs', 'network.concurrency', 'network.contact', 'network.userAgent']);

/**
 * Joins the processes that work on a spread crawl. Their number decides how shards are divided.
 * @throws UsageError if another process has other settings or topics
 */
export async function joinWorkers(workspace: Pick<Workspace, 'dir' | 'config' | 'tree'>): Promise<Members> {
  const { dir, config } = workspace;
  const { url } = config.store;
  const digest = settingsDigest(workspace);
  const id = `${digest}-${randomUUID()}`;
  const members = url === 'sqlite' ? new FileMembers(dir, id) : await joinMembers({ url, workspace: dir }, id);
  await members.count();
  const isOther = (await members.ids()).some((other) => !other.startsWith(`${digest}-`));
  if (!isOther) return members;
  await members.leave();
  throw new UsageError(
    'Another process works on this crawl with other topics or settings.',
    'Use the same bingo.yaml, and the same --set, for all processes.',
  );
}

function settingsDigest({ config, tree }: Pick<Workspace, 'config' | 'tree'>): string {
  const { store: _, search: __, analyze, ...sections } = config;
  const settings = Object.entries({ ...sections, analyze: { ...analyze, threads: 0 } }).flatMap(([section, values]) =>
    Object.entries(values).filter(([name]) => !FREE.has(`${section}.${name}`)),
  );
  const text = JSON.stringify([settings, [...tree.nodes]]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The processes on one machine, as files of their process numbers. */
class FileMembers implements Members {
  readonly #folder: string;
  readonly #own: string;

  readonly #id: string;

  constructor(dir: string, id: string, pid: number = process.pid) {
    this.#id = id;
    this.#folder = join(dir, SHARDS_FOLDER, 'workers');
    this.#own = join(this.#folder, String(pid));
    mkdirSync(this.#folder, { recursive: true });
  }

  async count(): Promise<number> {
    writeFileSync(this.#own, this.#id);
    return Math.max(1, this.#live().length);
  }

  async ids(): Promise<readonly string[]> {
    // A process that has just begun to write its file has no content yet.
    return this.#live()
      .map((file) => (existsSync(file) ? (readAtMost(file, MAX_ID).bytes?.toString('utf8') ?? '') : ''))
      .filter((id) => id !== '');
  }

  #live(): readonly string[] {
    const now = Date.now();
    const files = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    return files.filter((file) => now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < SILENT_MS);
  }

  async leave(): Promise<void> {
    rmSync(this.#own, { force: true });
  }
}
