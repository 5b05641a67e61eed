import { parseArgs } from 'node:util';
import { UsageError } from '../core/index.ts';
import { didYouMean } from '../workbench/index.ts';
import { type Args, COMMON_FLAGS, type Command, type Flag } from './command.ts';
import {
  isOpenEnded,
  type Place,
  takesWorkspace,
  WORKSPACE_FLAGS,
  WORKSPACE_WORD,
  withWorkspace,
} from './workspace-argument.ts';

/**
 * Parses the words after a command's name. If the command works in a workspace, that is the first of its
 * `positionals`.
 * @throws UsageError for an unknown flag, a flag without its value, a missing or extra word, or no workspace
 */
export function readArgs(command: Command, words: readonly string[], place: Place): Args {
  const flags = flagsOf(command);
  const found = new Map<string, string[]>();
  const positionals: string[] = [];
  let greedy: string[] | undefined;
  for (const token of tokenize(words, flags)) {
    if (token.kind === 'positional') (greedy ?? positionals).push(token.value);
    if (token.kind === 'option-terminator') greedy = undefined;
    if (token.kind !== 'option') continue;
    const name = currentName(token.name, flags);
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) throw unknownFlag(command, wordOf(token.rawName, words[token.index]!), Object.keys(flags));
    const values = found.get(name) ?? [];
    values.push(readValue(command, token.rawName, flag, token.value));
    found.set(name, values);
    greedy = flag.greedy === true ? values : undefined;
  }
  checkRepeats(command, flags, found);
  const given = found.has('help') ? positionals : wordsOf(command, positionals, found.get('workspace')?.at(-1), place);
  return {
    positionals:
      isOpenEnded(command) && command.takesList !== true ? joinedFrom(command.positionals.length - 1, given) : given,
    has: (flag) => found.has(flag),
    value: (flag) => found.get(flag)?.at(-1),
    values: (flag) => found.get(flag) ?? [],
  };
}

/** Returns the present name of a flag that may have its former name. */
function currentName(name: string, flags: Readonly<Record<string, Flag>>): string {
  return Object.entries(flags).find(([, { former }]) => former === name)?.[0] ?? name;
}

/** Returns every flag of a command. */
export function flagsOf(command: Pick<Command, 'flags' | 'positionals'>): Readonly<Record<string, Flag>> {
  return { ...command.flags, ...(takesWorkspace(command) ? WORKSPACE_FLAGS : {}), ...COMMON_FLAGS };
}

function wordsOf(
  command: Command,
  positionals: readonly string[],
  named: string | undefined,
  place: Place,
): readonly string[] {
  // An unset script variable would otherwise mean the current folder.
  if (/^\[?DIR\]?$/.test(command.positionals[0] ?? '') && positionals[0] === '') throw misuse(command, 'DIR is empty.');
  const words = takesWorkspace(command) ? withWorkspace(command, positionals, { named, place }) : positionals;
  checkPositionals(command, words);
  return words;
}

function joinedFrom(at: number, words: readonly string[]): readonly string[] {
  return words.length <= at + 1 ? words : [...words.slice(0, at), words.slice(at).join(' ')];
}

/** `-silver` is parsed as the flag `-s` followed by letters. */
function wordOf(rawName: string, word: string): string {
  return rawName.startsWith('--') ? rawName : word;
}

function tokenize(words: readonly string[], flags: Readonly<Record<string, Flag>>) {
  const options = Object.fromEntries(
    Object.entries(flags).flatMap(([name, { value, former }]) =>
      [name, former ?? name].map((each) => [
        each,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          multiple: true,
          ...(each.length === 1 ? { short: each } : {}),
        },
      ]),
    ),
  );
  const args = words.map((word) => (word === '-h' ? '--help' : word));
  return parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function readValue(command: Command, rawName: string, flag: Flag, value: string | undefined): string {
  if (flag.value === undefined) {
    if (value !== undefined) throw misuse(command, `${rawName} is a switch and takes no value.`);
    return '';
  }
  if (value === undefined || (value.startsWith('--') && value.length > 2)) {
    throw misuse(command, `${rawName} needs a value: ${rawName} ${flag.value}.`);
  }
  return value;
}

function checkRepeats(command: Command, flags: Readonly<Record<string, Flag>>, found: Map<string, string[]>): void {
  for (const [name, values] of found) {
    const flag = flags[name]!;
    const mayRepeat = flag.repeats === true || flag.greedy === true || flag.value === undefined;
    if (values.length > 1 && !mayRepeat) throw misuse(command, `--${name} was given ${values.length} times.`);
  }
}

function checkPositionals(command: Command, positionals: readonly string[]): void {
  const required = command.positionals.filter((name) => !name.startsWith('[') || name === WORKSPACE_WORD);
  const missing = required[positionals.length];
  if (missing !== undefined) throw misuse(command, `${missing.replace('...', '')} is missing.`);
  if (!isOpenEnded(command) && positionals.length > command.positionals.length) {
    const extra = positionals[command.positionals.length]!;
    const takes = command.positionals.join(' ') || 'no words';
    throw misuse(command, `Expected ${takes}, got "${extra}" as well. Put text with spaces in quotes.`);
  }
}

function unknownFlag(command: Command, rawName: string, names: readonly string[]): UsageError {
  const name = rawName.replace(/^-+/, '');
  const elsewhere = command.elsewhere ?? {};
  if (Object.hasOwn(elsewhere, name))
    return new UsageError(`bingo ${command.name} has no flag ${rawName}.`, elsewhere[name]!);
  const meant = didYouMean(name, names)?.replace('"', '"--');
  const message = `bingo ${command.name} has no flag ${rawName}.`;
  if (meant === undefined && isOpenEnded(command) && command.takesList !== true) {
    const before = ['bingo', command.name, ...command.positionals.slice(0, -1)].join(' ');
    const asWord = `If it is one of the words: ${before} -- words ${rawName}, or in quotes: ${before} "words ${rawName}".`;
    return new UsageError(message, `${asWord}\n${helpHint(command)}`);
  }
  return new UsageError(message, meant ?? helpHint(command));
}

function misuse(command: Command, message: string): UsageError {
  return new UsageError(message, helpHint(command));
}

function helpHint(command: Command): string {
  return `Usage: ${usageOf(command)}\nMore: bingo ${command.name} --help`;
}

/** Returns the usage line: `bingo search DIR WORDS [flags]`. */
export function usageOf(command: Command): string {
  const flags = Object.keys(command.flags).length > 0 ? ' [flags]' : '';
  return ['bingo', command.name, ...command.positionals].join(' ') + flags;
}
