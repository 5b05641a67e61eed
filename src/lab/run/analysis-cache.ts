import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { CanonicalUrl } from '../../core/index.ts';
import type { AnalyzerSettings } from '../../engine/index.ts';
import { packageFile } from '../../kit/index.ts';
import { fileStamp } from '../web/frozen-web.ts';
import type { PageAnalysis } from './analyzed-web.ts';

/** Parts that a web's analyses are made and kept in, so that several threads can make them. */
export const SHARDS = 8;

type Shard = readonly (readonly [CanonicalUrl, PageAnalysis])[];

/**
 * Analyses of one frozen web on disk, under a name made of everything that they depend on: the file, the settings, our
 * own code and the runtime. A change of any of them leads to another name, never to a stale answer.
 */
export class AnalysisCache {
  readonly #folder: string;

  /**
   * @param root a folder of the user's own, see {@link cacheRoot}
   * @param code digest of the code that makes analyses, see {@link codeDigest}
   */
  constructor(root: string, warc: string, settings: AnalyzerSettings, code: string) {
    const { analyze, learn, ...rest } = settings;
    const parts = [warc, fileStamp(warc), { ...analyze, threads: 0 }, learn.spaces, rest];
    const key = digest(JSON.stringify([...parts, process.version, code]));
    this.#folder = join(root, `${basename(warc)}-${key}`);
  }

  has(shard: number): boolean {
    return existsSync(this.#path(shard));
  }

  /** Whole or not at all: a reader never meets half a file. */
  write(shard: number, analyses: Shard): void {
    mkdirSync(this.#folder, { recursive: true });
    const temporary = join(this.#folder, `${randomUUID()}.tmp`);
    writeFileSync(temporary, serialize(analyses));
    renameSync(temporary, this.#path(shard));
  }

  /** Says that the analyses are still wanted, see {@link pruneCache}. */
  touch(): void {
    const now = new Date();
    if (existsSync(this.#folder)) utimesSync(this.#folder, now, now);
  }

  read(shard: number): Shard {
    return deserialize(readFileSync(this.#path(shard))) as Shard;
  }

  #path(shard: number): string {
    return join(this.#folder, `${shard}-of-${SHARDS}`);
  }
}

/**
 * The folder for caches, made when it is missing: `bingo-lab-USER` in the system's temporary folder.
 * @returns `undefined` when a folder of this name belongs to somebody else, whose data we would not trust
 */
export function cacheRoot(): string | undefined {
  const { uid, username } = userInfo();
  const root = join(tmpdir(), `bingo-lab-${username}`);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return uid < 0 || statSync(root).uid === uid ? root : undefined;
}

/** Analyses that no run has wanted for this long are removed. */
const KEEP_MS = 24 * 60 * 60_000;

/** Removes analyses that nobody used for a day: those of changed code, settings and files add up quickly. */
export function pruneCache(root: string, now: number): void {
  for (const name of readdirSync(root)) {
    const folder = join(root, name);
    if (now - statSync(folder).mtimeMs > KEEP_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/** Digest of the code that analyses depend on, as it was when it was built: see `scripts/build.ts`. */
export function codeDigest(): string {
  return readFileSync(packageFile('dist/analysis-digest.txt'), 'utf8');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
