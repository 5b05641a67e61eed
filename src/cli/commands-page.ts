import { usageOf } from './args.ts';
import { COMMON_FLAGS, type Command, type Flag } from './command.ts';
import { flagName } from './help.ts';

const HEAD = `# Commands

Every command with its flags, as \`--help\` shows them (\`npm run docs\` writes this page). Each command also takes \`--help\`, and
\`--debug\`, which shows where in the program an error came from.

\`[DIR]\` is the folder of a workspace. You can leave it out inside the workspace, or in a folder below it. \`--workspace DIR\` names it, too, and
so does the environment (\`BINGO_WORKSPACE=DIR\`). A first word that is an existing workspace counts as \`DIR\` unless \`--workspace\` is given.
`;

/** Returns the text of docs/commands.md. */
export function commandsPage(commands: readonly Command[]): string {
  return [HEAD, ...commands.flatMap(sectionOf)].join('\n');
}

function sectionOf(command: Command): readonly string[] {
  const flags = Object.entries(command.flags).filter(([name]) => !Object.hasOwn(COMMON_FLAGS, name));
  return [
    `## bingo ${command.name}`,
    '',
    command.summary,
    '',
    '```sh',
    usageOf(command),
    ...command.examples.flatMap(([line, what]) => ['', `# ${what}`, line]),
    '```',
    '',
    ...(command.notes ?? []).flatMap((note) => [note, '']),
    ...(flags.length === 0 ? [] : ['| flag | what it does |', '|---|---|', ...flags.map(rowOf), '']),
  ];
}

function rowOf([name, flag]: readonly [string, Flag]): string {
  return `| \`${flagName(name, flag)}\` | ${flag.help.replaceAll('|', '\\|')} |`;
}
