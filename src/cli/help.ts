import { type Paint, pad, wrap } from '../workbench/index.ts';
import { flagsOf, usageOf } from './args.ts';
import type { Command, Flag } from './command.ts';

const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 misused (nothing was done), 130 stopped by Ctrl-C.';

/** Returns the help of one command: examples first, then flags. */
export function commandHelp(command: Command, width: number, paint: Paint): string {
  return [
    ...wrap(command.summary, width).map(paint.bold),
    '',
    ...command.examples.flatMap(([line, what]) => [
      `  ${paint.accent(line)}`,
      ...wrap(what, width - 4).map((l) => `    ${l}`),
    ]),
    '',
    `Usage: ${usageOf(command)}`,
    '',
    ...flagLines(flagsOf(command), width),
    ...(command.notes ?? []).flatMap((note) => ['', ...wrap(note, width)]),
    '',
    ...wrap(EXIT_CODES, width),
    '',
  ].join('\n');
}

function flagLines(flags: Readonly<Record<string, Flag>>, width: number): string[] {
  const names = Object.entries(flags).map(([name, flag]) => [flagName(name, flag), flag.help] as const);
  const column = Math.max(...names.map(([name]) => name.length)) + 4;
  return names.flatMap(([name, help]) => {
    const [first = '', ...rest] = wrap(help, Math.max(20, width - column));
    return [`  ${pad(name, column - 2)}${first}`, ...rest.map((line) => ' '.repeat(column) + line)];
  });
}

/** Returns a flag with its value as typed: `--seed URL…`. */
export function flagName(name: string, { value, greedy }: Flag): string {
  const taken = value === undefined ? '' : ` ${value}${greedy === true ? '…' : ''}`;
  return `${name.length === 1 ? '-' : '--'}${name}${taken}`;
}

/** Returns the two-word commands with the same first word, for `bingo lab --help`. */
export function groupHelp(commands: readonly Command[], width: number, paint: Paint): string {
  return [...commandLines(commands, width, paint), '', 'Each has --help with examples.', ''].join('\n');
}

function commandLines(commands: readonly Command[], width: number, paint: Paint): string[] {
  const column = Math.max(...commands.map((command) => command.name.length)) + 4;
  return commands.flatMap((command) => {
    const [first = '', ...rest] = wrap(command.summary, Math.max(20, width - column));
    return [`  ${paint.accent(pad(command.name, column - 2))}${first}`, ...rest.map((l) => ' '.repeat(column) + l)];
  });
}

/** Returns the help of the program. */
export function programHelp(commands: readonly Command[], version: string, width: number, paint: Paint): string {
  return [
    ...wrap(
      `Bingo ${version}: a focused crawler. It learns your topics from a few pages and finds more like them.`,
      width,
    ).map(paint.bold),
    '',
    '  bingo demo',
    '    See it work in a minute, without the network.',
    '  bingo init mine --topic cycling --seed https://en.wikipedia.org/wiki/Cycling',
    '    Make a workspace: a folder with a topic and its examples.',
    '  bingo crawl mine --budget 500',
    '    Learn from the examples, then fetch the 500 most promising pages.',
    '  bingo search mine "touring bikes"',
    '    Ask what it found. Inside the folder "mine" you can leave its name out.',
    '',
    'Commands:',
    ...commandLines(commands, width, paint),
    '',
    ...wrap(
      'Every command has --help with examples. --version shows the version, --debug where an error came from.',
      width,
    ),
    ...wrap(EXIT_CODES, width),
    '',
  ].join('\n');
}
