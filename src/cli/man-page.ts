import { flagsOf, usageOf } from './args.ts';
import type { Command } from './command.ts';
import { flagName } from './help.ts';

/** Returns the text of docs/bingo.1, in man page format. */
export function manPage(commands: readonly Command[]): string {
  return [
    '.TH BINGO 1 "" "Bingo" "User Commands"',
    '.SH NAME',
    'bingo \\- a focused crawler and workbench',
    '.SH SYNOPSIS',
    '.B bingo',
    '.I COMMAND',
    '[\\fIDIR\\fR] [\\fIWORDS\\fR] [\\fIFLAGS\\fR]',
    '.SH DESCRIPTION',
    'Bingo learns your topics from a few example pages and finds more like them on the web.',
    'DIR is the folder of a workspace. Leave it out inside the workspace, or in a folder below it.',
    '.SH COMMANDS',
    ...commands.flatMap(sectionOf),
    '.SH ENVIRONMENT',
    '.TP',
    '.B BINGO_WORKSPACE',
    'The workspace of commands that name none.',
    '.TP',
    '.B BINGO_NETWORK_CONTACT \\fRand so on',
    'Every setting has a variable; "bingo settings KEY" names it.',
    '.SH EXIT STATUS',
    '0 done, 1 failed, 2 misused (nothing was done), 130 stopped by Ctrl-C.',
    '',
  ].join('\n');
}

function sectionOf(command: Command): readonly string[] {
  const flags = Object.entries(flagsOf(command)).flatMap(([name, flag]) => [
    '.TP',
    `.B ${escaped(flagName(name, flag))}`,
    escaped(flag.help),
  ]);
  const notes = (command.notes ?? []).flatMap((note) => ['.PP', escaped(note)]);
  const examples = command.examples.flatMap(([line, what]) => ['.PP', escaped(what), '.br', `.B ${escaped(line)}`]);
  return [`.SS ${escaped(usageOf(command))}`, escaped(command.summary), ...flags, ...notes, ...examples];
}

/** Escapes a line: a leading dot or apostrophe would be a request, a backslash an escape. */
function escaped(text: string): string {
  const safe = text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(safe) ? `\\&${safe}` : safe;
}
