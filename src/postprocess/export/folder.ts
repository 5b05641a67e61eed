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

/**
 * Makes a folder whole or not at all: `fill` writes to a folder beside it, which then takes the place of the old one. A
 * folder that was not made here as the same kind is not touched without `force`.
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
      writeFileSync(join(making, MARK), `${JSON.stringify({ madeBy: `bingo ${kind}` })}\n`);
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
  try {
    const mark = JSON.parse(readFileSync(join(path, MARK), 'utf8')) as { readonly madeBy?: unknown } | null;
    return mark?.madeBy === `bingo ${kind}`;
  } catch {
    return false;
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
  rmSync(aside, { recursive: true, force: true });
  return undefined;
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
