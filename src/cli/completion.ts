import { flagsOf } from './args.ts';
import type { Command } from './command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Returns the completion script of a shell: completes command names, then their flags; otherwise folders and files. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** Returns the words that may follow `bingo`, and those that may follow each first word. */
function wordsOf(commands: readonly Command[]): { first: readonly string[]; second: ReadonlyMap<string, string[]> } {
  const second = new Map<string, string[]>();
  for (const { name } of commands) {
    const [group = '', word] = name.split(' ');
    second.set(group, [...(second.get(group) ?? []), ...(word === undefined ? [] : [word])]);
  }
  return { first: [...second.keys(), 'help', 'version'], second };
}

function flagNames(command: Command): string {
  return Object.keys(flagsOf(command))
    .map((name) => `${name.length === 1 ? '-' : '--'}${name}`)
    .join(' ');
}

function bashScript(commands: readonly Command[]): string {
  const { first, second } = wordsOf(commands);
  const groups = [...second].filter(([, words]) => words.length > 0);
  return `# Completion of bingo for bash: source <(bingo completion bash)
_bingo() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${first.join(' ')}"
  elif [[ "$cur" == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${commands
  .filter(({ name }) => name.includes(' '))
  .map((command) => `      "${command.name}") words="${flagNames(command)}" ;;\n`)
  .join('')}      *) case "\${COMP_WORDS[1]}" in
${commands
  .filter(({ name }) => !name.includes(' '))
  .map((command) => `        ${command.name}) words="${flagNames(command)}" ;;\n`)
  .join('')}      esac ;;
    esac
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${groups.map(([group, words]) => `      ${group}) words="${words.join(' ')}" ;;\n`).join('')}      help) words="${first.join(' ')}" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _bingo bingo
`;
}

function zshScript(commands: readonly Command[]): string {
  return `#compdef bingo
# Completion of bingo for zsh: source <(bingo completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands).split('\n').slice(1).join('\n')}`;
}

function fishScript(commands: readonly Command[]): string {
  const { second } = wordsOf(commands);
  const lines = commands.flatMap((command) => {
    const [group = '', word] = command.name.split(' ');
    const flags = Object.entries(flagsOf(command)).map(([name, flag]) => {
      const option = name.length === 1 ? `-s ${name}` : `-l ${name}`;
      const words = word === undefined ? '' : `; and __fish_seen_subcommand_from ${word}`;
      return `complete -c bingo -n '__fish_seen_subcommand_from ${group}${words}' ${option}${flag.value === undefined ? '' : ' -r'} -d ${quoted(flag.help)}`;
    });
    const start =
      word === undefined
        ? `complete -c bingo -n __fish_use_subcommand -a ${group} -d ${quoted(command.summary)}`
        : `complete -c bingo -n '__fish_seen_subcommand_from ${group}' -a ${word} -d ${quoted(command.summary)}`;
    return [start, ...flags];
  });
  const bare = [...second.keys()].filter((group) => !commands.some(({ name }) => name === group));
  return [
    '# Completion of bingo for fish: bingo completion fish | source',
    ...bare.map((group) => `complete -c bingo -n __fish_use_subcommand -a ${group}`),
    ...lines,
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
