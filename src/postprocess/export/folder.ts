import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BingoError, UsageError } from '../../core/index.ts';
import { halfMade } from './half-made.ts';

/** Names what made a folder, so that it may be made again. */
const MARK = 'bingo-folder.json';

export type FolderKind = 'portal' | 'corpus';

export interface FolderOptions {
  readonly kind: FolderKind;
  /** Also where something else is; that is then kept beside it, under another name. */
  readonly force?: boolean;
}

/** What came of {@link writeFolder}. */
export interface WrittenFolder<T> {
  readonly content: T;
  /** Where what was there before lies now; `undefined` when it was nothing, or an older one of ours. */
  readonly kept: string | undefined;
}

/** What the file of that name says. `names`: what was made, at the top of the folder. */
interface Mark {
  readonly madeBy?: unknown;
  readonly names?: unknown;
}

/**
 * Makes a folder whole or not at all: `fill` writes to a folder beside it, which then takes the place of the old one. What somebody put
 * beside what was made, such as `.git`, goes over into the new one. A folder that was not made here as the same kind is not touched
 * without `force`.
 * @throws UsageError when there is something that may not be replaced
 */
export async function writeFolder<T>(
  out: string,
  { kind, force = false }: FolderOptions,
  fill: (folder: string) => Promise<T>,
): Promise<WrittenFolder<T>> {
  const path = resolve(out);
  const isOurs = checkPlace(path, out, { kind, force });
  const making = `${path}.making-${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  try {
    return await halfMade(making, async () => {
      makeParents(path);
      mkdirSync(making);
      const content = await fill(making);
      const names = [...readdirSync(making), MARK].sort();
      writeFileSync(join(making, MARK), `${JSON.stringify({ madeBy: `bingo ${kind}`, names })}\n`);
      return { content, kept: swap(path, making, isOurs) };
    });
  } catch (error) {
    if (error instanceof BingoError || !isSystemError(error)) throw error;
    throw new BingoError({
      code: 'FOLDER_UNWRITABLE',
      message: `The folder ${out} could not be written: ${error.message}`,
      hint: 'Nothing was changed. Check the disk and the permissions of the folder above it.',
      cause: error,
    });
  }
}

/** True when what is there is ours, or nothing. */
function checkPlace(path: string, out: string, { kind, force }: Required<FolderOptions>): boolean {
  if (!existsSync(path)) return true;
  if (dirname(path) === path) throw new UsageError(`${out} is the root of the disk.`, 'Name a folder of its own.');
  if (lstatSync(path).isSymbolicLink())
    throw new UsageError(
      `${out} is a link, which would be replaced by a folder.`,
      'Name the folder that it leads to, or remove the link.',
    );
  if (!lstatSync(path).isDirectory())
    throw new UsageError(`${out} is no folder.`, `Name a folder for the ${kind}; it is made when it is not there.`);
  if (readdirSync(path).length === 0 || isMadeBy(path, kind)) return true;
  if (force && !isWorkspace(path)) return false;
  throw new UsageError(
    `${out} is there already, and no ${kind} that Bingo made.`,
    isWorkspace(path)
      ? 'It holds a workspace. Name another folder.'
      : 'Name another folder, or give --force: what is there is then kept beside it.',
  );
}

function isMadeBy(path: string, kind: FolderKind): boolean {
  return markOf(path)?.madeBy === `bingo ${kind}`;
}

/** `undefined` where there is none that can be read. */
function markOf(path: string): Mark | undefined {
  try {
    return (JSON.parse(readFileSync(join(path, MARK), 'utf8')) as Mark | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function isWorkspace(path: string): boolean {
  return existsSync(join(path, 'bingo.yaml'));
}

function swap(path: string, making: string, isOurs: boolean): string | undefined {
  if (!existsSync(path)) {
    renameSync(making, path);
    return undefined;
  }
  const aside = isOurs ? `${path}.old-${process.pid}` : freeName(path);
  renameSync(path, aside);
  renameSync(making, path);
  if (!isOurs) return aside;
  for (const name of foreignIn(aside, path)) {
    const own = join(path, name);
    renameSync(join(aside, name), existsSync(own) ? freeName(own) : own);
  }
  rmSync(aside, { recursive: true, force: true });
  return undefined;
}

/** What somebody put at the top of a folder that was made here. Where its mark does not say what that was, the new one does. */
function foreignIn(old: string, made: string): readonly string[] {
  const names = markOf(old)?.names;
  const ours = new Set<unknown>(Array.isArray(names) ? names : readdirSync(made));
  return readdirSync(old).filter((name) => !ours.has(name));
}

function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = `${path}.before${n === 1 ? '' : `-${n}`}`;
    if (!existsSync(name)) return name;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** One by one: where none can be made, such as below `/proc`, Node's own recursion never ends. */
function makeParents(path: string): void {
  const parent = dirname(path);
  if (existsSync(parent)) return;
  makeParents(parent);
  mkdirSync(parent);
}
