import { createHash } from 'node:crypto';
import { copyFileSync, linkSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { TopicMaps } from './topic-maps.ts';

/** What a portal's folder keeps for its next version. */
export const STATE_FILE = '.portal-state';
/** Increase this if another version's files cannot be used. */
const FORMAT = 1;

/** State of a portal, for the next one. */
export interface PortalState {
  /** Sequences by number; 0 for a number that is not used. */
  readonly sequences: readonly number[];
  /** Pages when they were numbered last. */
  readonly atFirst: number;
  /** Number of those pages that have each stem. */
  readonly frequencies: Readonly<Record<string, number>>;
  readonly languages: readonly string[];
  /** First stem of each shard of the index. */
  readonly shards: readonly string[];
  readonly maps?: TopicMaps;
  /** Digests of the files. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Writes the files of a portal. A file that is the same in the folder of the portal before is linked from there, not
 * written: it keeps its date.
 */
export class PortalFiles {
  readonly #folder: string;
  readonly #before: string | undefined;
  readonly #known: Readonly<Record<string, string>>;
  readonly #digests: Record<string, string> = {};
  /** State of the portal before; `undefined` if its result data or its index were changed since. */
  readonly state: PortalState | undefined;

  /** @param before folder of the portal before, if any */
  constructor(folder: string, before?: string) {
    this.#folder = folder;
    this.#before = before;
    const state = before === undefined ? undefined : readState(before);
    this.#known = state?.files ?? {};
    const data = Object.keys(this.#known).filter((name) => /^(pages|index)\//.test(name));
    this.state = data.every((name) => this.#isUnchanged(name)) ? state : undefined;
  }

  get digests(): Readonly<Record<string, string>> {
    return this.#digests;
  }

  write(name: string, content: string | Uint8Array): void {
    const digest = digestOf(content);
    if (this.#known[name] === digest && this.keep(name)) return;
    const path = join(this.#folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    this.#digests[name] = digest;
  }

  /** Takes a file from the portal before. Returns false if it has none, or if the file was changed since. */
  keep(name: string): boolean {
    if (!this.#isUnchanged(name)) return false;
    const [old, path] = [join(this.#before!, name), join(this.#folder, name)];
    mkdirSync(dirname(path), { recursive: true });
    try {
      linkSync(old, path);
    } catch {
      // Some file systems have no links.
      copyFileSync(old, path);
      const { atime, mtime } = statSync(old);
      utimesSync(path, atime, mtime);
    }
    this.#digests[name] = this.#known[name]!;
    return true;
  }

  #isUnchanged(name: string): boolean {
    const digest = this.#known[name];
    const content = digest === undefined ? undefined : this.before(name);
    return content !== undefined && digestOf(content) === digest;
  }

  /** Returns a file of the portal before; `undefined` without one. */
  before(name: string): Buffer | undefined {
    if (this.#before === undefined) return undefined;
    try {
      return readFileSync(join(this.#before, name));
    } catch {
      return undefined;
    }
  }

  /** Saves the state; the last call. */
  save(state: Omit<PortalState, 'files'>): void {
    const text = JSON.stringify({ format: FORMAT, ...state, files: this.#digests });
    this.write(STATE_FILE, zstdCompressSync(Buffer.from(text)));
  }
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url');
}

/** Returns the state of a portal; `undefined` if it has none that this version can use. */
function readState(folder: string): PortalState | undefined {
  try {
    const text = zstdDecompressSync(readFileSync(join(folder, STATE_FILE))).toString();
    const state = JSON.parse(text) as PortalState & { readonly format: number };
    return state.format === FORMAT ? state : undefined;
  } catch {
    return undefined;
  }
}
