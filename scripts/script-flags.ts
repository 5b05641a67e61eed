import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/** The flags that a script was called with. What is wrong with them is told in one line, and the process ends with 2, as `bingo` does. */
export function readFlags<T extends ParseArgsOptionsConfig>(options: T): Values<T> {
  try {
    return parseArgs<{ options: T }>({ options }).values;
  } catch (error) {
    // What follows the first sentence speaks of arguments that no script of ours takes.
    return endMisused((error as Error).message.split(/\.\s/u, 1)[0]!);
  }
}

/** Ends the process: it was called wrongly. */
export function endMisused(why: string): never {
  process.stderr.write(`error: ${why}; --help tells what there is.\n`);
  process.exit(2);
}

/** The number that a flag was given. */
export function readNumber(flag: string, text: string, least = 0): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= least) return value;
  return endMisused(`--${flag} takes a number, ${least} or more, got "${text}"`);
}
