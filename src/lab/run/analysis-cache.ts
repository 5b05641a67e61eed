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

/** Number of parts into which a web's analyses are split, so that several threads can make them. */
export const SHARDS = 8;

type Shard = readonly (readonly [CanonicalUrl, PageAnalysis])[];

/**
 * Analyses of one frozen web on disk. The file name depends on all inputs: the web, the settings, our code and the
 * runtime. A change of any gives another name, never an outdated result.
 */
export class AnalysisCache {
  readonly #folder: string;

  /**
   * @param root folder of the user, see {@link cacheRoot}
   * @param code digest of the analysing code, see {@link codeDigest}
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

  /** Writes atomically: a reader never sees a partial file. */
  write(shard: number, analyses: Shard): void {
    mkdirSync(this.#folder, { recursive: true });
    const temporary = join(this.#folder, `${randomUUID()}.tmp`);
    writeFileSync(temporary, serialize(analyses));
    renameSync(temporary, this.#path(shard));
  }

  /** Marks the analyses as used, see {@link pruneCache}. */
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
 * Returns the folder for caches, created if missing: `bingo-lab-USER` in the system's temporary folder.
 * @returns `undefined` if the folder belongs to another user, whose data is not trusted
 */
export function cacheRoot(): string | undefined {
  const { uid, username } = userInfo();
  const root = join(tmpdir(), `bingo-lab-${username}`);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return uid < 0 || statSync(root).uid === uid ? root : undefined;
}

/** Analyses unused for this long are removed. */
const KEEP_MS = 24 * 60 * 60_000;

/** Removes analyses unused for a day, because those of changed code, settings and files accumulate quickly. */
export function pruneCache(root: string, now: number): void {
  for (const name of readdirSync(root)) {
    const folder = join(root, name);
    if (now - statSync(folder).mtimeMs > KEEP_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the digest, made by `scripts/build.ts`, of the code on which analyses depend. */
export function codeDigest(): string {
  return readFileSync(packageFile('dist/analysis-digest.txt'), 'utf8');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
