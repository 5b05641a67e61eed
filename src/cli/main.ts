import { UsageError } from '../core/index.ts';
import { didYouMean, type Paint, paint, productVersion, TopicsUnclearError } from '../workbench/index.ts';
import { readArgs } from './args.ts';
import { type Args, type Command, EXIT, type Io } from './command.ts';
import { COMMANDS, type ListedCommand } from './command-list.ts';
import { commandHelp, groupHelp, programHelp } from './help.ts';
import { processIo, wantsColour } from './process-io.ts';
import { describeError, type ErrorStyle, exitCodeOf } from './report-error.ts';
import { takesWorkspace } from './workspace-argument.ts';

/**
 * Runs one command line.
 * @param words without the program's name
 * @returns the exit code: 0 done, 1 failed, 2 misused, 130 stopped
 */
export async function main(
  words: readonly string[],
  io: Io = processIo((error) => describeError(error, errorStyle(words, io))),
): Promise<number> {
  const colours = paint(wantsColour(io, io.stdoutIsTerminal));
  let dir: string | undefined;
  try {
    const [first] = words;
    if (first === '--version' || first === '-v' || first === 'version') {
      await io.out(`${productVersion()}\n`);
      return EXIT.done;
    }
    const guide = first === 'help' ? await guideNamed(words.slice(1)) : undefined;
    const named = findCommand(words);
    if (guide !== undefined && named === undefined) {
      await io.out(await guide(helpWidth(io), colours));
      return EXIT.done;
    }
    if (named === undefined) {
      const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
      if (group.length > 0 && words.length === 2 && isHelp(words[1]!)) {
        const commands = await Promise.all(group.map((listed) => listed.load()));
        await io.out(groupHelp(commands, helpWidth(io), colours));
        return EXIT.done;
      }
      if (first !== undefined && !isHelp(first)) throw unknownCommand(words);
      const commands = await Promise.all(COMMANDS.map((listed) => listed.load()));
      await io.out(programHelp(commands, productVersion(), helpWidth(io), colours));
      return first === undefined ? EXIT.misused : EXIT.done;
    }
    const command = await named.listed.load();
    const args = readArgs(command, named.rest, io);
    if (args.has('help')) {
      await io.out(commandHelp(command, helpWidth(io), colours));
      if (guide !== undefined) await io.out(`\n${await guide(helpWidth(io), colours)}`);
      return EXIT.done;
    }
    if (takesWorkspace(command)) dir = args.positionals[0];
    return await runAsking(command, args, io);
  } catch (error) {
    const style = errorStyle(words, io);
    io.err(describeError(error, dir === undefined ? style : { ...style, dir }));
    return exitCodeOf(error);
  }
}

/** Runs a command. On a terminal, asks about topics that bingo.yaml no longer has, then runs it again. */
async function runAsking(command: Command, args: Args, io: Io): Promise<number> {
  for (;;) {
    try {
      return await command.run(args, io);
    } catch (error) {
      const canAsk = io.stdinIsTerminal && io.stderrIsTerminal && !args.has('json');
      if (!(error instanceof TopicsUnclearError) || !canAsk) throw error;
      const { askAboutTopic } = await import('./ask-topics.ts');
      if (!(await askAboutTopic(error, args.positionals[0] ?? '', io))) throw error;
    }
  }
}

function errorStyle(words: readonly string[], io: Io): ErrorStyle {
  const has = (flag: string): boolean => words.includes(`--${flag}`);
  return { json: has('json'), debug: has('debug'), paint: paint(wantsColour(io, io.stderrIsTerminal)) };
}

/** Finds the command that the words begin with; `help crawl` is `crawl --help`. */
function findCommand(words: readonly string[]): { listed: ListedCommand; rest: readonly string[] } | undefined {
  if (words[0] === 'help' && words.length > 1) return findCommand([...words.slice(1), '--help']);
  for (const length of [2, 1]) {
    const listed = COMMANDS.find(({ name }) => name === words.slice(0, length).join(' '));
    if (listed !== undefined) return { listed, rest: words.slice(length) };
  }
  return undefined;
}

/** Returns the document that `bingo help TOPIC` requests; loads the Markdown parser on demand. */
async function guideNamed(
  words: readonly string[],
): Promise<((width: number, paint: Paint) => Promise<string>) | undefined> {
  const [name] = words;
  if (words.length !== 1 || name === undefined || name.startsWith('-')) return undefined;
  const { guideNames, guideText } = await import('./guides.ts');
  if (guideNames().includes(name)) return async (width, paint) => guideText(name, width, paint);
  if (COMMANDS.some((command) => command.name.split(' ')[0] === name)) return undefined;
  const known = [...guideNames(), ...COMMANDS.map((command) => command.name)];
  throw new UsageError(`No help on "${name}".`, didYouMean(name, known) ?? `Topics: ${guideNames().join(', ')}.`);
}

function isHelp(word: string): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

function unknownCommand(words: readonly string[]): UsageError {
  const names = COMMANDS.map((command) => command.name);
  const [first = '', second] = words;
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length > 0) {
    const message =
      second === undefined ? `bingo ${first} needs a second word.` : `Unknown command: ${first} ${second}.`;
    return new UsageError(message, `Known: ${group.map((name) => `bingo ${name}`).join(', ')}.`);
  }
  if (first.startsWith('-'))
    return new UsageError(`Unknown flag without a command: ${first}.`, 'Known are --help and --version (-v).');
  return new UsageError(`Unknown command: ${first}.`, didYouMean(first, names) ?? 'bingo --help lists them.');
}

function helpWidth(io: Io): number {
  return Math.max(40, Math.min(100, io.columns()));
}
