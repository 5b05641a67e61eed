import { UsageError } from '../core/index.ts';
import { readArgs } from './args.ts';
import { type Command, EXIT, type Io } from './command.ts';
import { cluster } from './commands/cluster.ts';
import { crawl } from './commands/crawl.ts';
import { dashboard } from './commands/dashboard.ts';
import { demo } from './commands/demo.ts';
import { distill } from './commands/distill.ts';
import { exportPages } from './commands/export.ts';
import { find } from './commands/find.ts';
import { init } from './commands/init.ts';
import { labRunCommand, labServeCommand, labTableCommand, labTasksCommand } from './commands/lab.ts';
import { labTrapsCommand } from './commands/lab-traps.ts';
import { mark } from './commands/mark.ts';
import { portal } from './commands/portal.ts';
import { reclassify } from './commands/reclassify.ts';
import { review } from './commands/review.ts';
import { search } from './commands/search.ts';
import { serve } from './commands/serve.ts';
import { sql } from './commands/sql.ts';
import { status } from './commands/status.ts';
import { topicShow } from './commands/topic.ts';
import { topics } from './commands/topics.ts';
import { why } from './commands/why.ts';
import { commandHelp, programHelp } from './help.ts';
import { processIo, wantsColour } from './process-io.ts';
import { describeError, exitCodeOf } from './report-error.ts';
import { productVersion } from './shipped.ts';
import { didYouMean } from './suggest.ts';
import { paint } from './terminal.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  find,
  init,
  crawl,
  dashboard,
  search,
  serve,
  mark,
  review,
  cluster,
  portal,
  exportPages,
  status,
  why,
  reclassify,
  distill,
  sql,
  topics,
  topicShow,
  demo,
  labServeCommand,
  labRunCommand,
  labTasksCommand,
  labTableCommand,
  labTrapsCommand,
];

/**
 * Runs one command line.
 * @param words without the program's name
 * @returns the exit code: 0 done, 1 failed, 2 misused, 130 stopped
 */
export async function main(words: readonly string[], io: Io = processIo()): Promise<number> {
  const colours = paint(wantsColour(io, io.stdoutIsTerminal));
  try {
    const [first] = words;
    if (first === '--version' || first === 'version') {
      await io.out(`${productVersion()}\n`);
      return EXIT.done;
    }
    const named = findCommand(words);
    if (named === undefined) {
      if (first !== undefined && !isHelp(first)) throw unknownCommand(words);
      await io.out(programHelp(COMMANDS, productVersion(), helpWidth(io), colours));
      return first === undefined ? EXIT.misused : EXIT.done;
    }
    const args = readArgs(named.command, named.rest);
    if (args.has('help')) {
      await io.out(commandHelp(named.command, helpWidth(io), colours));
      return EXIT.done;
    }
    return await named.command.run(args, io);
  } catch (error) {
    const has = (flag: string): boolean => words.includes(`--${flag}`);
    const style = { json: has('json'), debug: has('debug'), paint: paint(wantsColour(io, io.stderrIsTerminal)) };
    io.err(describeError(error, style));
    return exitCodeOf(error);
  }
}

/** The command that the words begin with; `help crawl` is `crawl --help`. */
function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  if (words[0] === 'help' && words.length > 1) return findCommand([...words.slice(1), '--help']);
  for (const length of [2, 1]) {
    const command = COMMANDS.find(({ name }) => name === words.slice(0, length).join(' '));
    if (command !== undefined) return { command, rest: words.slice(length) };
  }
  return undefined;
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
      second === undefined ? `bingo ${first} needs a second word.` : `There is no command "${first} ${second}".`;
    return new UsageError(message, `There are: ${group.map((name) => `bingo ${name}`).join(', ')}.`);
  }
  return new UsageError(`There is no command "${first}".`, didYouMean(first, names) ?? 'bingo --help lists them.');
}

function helpWidth(io: Io): number {
  return Math.max(40, Math.min(100, io.columns()));
}
