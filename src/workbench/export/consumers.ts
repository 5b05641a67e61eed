import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BingoError, UsageError } from '../../core/index.ts';
import { replaceFile } from '../workspace/replace-file.ts';

/** Folder of a workspace with one file per consumer. */
const FOLDER = 'consumers';
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Something that an export contains, by its page. */
export interface ExportedItem {
  readonly url: string;
  /** Changes if the item does. Passages of a page have different keys. */
  readonly key: string;
}

interface State {
  readonly version: 1;
  readonly selection: string;
  /** Keys by address. */
  readonly pages: Readonly<Record<string, readonly string[]>>;
}

/**
 * What a named consumer has received: another index or program that follows the exports of a workspace. Nothing is
 * written before {@link commit}, so an export that fails is repeated in full by the next one.
 */
export class Consumer {
  readonly #path: string;
  readonly #selection: string;
  readonly #before: ReadonlyMap<string, readonly string[]>;
  readonly #now = new Map<string, string[]>();

  /**
   * @param selection format and filter; a consumer receives the same selection each time
   * @throws UsageError for another selection, or a name that is not valid
   */
  constructor(dir: string, name: string, selection: string) {
    if (!NAME.test(name))
      throw new UsageError(
        `"${name}" is not a name for a consumer.`,
        'Use small letters, digits, "-" and "_": --new-since-last search-index.',
      );
    this.#path = join(dir, FOLDER, `${name}.json`);
    this.#selection = selection;
    const state = readState(this.#path);
    if (state !== undefined && state.selection !== selection)
      throw new UsageError(
        `The consumer ${name} received another format or other pages before.`,
        `Use the same flags each time, another name, or remove ${FOLDER}/${name}.json to begin again.`,
      );
    this.#before = new Map(Object.entries(state?.pages ?? {}));
  }

  /** Records an item of this export. Returns true if the consumer does not have it. */
  take({ url, key }: ExportedItem): boolean {
    const keys = this.#now.get(url);
    if (keys === undefined) this.#now.set(url, [key]);
    else keys.push(key);
    return this.#before.get(url)?.includes(key) !== true;
  }

  /** Returns the pages that the consumer has and that this export does not contain. */
  get goneUrls(): readonly string[] {
    return [...this.#before.keys()].filter((url) => !this.#now.has(url));
  }

  /** Returns the items that the consumer has and that this export does not contain. */
  get gone(): readonly ExportedItem[] {
    return [...this.#before].flatMap(([url, keys]) => {
      const now = new Set(this.#now.get(url));
      return keys.flatMap((key) => (now.has(key) ? [] : [{ url, key }]));
    });
  }

  /** Saves what the consumer has now, after the export was written as a whole. */
  commit(): void {
    const pages = Object.fromEntries([...this.#now].sort(([a], [b]) => (a < b ? -1 : 1)));
    mkdirSync(dirname(this.#path), { recursive: true });
    replaceFile(this.#path, `${JSON.stringify({ version: 1, selection: this.#selection, pages } satisfies State)}\n`);
  }
}

function readState(path: string): State | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as Partial<State> | null;
    if (state?.version === 1 && typeof state.selection === 'string' && typeof state.pages === 'object')
      return state as State;
  } catch {
    // Reported below.
  }
  throw new BingoError({
    code: 'BAD_CONSUMER',
    message: `${path} is damaged: what the consumer received is unknown.`,
    hint: 'Remove the file. The next export then contains all pages.',
  });
}
