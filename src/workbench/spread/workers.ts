import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { readSettings, settingAt, settingsText } from '../../engine/index.ts';
import { count, readAtMost } from '../../kit/index.ts';
import { joinMembers, type Members, type Store } from '../../store/index.ts';
import { SHARDS_FOLDER } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Bytes of an id at most. */
const MAX_ID = 100;
/** A worker that gave no sign of life for so long has ended or is paused. */
const SILENT_MS = 5_000;

/** Settings that may differ between the processes: they do not affect what is fetched and learned. */
const FREE = new Set([
  ...['crawl.budget', 'crawl.timeMs', 'network.concurrency', 'network.contact', 'network.userAgent'],
  ...['analyze.threads', 'topics.good'],
]);
const FREE_SECTIONS = new Set(['store', 'search']);
/** Maximum number of settings that a message names, and of characters of a value. */
const NAMED = 5;
const MAX_VALUE = 40;

/**
 * Joins the processes that work on a spread crawl. Their number decides how shards are divided.
 * @param home its last run has the settings of the crawl of the whole
 * @throws UsageError with the settings that differ if another process has other settings or topics
 */
export async function joinWorkers(
  workspace: Pick<Workspace, 'dir' | 'config' | 'tree'>,
  home: Pick<Store, 'lastRun'>,
): Promise<Members> {
  const { dir, config } = workspace;
  const { url } = config.store;
  const own = sharedSettings(settingsText(config, { tree: workspace.tree, documents: undefined, extensions: [] }));
  const digest = createHash('sha256')
    .update(JSON.stringify([[...own], [...workspace.tree.nodes]]))
    .digest('hex')
    .slice(0, 16);
  const id = `${digest}-${randomUUID()}`;
  const members = url === 'sqlite' ? new FileMembers(dir, id) : await joinMembers({ url, workspace: dir }, id);
  try {
    await members.count();
    const isOther = (await members.ids()).some((other) => !other.startsWith(`${digest}-`));
    if (!isOther) return members;
    const theirs = sharedSettings((await home.lastRun()).settings);
    throw new UsageError(
      `Another process works on this crawl with other topics or settings${named(differences(own, theirs))}`,
      'Use the same bingo.yaml, and the same --set, for all processes.',
    );
  } catch (error) {
    await members.leave();
    throw error;
  }
}

/** Returns the values, as JSON, of the settings that all processes must share, by key. */
function sharedSettings(text: string): ReadonlyMap<string, string | undefined> {
  const settings = readSettings(text);
  const keys = Object.entries(settings).flatMap(([section, values]) =>
    FREE_SECTIONS.has(section) ? [] : Object.keys(values).map((name) => `${section}.${name}`),
  );
  return new Map(keys.filter((key) => !FREE.has(key)).map((key) => [key, JSON.stringify(settingAt(settings, key))]));
}

/** Describes each setting that differs: `crawl.seed (1 here, 2 there)`. */
function differences(
  own: ReadonlyMap<string, string | undefined>,
  theirs: ReadonlyMap<string, string | undefined>,
): readonly string[] {
  return [...own].flatMap(([key, value = '']) => {
    const other = theirs.get(key);
    if (other === value || other === undefined) return [];
    const isShort = Math.max(value.length, other.length) <= MAX_VALUE;
    return [isShort ? `${key} (${value} here, ${other} there)` : key];
  });
}

/** The settings have no difference if the topics, examples or versions of Bingo differ. */
function named(different: readonly string[]): string {
  if (different.length === 0) return '. No setting differs, so compare the topics and their examples.';
  const more = different.length - NAMED;
  return `: ${different.slice(0, NAMED).join(', ')}${more > 0 ? `, and ${count(more)} more` : ''}.`;
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
