import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/** Reads the flags of a script. Prints mistakes in one line and exits with 2, like `bingo`. */
export function readFlags<T extends ParseArgsOptionsConfig>(options: T): Values<T> {
  try {
    return parseArgs<{ options: T }>({ options }).values;
  } catch (error) {
    // The text after the first sentence is about positional arguments, which no script takes.
    return endMisused((error as Error).message.split(/\.\s/u, 1)[0]!);
  }
}

/** Prints what is wrong with the call and exits. */
export function endMisused(why: string): never {
  process.stderr.write(`error: ${why}; --help lists all flags.\n`);
  process.exit(2);
}

/** Returns the number given to a flag. */
export function readNumber(flag: string, text: string, least = 0): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= least) return value;
  return endMisused(`--${flag} takes a number, ${least} or more, got "${text}"`);
}
