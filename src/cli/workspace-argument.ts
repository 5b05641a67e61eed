import { UsageError } from '../core/index.ts';
import { isWorkspace, quoted, shownPath, workspaceAround } from '../workbench/index.ts';
import type { Command, Flag } from './command.ts';

/** First word of a command that works in a workspace: optional inside the workspace. */
export const WORKSPACE_WORD = '[DIR]';

/** Flags of every command that works in a workspace. */
export const WORKSPACE_FLAGS: Readonly<Record<string, Flag>> = {
  workspace: { value: 'DIR', help: 'The workspace. Default: BINGO_WORKSPACE, or the one that this folder is in.' },
};

/** Where a command runs. */
export interface Place {
  /** The current folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whether the command works in an existing workspace. */
export function takesWorkspace(command: Pick<Command, 'positionals'>): boolean {
  return command.positionals[0] === WORKSPACE_WORD;
}

/** Its last positional takes all remaining words. */
export function isOpenEnded({ positionals }: Pick<Command, 'positionals'>): boolean {
  return /\.\.\.\]?$/.test(positionals.at(-1) ?? '');
}

/**
 * Puts the workspace before the words of a command. Checks in this order: `--workspace`, a first word that is an
 * existing workspace, BINGO_WORKSPACE, the workspace around the current folder. If there are too many words, or no
 * workspace is found, the first word is taken as the workspace, so that the error names it.
 * @throws UsageError if no workspace is named or found
 */
export function withWorkspace(
  command: Pick<Command, 'name' | 'positionals' | 'withoutWorkspace'>,
  words: readonly string[],
  { named, place }: { readonly named: string | undefined; readonly place: Place },
): readonly string[] {
  const [first] = words;
  if (named !== undefined) return [named, ...words];
  if (first === '' || (first !== undefined && isWorkspace(first))) return words;
  const near = nearWorkspace(place);
  const rest = command.positionals.slice(1);
  const isTooMany = isOpenEnded(command) ? isPath(first) : words.length > rest.length;
  if (near === undefined && !isTooMany && command.withoutWorkspace === true) return ['', ...words];
  if (first !== undefined && (isTooMany || near === undefined)) return words;
  if (near !== undefined) return [near, ...words];
  const usage = ['bingo', command.name, 'DIR', ...rest].join(' ');
  throw new UsageError(
    'DIR is missing: this folder is not in a workspace.',
    `Name a workspace: ${usage}\nOr change into one, or set BINGO_WORKSPACE. "bingo init --help" shows how to make one.`,
  );
}

function nearWorkspace({ cwd, env }: Place): string | undefined {
  const { BINGO_WORKSPACE: set } = env;
  if (set === undefined || set === '') {
    const around = workspaceAround(cwd);
    return around === undefined ? undefined : shownPath(around);
  }
  if (isWorkspace(set)) return set;
  throw new UsageError(
    `BINGO_WORKSPACE is ${quoted(set)}, which is not a workspace.`,
    'Correct it, remove it with "unset BINGO_WORKSPACE", or name a workspace with --workspace DIR.',
  );
}

/** Words of a search rarely have this form. */
function isPath(word: string | undefined): boolean {
  return word !== undefined && /^(?:\.{1,2}|~)?\/|^\.{1,2}$/.test(word);
}
